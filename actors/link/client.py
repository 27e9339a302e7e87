"""The calling side of a link: a `Host` that lives in another process."""

from __future__ import annotations

import asyncio
import itertools

import msgspec

from actors.hosts.port import HostGone
from actors.link.addresses import Address, UnixAddress
from actors.link.connection import Connection
from actors.link.frames import Frame, FrameKind
from actors.messages import VERSION, Emitted, HostAnswer, HostMessage, decode_answer, encode
from actors.session.stream import Listener

CONNECT_TIMEOUT_S = 5.0


class _Caller(Connection):
    """Keeps the calls that are out and hands answers and events to them."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[HostAnswer]] = {}
        self._listeners: dict[int, Listener] = {}

    def received(self, one: Frame) -> None:
        if one.kind is FrameKind.EVENT:
            listener = self._listeners.get(one.number)
            message = decode_answer(one.payload)
            if listener is not None and isinstance(message, Emitted) and not listener(message.event):
                del self._listeners[one.number]
        elif one.kind is FrameKind.ANSWER:
            self._listeners.pop(one.number, None)
            waiting = self._answers.pop(one.number, None)
            if waiting is None or waiting.done():
                return
            try:
                waiting.set_result(decode_answer(one.payload))
            except msgspec.DecodeError as error:
                waiting.set_exception(HostGone(f"the host answered what this version cannot read: {error}"))

    def lost(self) -> None:
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_exception(HostGone("the connection to the host was lost"))
        self._answers.clear()
        self._listeners.clear()

    async def ask(self, message: HostMessage, listener: Listener | None) -> HostAnswer:
        if not self.is_open:
            raise HostGone("the connection to the host is closed")
        number = next(self._numbers)
        answer: asyncio.Future[HostAnswer] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        if listener is not None:
            self._listeners[number] = listener
        self.send(FrameKind.CALL, number, encode(message))
        try:
            return await answer
        except asyncio.CancelledError:
            self.send(FrameKind.CANCEL, number)
            raise
        finally:
            self._answers.pop(number, None)
            self._listeners.pop(number, None)


class LinkedHost:
    """A host behind a socket. Connects when it is first asked, and again after the connection was lost."""

    def __init__(self, host_id: str, address: Address, token: str) -> None:
        self._host_id = host_id
        self._address = address
        self._token = token
        self._caller: _Caller | None = None
        self._connecting = asyncio.Lock()

    @property
    def host_id(self) -> str:
        """The id under which the host holds its lease."""
        return self._host_id

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Return the host's answer; stream events go to the listener before. Raises HostGone."""
        caller = self._caller
        if caller is None or not caller.is_open:
            caller = await self._connect()
        return await caller.ask(message, listener)

    def close(self) -> None:
        """Close the connection; calls that are out end with HostGone."""
        if self._caller is not None:
            self._caller.close()

    async def _connect(self) -> _Caller:
        async with self._connecting:
            if self._caller is not None and self._caller.is_open:
                return self._caller
            try:
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    caller = await _reach(self._address)
            except (OSError, TimeoutError) as error:
                raise HostGone(f"no host answers at {self._address}") from error
            caller.send(FrameKind.HELLO, VERSION, self._token.encode())
            self._caller = caller
            return caller


async def _reach(address: Address) -> _Caller:
    loop = asyncio.get_running_loop()
    if isinstance(address, UnixAddress):
        _, caller = await loop.create_unix_connection(_Caller, address.path)
    else:
        _, caller = await loop.create_connection(_Caller, address.host, address.port)
    return caller
