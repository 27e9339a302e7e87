"""The sockets of pages in tests of the gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.asgi import Socket
from tests.support.gateway import Gateway

PATH = "/ws/sdk"


@asynccontextmanager
async def opened(gateway: Gateway, token: str | None = None, query: str = "") -> AsyncIterator[Socket]:
    token = token or await gateway.sdk_token()
    page = gateway.page(token)
    async with page.websocket(PATH + query, subprotocols=["sdk-auth", token]) as socket:
        yield socket


@asynccontextmanager
async def started(gateway: Gateway, token: str | None = None, query: str = "") -> AsyncIterator[Socket]:
    async with opened(gateway, token, query) as socket:
        frame = await socket.frame()
        assert frame["type"] == "session_start", frame
        yield socket


def spoken(frames: list[dict[str, Any]]) -> str:
    return "".join(frame["chunk"] for frame in frames if frame["type"] == "response_chunk")
