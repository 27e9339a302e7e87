"""One request to an app in this process, without a client in between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from domain.json_values import JsonObject

App = Callable[..., Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


def scope_of(method: str, path: str, headers: Headers, query: str = "") -> dict[str, Any]:
    """Return the ASGI scope of a request from this machine."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8400),
        "state": {},
    }


def encoded(headers: Mapping[str, str]) -> Headers:
    """Return headers as a scope has them."""
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def exchange(app: App, scope: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """Send one request with its whole body; return status and body. The caller stays until it is answered."""
    stays = asyncio.Event()
    asked = False
    status = 0
    pieces: list[bytes] = []

    async def receive() -> JsonObject:
        nonlocal asked
        if asked:
            await stays.wait()
        asked = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)
        pieces.append(message.get("body", b""))

    await app(scope, receive, send)
    return status, b"".join(pieces)
