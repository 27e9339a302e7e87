"""A gateway over a store that is full, asked in this process; and the statements that it sends for a request."""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any

from fastapi import FastAPI

from actors.wiring import RunningRuntime
from benchmarks.asgi import encoded, exchange, scope_of
from domain.json_values import JsonObject
from storage.database import Connection
from storage.statements import Statement

JSON = "application/json"
_sent: ContextVar[list[tuple[Statement, JsonObject]] | None] = ContextVar("sent", default=None)
Body = JsonObject | bytes | None
"""JSON, or bytes of another content type."""


def watch(name: str) -> None:
    """Have a method of connections note what it sends for the request at hand."""
    plain = getattr(Connection, name)

    async def noted(self: Connection, statement: Statement, **given: object) -> Any:
        if (sent := _sent.get()) is not None:
            sent.append((statement, dict(given)))
        return await plain(self, statement, **given)

    setattr(Connection, name, noted)


class Bench:
    """A gateway over a store that is full.

    Attributes:
        bare: A connection of the driver.
        pool: Of the driver.
    """

    def __init__(
        self, app: FastAPI, running: RunningRuntime, tenant_id: str, project_id: str, key: str, bare: Any, pool: Any
    ) -> None:
        self.app = app
        self.running = running
        self.tenant_id = tenant_id
        self.project_id = project_id
        self.bare = bare
        self.pool = pool
        self.headers = {"x-api-key": key}

    async def request(self, method: str, path: str, body: Body = None, media_type: str = JSON) -> tuple[int, bytes]:
        """Send one request; return status and body."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        place, _, query = path.partition("?")
        sent = {"host": "bench", "content-type": media_type, "content-length": str(len(raw)), **self.headers}
        return await exchange(self.app, scope_of(method, place, encoded(sent), query), raw)

    async def answer(self, method: str, path: str, body: Body = None, media_type: str = JSON) -> JsonObject:
        """Return what a request answers; one that is refused ends the benchmark."""
        status, answer = await self.request(method, path, body, media_type)
        if status >= 300:
            raise SystemExit(f"{method} {path} answered {status}: {answer[:300]!r}")
        told: JsonObject = json.loads(answer)
        return told

    async def statements(self, method: str, path: str, body: Body) -> list[tuple[str, list[object]]]:
        """Return what a request sends to the database, with its values."""
        found: list[tuple[Statement, JsonObject]] = []
        token = _sent.set(found)
        await self.answer(method, path, body)
        _sent.reset(token)
        return [(one.sql, one.arguments(given)) for one, given in found]
