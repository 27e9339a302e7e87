"""An HTTP endpoint on loopback whose answers a test writes as functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """One response; `raw` replaces all of it, `hang` never gives any."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    raw: bytes | None = None
    hang: bool = False


class StubEndpoint:
    """Answers with what `answer` returns, in order for a list whose last item stays; keeps what was asked."""

    def __init__(self, *answers: Answer | Callable[[Asked], Answer], host: str = "127.0.0.1") -> None:
        self._answers = list(answers) or [Answer()]
        self._host = host
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.asked: list[Asked] = []

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://{self._host}:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self._host, 0)
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                while await self._one(reader, writer):
                    pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        method, target, _ = first.split(" ")
        asked = Asked(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))
        self.asked.append(asked)
        chosen = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        answer = chosen(asked) if callable(chosen) else chosen
        if answer.hang:
            await asyncio.Event().wait()
        if answer.raw is not None:
            writer.write(answer.raw)
            await writer.drain()
            return False
        size = {} if "Content-Length" in answer.headers else {"Content-Length": str(len(answer.body))}
        rows = "".join(f"{name}: {value}\r\n" for name, value in {**answer.headers, **size}.items())
        body = b"" if method == "HEAD" else answer.body
        writer.write(f"HTTP/1.1 {answer.status} Stub\r\n{rows}\r\n".encode() + body)
        await writer.drain()
        return True
