"""A load generator: many conversations at once over plain HTTP/1.1, each turn after the last one's answer.

It parses no more of an answer than it has to, so that on a small machine the load costs little beside what is loaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter

import msgspec

ANSWER_S = 60.0
"""How long one answer may take before the run is given up."""
SEED = 7
QUIET_S = 1.0
"""A connection that was not used for so long is made anew."""
MAX_REFUSAL_CHARS = 300


class LoadFailed(Exception):
    """The server answered with something else than 200, or not at all."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where turns are posted to.

    Attributes:
        body: What one turn posts, from the conversation's session id ("" for its first turn).
        session_of: Reads the session id out of the first answer; None where there are no sessions.
        pause_s: Before every turn a conversation waits for a random time up to this: without it all of them would
            march in step, since a model stub takes the same time for each.
    """

    port: int
    path: str
    headers: dict[str, str]
    body: Callable[[str], bytes]
    session_of: Callable[[bytes], str] | None = None
    pause_s: float = 0.0


@dataclass(slots=True)
class Taken:
    """What a run took: `waits_s` of every turn, and the wall time of the whole."""

    waits_s: list[float] = field(default_factory=list)
    wall_s: float = 0.0


class Reply(msgspec.Struct):
    """The one field of an answer that the load needs."""

    sessionId: str = ""  # noqa: N815 (as the API spells it)


_DECODER = msgspec.json.Decoder(Reply)


def session_id(body: bytes) -> str:
    """Return the session id of a chat answer."""
    return _DECODER.decode(body).sessionId


class _Client(asyncio.Protocol):
    """One kept-alive connection with one request out at a time."""

    def __init__(self, target: Target) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in target.headers.items())
        head = f"POST {target.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{lines}"
        self._head = head.encode() + b"Content-Length: %d\r\n\r\n"
        self._port = target.port
        self._transport: asyncio.Transport | None = None
        self._used_s = 0.0
        self._buffer = b""
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(LoadFailed(f"the connection was lost: {exc}"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found or self._answer is None:
            return
        lowered = head.lower()
        at = lowered.find(b"content-length:")
        if at < 0:
            self._answer.set_exception(LoadFailed(f"an answer without length: {head[:MAX_REFUSAL_CHARS]!r}"))
            return
        size = int(lowered[at + 15 :].split(b"\r\n", 1)[0])
        if len(rest) < size:
            return
        self._buffer = b""
        if not head.startswith(b"HTTP/1.1 200"):
            self._answer.set_exception(LoadFailed(f"{head[:30]!r} {rest[:MAX_REFUSAL_CHARS]!r}"))
        else:
            self._answer.set_result(rest)

    async def post(self, body: bytes) -> bytes:
        if perf_counter() - self._used_s > QUIET_S:  # servers close what was quiet for some seconds
            self.close()
            await asyncio.get_running_loop().create_connection(lambda: self, "127.0.0.1", self._port)
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._used_s = perf_counter()
        self._transport.write(self._head % len(body) + body)
        async with asyncio.timeout(ANSWER_S):
            return await self._answer

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


class Conversations:
    """Some conversations with one server, each on a connection of its own."""

    def __init__(self, target: Target, clients: Sequence[_Client]) -> None:
        self._target = target
        self._clients = clients
        self._chance = Random(SEED)
        self.sessions = [""] * len(clients)

    @classmethod
    def open(cls, target: Target, count: int) -> Conversations:
        """Return `count` conversations that have not spoken yet."""
        return cls(target, [_Client(target) for _ in range(count)])

    async def __aenter__(self) -> Conversations:
        """Return itself."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            client.close()

    async def hold(self, turns: int) -> Taken:
        """Let every conversation take so many turns, all conversations at once."""
        taken = Taken()
        began = perf_counter()
        await asyncio.gather(*(self._talk(at, turns, taken) for at in range(len(self._clients))))
        taken.wall_s = perf_counter() - began
        return taken

    async def _talk(self, at: int, turns: int, taken: Taken) -> None:
        target, client = self._target, self._clients[at]
        for _ in range(turns):
            if target.pause_s:
                await asyncio.sleep(self._chance.uniform(0, target.pause_s))
            begin = perf_counter()
            body = await client.post(target.body(self.sessions[at]))
            taken.waits_s.append(perf_counter() - begin)
            if target.session_of is not None and not self.sessions[at]:
                self.sessions[at] = target.session_of(body)

    def forget_sessions(self) -> None:
        """Let every conversation begin a new session with its next turn."""
        self.sessions = [""] * len(self._clients)


def percentile(waits_s: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0..1) of the values lie, in their unit."""
    ordered = sorted(waits_s)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
