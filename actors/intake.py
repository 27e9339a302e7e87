"""Messages are taken in: durable before anybody is told so, and run whatever becomes of who has taken them.

A message stands in the store until the transaction that ends its turn removes it. The process that has it run says so
again and again; when it does no more, whichever process looks next runs it, those of a session in their order. What
runs twice is answered once: it has a key. Spec: platform-api 3.1, 12.4; decision 0046.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import msgspec

from actors.looping import again_and_again
from actors.messages import (
    TURN_TAKEN_BACK,
    CancelTurn,
    Done,
    Failed,
    HostAnswer,
    HostMessage,
    Replied,
    RunTurn,
    decode_message,
    encode,
)
from actors.raising import error_of, kind_of
from actors.runtime import StreamEvent
from actors.session.children import PASSING
from actors.session.ending import TAKEN_BACK
from actors.session.repeating import spoken_id
from actors.session.stream import Listener
from actors.turn_stream import Asks, Refused, turn_output
from domain.errors import AppError, NotFound
from storage.repositories.accepted import HOLD_S, AcceptedMessage, AcceptedMessages, Name, name_of

HOLD_EVERY_S: Final = HOLD_S / 4
LOOK_EVERY_S: Final = 1.0
AT_ONCE: Final = 64
"""Messages left behind that are run at a time."""
TOLD_EVERY_TRIES: Final = 10
"""After so many tries that found nobody to run a message, and after each so many more, the log has an error.

