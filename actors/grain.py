"""The virtual session actor: always addressable, awake only while needed, one message at a time.

A grain owns no task while nothing waits; the first message starts one that drains the mailbox and ends with it.
Urgent messages go before the others, and may interrupt the turn that runs.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Coroutine
from typing import Any

from msgspec.structs import replace

from actors.mailbox import Mailbox, MailboxFull
from actors.messages import (
    TURN_TAKEN_BACK,
    CancelTurn,
    Done,
    EndSession,
    Failed,
    ForgetSession,
    HostAnswer,
    HostMessage,
    Look,
    OpenSession,
    ResetSession,
    RunTurn,
    UseMemory,
)
from actors.session.body import SessionBody
from actors.session.driver import longest_s
from actors.session.ending import RESET, TAKEN_BACK
from actors.session.finishing import TAKEN_UP_DEADLINE_S
from actors.session.stream import Listener
from actors.session.views import seen_in_a_turn
from domain.limits import SESSION_QUEUE_TURNS

log = logging.getLogger(__name__)

URGENT = (EndSession, ResetSession, ForgetSession, CancelTurn)
MS_PER_S = 1_000.0
CRASHED = Failed(kind="AppError", message="The session's actor failed.")


def _full(frees_within_s: float) -> Failed:
    retry_after_ms = math.ceil(frees_within_s * MS_PER_S)
    return Failed(kind="QueueFull", message="Execution queue full", retry_after_ms=retry_after_ms)


class _Waiting:
    """A message with the place for its answer."""

    __slots__ = ("answer", "listener", "message")

    def __init__(self, message: HostMessage, listener: Listener | None, answer: asyncio.Future[HostAnswer]) -> None:
        self.message = message
        self.listener = listener
        self.answer = answer


class Grain:
    """One session in a host."""

    __slots__ = ("_body", "_drain", "_mailbox", "_running", "is_broken", "last_used_s", "session_id")

    def __init__(self, session_id: str, body: SessionBody) -> None:
        self.session_id = session_id
        self.last_used_s = time.monotonic()
        self._body = body
        self._mailbox: Mailbox[_Waiting] = Mailbox()
        self._drain: asyncio.Task[None] | None = None
        self._running: HostMessage | None = None
        self.is_broken = False

    @property
    def body(self) -> SessionBody:
        """What carries the messages out."""
        return self._body

    @property
    def is_busy(self) -> bool:
        """Whether a message is being carried out or waits."""
        return self._drain is not None

    @property
    def waiting(self) -> int:
        """Messages that have not begun."""
        return len(self._mailbox)

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Put a message in line and return its answer. Leaving early does not take the message out of the line."""
        if isinstance(message, CancelTurn) and not message.for_good:
            if message.for_message and self._has(message.for_message):
                return Done()
            if self._take_back(message):
                return Done(note=TURN_TAKEN_BACK)
            if not (self._body.is_running(message.message_id) or self._is_beginning(message)):
                return Done()
        if isinstance(message, UseMemory) and (told := await self._body.meanwhile(message)) is not None:
            return told
        if isinstance(message, Look | OpenSession) and self._body.is_running(""):
            told = seen_in_a_turn(self._body.live, message)
            if told is not None:
                return told
        if isinstance(message, ResetSession) and (told := await self._known(message)) is not None:
            return told
        if isinstance(message, RunTurn) and self._has_enough_turns(message):
            return _full(self._frees_within_s())
        if isinstance(message, RunTurn) and self._has_turns(message):
            message = replace(message, turn=replace(message.turn, unread=True))
        answer: asyncio.Future[HostAnswer] = asyncio.get_running_loop().create_future()
        try:
            self._mailbox.put(_Waiting(message, listener, answer), urgent=isinstance(message, URGENT))
        except MailboxFull:
            return _full(self._frees_within_s())
        if isinstance(message, URGENT) and self._drain is not None:
            self._make_way(message)
        if self._drain is None:
            self._drain = asyncio.get_running_loop().create_task(self._work())
        return await asyncio.shield(answer)

    def _take_back(self, message: CancelTurn) -> bool:
        """Take the turn that is named out of the line; return whether it waited there."""
        taken = self._mailbox.take_usual(lambda waiting: _is_named(waiting.message, message))
        for one in taken:
            _settle(one, TAKEN_BACK)
        return bool(taken)

    def _is_beginning(self, message: CancelTurn) -> bool:
        """Return whether the turn that is named is the next to run: its session is being loaded, or its facts found."""
        return _is_named(self._running, message)

    def _turns(self) -> list[RunTurn]:
        """Return the turns that run or wait."""
        known = (self._running, *(one.message for one in self._mailbox.usual()))
        return [one for one in known if isinstance(one, RunTurn)]

    def _has(self, key: str) -> bool:
        """Return whether the turn with this key runs or waits."""
        return any(one.turn.idempotency_key == key for one in self._turns())

    def _has_turns(self, wanted: RunTurn) -> bool:
        """Return whether another turn runs or waits, whose answer nobody can have read who sends this one now."""
        keys = [one.turn.idempotency_key for one in self._turns()]
        return any(not key or key != wanted.turn.idempotency_key for key in keys)

    def _has_enough_turns(self, wanted: RunTurn) -> bool:
        """Return whether as many turns wait behind what runs as may; one that comes again is none more. Spec: 2.5."""
        waiting = {one.turn.idempotency_key for one in self._turns() if one is not self._running}
        room = SESSION_QUEUE_TURNS + (self._running is None)
        return not self._has(wanted.turn.idempotency_key) and len(waiting) >= room

    def _frees_within_s(self) -> float:
        """Return after how many seconds a place is free for certain, unless others take it.

        How long a turn takes nobody can tell, only how long it may: so long as what runs, and what waits before the
        next turn, may take at most.
        """
        ahead = 0
        for one in self._mailbox.usual():
            if isinstance(one.message, RunTurn):
                break
            ahead += 1
        return self._body.ends_within_s() + ahead * longest_s(TAKEN_UP_DEADLINE_S)

    async def _known(self, message: ResetSession) -> HostAnswer | None:
        """Return the answer to a reset that has been, before it would interrupt the turn that runs."""
        return await self._body.known_reset(message) if self._drain is not None else None

    def _make_way(self, message: HostMessage) -> None:
        """Have what stands in the way of an urgent message end, or not begin."""
        if isinstance(message, EndSession) and message.quiet_since:
            return
        if isinstance(message, ResetSession):
            for one in self._mailbox.take_usual(lambda waiting: isinstance(waiting.message, RunTurn)):
                _settle(one, RESET)
        if isinstance(message, CancelTurn) and message.message_id and not self._body.is_running(message.message_id):
            self._body.give_up_next(message.message_id)
            return
        for_good = isinstance(message, CancelTurn) and message.for_good
        self._body.interrupt(type(message).__name__, for_good=for_good)

    async def settle(self) -> None:
        """Wait until nothing waits any more; the caller bounds the wait."""
        while self._drain is not None:
            await asyncio.shield(self._drain)

    def turn_away(self, answer: Failed) -> None:
        """Answer everything that waits without carrying it out: the session lives elsewhere now."""
        for one in self._mailbox.take_usual():
            _settle(one, answer)

    async def _work(self) -> None:
        try:
            while (one := self._mailbox.take()) is not None or self._body.is_left:
                if one is None:
                    await self._guarded(self._body.go_on())
                    continue
                self._running = one.message
                _settle(one, await self._guarded(self._body.handle(one.message, one.listener)))
                self._running = None
                self.last_used_s = time.monotonic()
        finally:
            self._drain = self._running = None

    async def _guarded(self, work: Coroutine[Any, Any, HostAnswer]) -> HostAnswer:
        """Return the answer of the body, also where it fails: it begins again from its journal."""
        try:
            return await work
        except Exception:
            log.exception("session %s: the actor failed and is started again from its journal", self.session_id)
            self.is_broken = True
            self._body.fall_asleep()
            return CRASHED


def _is_named(message: HostMessage | None, cancel: CancelTurn) -> bool:
    """Return whether a message is the turn that is to be given up, by its key."""
    if not isinstance(message, RunTurn):
        return False
    turn = message.turn
    named = (turn.tenant_id, turn.project_id, turn.idempotency_key)
    return bool(cancel.message_id) and named == (cancel.tenant_id, cancel.project_id, cancel.message_id)


def _settle(one: _Waiting, answer: HostAnswer) -> None:
    if not one.answer.done():
        one.answer.set_result(answer)
