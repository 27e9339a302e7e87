"""The answering side of a link: hands the messages of all connections to one host and sends its answers back."""

from __future__ import annotations

import asyncio
import hmac
import logging
from pathlib import Path

import msgspec

from actors.hosts.port import Host
from actors.link.addresses import Address, TcpAddress, UnixAddress, remove_socket
from actors.link.connection import Connection
from actors.link.frames import Frame, FrameKind
from actors.messages import VERSION, Emitted, Failed, decode_message, encode
from actors.runtime import StreamEvent

log = logging.getLogger(__name__)

SOCKET_MODE = 0o600
BIND_TRIES = 3
MAX_CALLS = 20_000
"""Calls one connection may have out at once."""


class _Answerer(Connection):
    """One connection of a gateway: nothing is answered before a HELLO with the right version and token."""

    def __init__(self, server: LinkServer) -> None:
        super().__init__()
        self._server = server
        self._known = False
        self._calls: dict[int, asyncio.Task[None]] = {}

    def received(self, one: Frame) -> None:
        if not self._known:
            self._known = one.kind is FrameKind.HELLO and self._server.admits(one.number, one.payload)
            if not self._known:
                self.close()
        elif one.kind is FrameKind.CALL:
            if len(self._calls) >= MAX_CALLS:
                refusal = Failed(kind="Overloaded", message="The host has too many calls open.", retry_after_ms=1000)
                self.send(FrameKind.ANSWER, one.number, encode(refusal))
                return
            task = asyncio.get_running_loop().create_task(self._answer(one))
            self._calls[one.number] = task
            task.add_done_callback(lambda _task: self._calls.pop(one.number, None))
        elif one.kind is FrameKind.CANCEL and (task_out := self._calls.get(one.number)) is not None:
            task_out.cancel()

    def lost(self) -> None:
        self._server.connections.discard(self)
        for task in self._calls.values():
            task.cancel()

    async def _answer(self, call: Frame) -> None:
        try:
            message = decode_message(call.payload)
        except msgspec.DecodeError as error:
            refusal = Failed(kind="InvalidInput", message=f"The message cannot be read: {error}")
            self.send(FrameKind.ANSWER, call.number, encode(refusal))
            return

        def listener(event: StreamEvent) -> bool:
            self.send(FrameKind.EVENT, call.number, encode(Emitted(event=event)))
            return self.is_open and self.keeps_up

        try:
            answer = await self._server.host.ask(message, listener)
        except Exception:
            log.exception("the host failed at a %s", type(message).__name__)
            answer = Failed(kind="AppError", message="The host failed.")
        self.send(FrameKind.ANSWER, call.number, encode(answer))


class LinkServer:
    """A socket, or a socket file and a port, that lead to one host."""

    def __init__(self, host: Host, addresses: Address | list[Address], token: str) -> None:
        self.host = host
        self.connections: set[_Answerer] = set()
        self._addresses = addresses if isinstance(addresses, list) else [addresses]
        self._token = token
        self._servers: list[asyncio.Server] = []

    def admits(self, version: int, token: bytes) -> bool:
        """Whether the peer speaks our version and knows the token."""
        return version == VERSION and hmac.compare_digest(token, self._token.encode())

    async def start(self) -> list[Address]:
        """Listen and return where; a socket file left by a dead process is replaced, port 0 becomes a free one."""
        return [await self._listen(one) for one in self._addresses]

    async def stop(self) -> None:
        """Take no more connections and close those that are open."""
        for server in self._servers:
            server.close()
        for connection in list(self.connections):
            connection.close()
        for address in self._addresses:
            if isinstance(address, UnixAddress):
                remove_socket(address)

    async def _listen(self, address: Address) -> Address:
        loop = asyncio.get_running_loop()
        if isinstance(address, UnixAddress):
            self._servers.append(await self._bound(address))
            _protect(address)
            return address
        server = await loop.create_server(self._accept, address.host, address.port)
        self._servers.append(server)
        return TcpAddress(address.host, server.sockets[0].getsockname()[1])

    async def _bound(self, address: UnixAddress) -> asyncio.Server:
        """Listen on a socket file; its folder may be removed by the last host that leaves it at this very moment."""
        for tries_left in reversed(range(BIND_TRIES)):
            _clear(address)
            try:
                return await asyncio.get_running_loop().create_unix_server(self._accept, address.path)
            except FileNotFoundError:
                if not tries_left:
                    raise
        raise AssertionError("the last try returns or raises")

    def _accept(self) -> _Answerer:
        connection = _Answerer(self)
        self.connections.add(connection)
        return connection


def _clear(address: UnixAddress) -> None:
    place = Path(address.path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)


def _protect(address: UnixAddress) -> None:
    Path(address.path).chmod(SOCKET_MODE)