It is never given up: it was acknowledged. It waits until the store, a host or a newer version can run it.
"""
RETRY_MAX_S: Final = 60.0
MENDS: Final = PASSING | {AppError.__name__}
"""Refusals after which a message stays taken: it is tried again."""
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Held:
    """What is known of a message for as long as this process has it run.

    Attributes:
        times: By how many it is held: it may be said again while it runs.
        is_own: This process has made it durable.
        is_asked: It was sent to its host.
        is_unwanted: It was taken back before.
    """

    times: int = 0
    is_own: bool = False
    is_asked: bool = False
    is_unwanted: bool = False


class Intake:
    """Takes messages in, has them run, and runs those that others have left behind. Satisfies `Asks`."""

    def __init__(self, accepted: AcceptedMessages, router: Asks) -> None:
        self._accepted = accepted
        self._router = router
        self._held: dict[Name, _Held] = {}
        self._stopping: dict[Name, asyncio.Task[None]] = {}
        self._loops: tuple[asyncio.Task[None], ...] = ()
        self._running: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to hold what is run here, and to look for what others have left behind."""
        create_task = asyncio.get_running_loop().create_task
        self._loops = (
            create_task(again_and_again("accepted messages cannot be held", HOLD_EVERY_S, self._hold)),
            create_task(again_and_again("accepted messages cannot be looked for", LOOK_EVERY_S, self._look)),
        )

    async def stop(self) -> None:
        """Leave what is not answered to others."""
        tasks = (*self._loops, *self._running, *self._stopping.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def take(self, message: RunTurn, *, interrupts: bool = False) -> RunTurn:
        """Make a message durable: from now on it will be run. Return it as it is to be run; its turn needs a key.

        One that was taken before, by a process that has it run no more, may have been shown already. For one that
        `interrupts`, and is not known yet, the turn that runs is given up before.

        Raises:
            Unavailable: The store stays away; the message is not taken.
            AppError: The turn that runs cannot be given up; the message is not taken.
        """
        turn, name = message.turn, _name(message)
        is_run_here = name in self._held
        self._enter(name)
        try:
            if interrupts:
                await self._stop_for(message, name, is_new=not is_run_here)
            put = await self._accepted.put(
                turn.tenant_id, turn.project_id, turn.session_id, turn.idempotency_key, encode(message)
            )
        except BaseException:
            self._leave(name)
            raise
        self._held[name].is_own |= put.is_new
        attempt = message.attempt + (not put.is_new and not is_run_here)
        return msgspec.structs.replace(message, attempt=attempt, life=put.runtime_session_id)

    async def _stop_for(self, message: RunTurn, name: Name, *, is_new: bool) -> None:
        """Give up what runs for a message that interrupts it, once, however often it is said at a time."""
        stopping = self._stopping.get(name)
        if stopping is None:
            if not is_new:
                return
            stopping = self._stopping[name] = asyncio.get_running_loop().create_task(self._stop(message))
            stopping.add_done_callback(lambda _: self._stopping.pop(name, None))
        await asyncio.shield(stopping)

    async def _stop(self, message: RunTurn) -> None:
        turn = message.turn
        spoken = spoken_id(turn.session_id, turn.idempotency_key)
        if await self._accepted.is_known(turn.tenant_id, turn.session_id, turn.idempotency_key, spoken):
            return
        cancel = CancelTurn(
            tenant_id=turn.tenant_id,
            project_id=turn.project_id,
            session_id=turn.session_id,
            for_message=turn.idempotency_key,  # another process may have it run in this moment
        )
        answer = await self._router.ask(cancel)
        if isinstance(answer, Failed) and answer.kind != NotFound.__name__:
            raise error_of(answer)

    async def output(self, message: RunTurn, keep: Callable[[asyncio.Task[Any]], None]) -> AsyncIterator[StreamEvent]:
        """Run a message that was taken and yield what comes of it; `keep` as of `turn_events`.

        What passes is told to nobody, also when something of the answer was shown: the message stays taken and is run
        again, and who sends it again need not.

        Raises:
            AppError: It is refused for good.
        """
        try:
            async for event in turn_output(self, message, keep):
                yield event
        except AppError as error:
            if kind_of(error) not in MENDS:
                raise
            _log.info("a message of %s is tried again: %s", message.turn.session_id, error.message)
        except Refused as refused:
            if refused.answer.kind not in MENDS:
                raise error_of(refused.answer) from refused  # also where something was shown: nobody else says it
            _log.info("a message of %s is tried again: %s", message.turn.session_id, refused.answer.message)

    async def take_back(self, cancel: CancelTurn) -> HostAnswer:
        """Give up the turn with a key, and return what its host says of it; one that had not begun is never run.

        Then it is refused, durably before this returns, whichever process has it run.

        Raises:
            Unavailable: The store stays away; whether the message is run is not known.
        """
        name = name_of(cancel.tenant_id, cancel.session_id, cancel.message_id)
        answer: HostAnswer = Done(note=TURN_TAKEN_BACK)
        held = self._held.get(name)
        if held is None or held.is_asked:
            answer = await self._router.ask(cancel)
        if isinstance(answer, Done) and answer.note == TURN_TAKEN_BACK:
            if (held := self._held.get(name)) is not None:
                held.is_unwanted = True  # what is sent to its host yet is not
            await self._accepted.refuse(cancel.tenant_id, name, encode(TAKEN_BACK))
        return answer

    async def _ask_host(self, message: HostMessage, name: Name, listener: Listener | None = None) -> HostAnswer:
        if (held := self._held.get(name)) is not None:
            if held.is_unwanted:
                return TAKEN_BACK
            held.is_asked = True
        return await self._router.ask(message, listener)

    async def _close(self, tenant_id: str, name: Name, answer: HostAnswer) -> None:
        """Have a message run no more; what it was refused for is kept until its client was told."""
        if isinstance(answer, Failed):
            await self._accepted.refuse(tenant_id, name, encode(answer))
        else:
            await self._accepted.remove(name)

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Return the answer of the session's host; a message that was taken waits no more when it is a final one."""
        held = self._held.get(name := _name(message)) if isinstance(message, RunTurn) else None
        if not isinstance(message, RunTurn) or held is None:
            return await self._router.ask(message, listener)
        try:
            answer = await self._ask_host(message, name, listener)
            if is_final(answer) and (held.is_own or isinstance(answer, Replied)):
                await self._close(message.turn.tenant_id, name, answer)  # but not for another under the key of one
            return answer
        finally:
            self._leave(name)

    def _enter(self, name: Name) -> None:
        self._held.setdefault(name, _Held()).times += 1

    def _leave(self, name: Name) -> None:
        held = self._held[name]
        held.times -= 1
        if not held.times:
            del self._held[name]

    async def _hold(self) -> None:
        if self._held:
            await self._accepted.hold(tuple(self._held))

    async def _look(self) -> None:
        """Claim what nobody holds, as much as there is room for, and begin to run it."""
        room = AT_ONCE - len(self._running)
        claimed = await self._accepted.claim(room) if room > 0 else ()
        claimed = [one for one in claimed if one.name not in self._held]  # it is run here: this process was held up
        for one in claimed:
            self._enter(one.name)
        ordered = sorted(claimed, key=lambda one: (one.name[0], one.place))
        for _, of_session in groupby(ordered, key=lambda one: one.name[0]):
            task = asyncio.get_running_loop().create_task(self._run_all(list(of_session)))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _run_all(self, messages: Sequence[AcceptedMessage]) -> None:
        """Run messages of one session one after the other; the first that finds no host has the others wait."""
        waiting = list(messages)
        try:
            while waiting:
                if not await self._run(waiting[0]):
                    return
                self._leave(waiting.pop(0).name)
        finally:
            for one in waiting:
                self._leave(one.name)

    async def _run(self, one: AcceptedMessage) -> bool:
        """Run a message; return whether its session can be asked the next one."""
        try:
            answer = await self._ask_host(_again(decode_message(await self._accepted.read(one)), one), one.name)
            _log.info("a message of %s was left behind and has been run now", one.session_id)
            if is_final(answer):
                await self._close(one.tenant_id, one.name, answer)
            if not isinstance(answer, Failed) or answer.kind not in MENDS:
                return True
            why = answer.message
        except AppError as error:
            why = error.message
        except msgspec.DecodeError as error:
            why = f"It was written by a newer version: {error}"
        if one.tries % TOLD_EVERY_TRIES == 0:
            _log.error("a message of %s waits after %d tries: %s", one.session_id, one.tries, why)
        await self._accepted.leave(one.name, min(2.0 ** min(one.tries, 10), RETRY_MAX_S))
        return False


def is_final(answer: HostAnswer) -> bool:
    """Return whether a message waits no more, though no turn of its own has just ended."""
    if isinstance(answer, Replied):
        return answer.reply.repeated
    return isinstance(answer, Failed) and answer.kind not in MENDS


def _again(message: HostMessage, one: AcceptedMessage) -> HostMessage:
    """Return a message that was left behind as it is to be run: it may have been shown already."""
    if not isinstance(message, RunTurn):
        return message
    return msgspec.structs.replace(message, attempt=message.attempt + one.tries, life=one.runtime_session_id)


def _name(message: RunTurn) -> Name:
    turn = message.turn
    return name_of(turn.tenant_id, turn.session_id, turn.idempotency_key)
