"""One turn as a stream of events for one reader: what the host sends live, and what is missing asked for again."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

import msgspec

from actors.messages import Done, Failed, Follow, HostAnswer, HostMessage, Replied, RunTurn
from actors.raising import error_of
from actors.runtime import StreamEvent, StreamKind, TurnReply
from actors.session.kept import closing_data, wire_form
from actors.session.stream import TURN_ENDS, Listener

MAX_BEHIND = 4_096
"""Events that may wait for one reader; then it is served from what the host holds."""
FOLLOW_PAUSE_S = 0.05
"""Between two questions for the output of a session whose host has let go of it."""
CLOSING_EVENTS = 2
"""`response_end` and `complete`."""
MAX_LOOKS = 100
"""How often the rest of a stream is asked for before the reader is told that it is cut."""


class Asks(Protocol):
    """Takes a message to its session: `actors.router.Router`."""

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Return the answer of the session's host."""
        ...


class Inbox:
    """Where events wait for the reader."""

    __slots__ = ("_events", "_more", "last_seq")

    def __init__(self, last_seq: int = 0) -> None:
        self._events: deque[StreamEvent] = deque()
        self._more = asyncio.Event()
        self.last_seq = last_seq

    def push(self, event: StreamEvent) -> bool:
        """Take an event; False when the reader is too far behind. Satisfies `Listener`."""
        if len(self._events) >= MAX_BEHIND:
            return False
        self._events.append(event)
        self._more.set()
        return True

    def wake(self, _task: object = None) -> None:
        """Have the reader look whether its source has ended."""
        self._more.set()

    async def next(self, is_over: Callable[[], bool]) -> StreamEvent | None:
        """Return the next event that the reader has not seen; None when the source has ended."""
        while True:
            while self._events:
                event = self._events.popleft()
                if event.seq > self.last_seq:
                    self.last_seq = event.seq
                    return event
            if is_over():
                return None
            self._more.clear()
            await self._more.wait()


class Refused(Exception):
    """A turn has no answer of its own; `shown_seq` is the number of the last event of it, 0 when there was none."""

    def __init__(self, answer: Failed, shown_seq: int) -> None:
        super().__init__(answer.message)
        self.answer = answer
        self.shown_seq = shown_seq

    def told(self) -> StreamEvent:
        """Return the event that ends what was shown.

        Raises:
            AppError: Nothing was shown.
        """
        if not self.shown_seq:
            raise error_of(self.answer)
        data: dict[str, Any] = {"error": self.answer.message}
        if self.answer.retry_after_ms:
            data["retryAfterMs"] = self.answer.retry_after_ms
        return StreamEvent(seq=self.shown_seq + 1, turn=0, kind="error", data=data)


async def turn_events(
    router: Asks, message: RunTurn, keep: Callable[[asyncio.Task[Any]], None]
) -> AsyncIterator[StreamEvent]:
    """Run a turn and yield its events; `keep` holds the task that runs it, which goes on when the reader leaves.

    Raises:
        AppError: What kept the turn from beginning.
    """
    try:
        async for event in turn_output(router, message, keep):
            yield event
    except Refused as refused:
        yield refused.told()


async def turn_output(
    router: Asks, message: RunTurn, keep: Callable[[asyncio.Task[Any]], None]
) -> AsyncIterator[StreamEvent]:
    """Run a turn and yield its events as `turn_events` does. Raises Refused: there is no answer."""
    inbox = Inbox()
    task = asyncio.get_running_loop().create_task(router.ask(message, inbox.push))
    keep(task)
    task.add_done_callback(inbox.wake)
    while (event := await inbox.next(task.done)) is not None:
        yield event
        if event.kind in TURN_ENDS:
            return
    answer = task.result()
    if isinstance(answer, Replied):
        again = answer.reply.repeated
        async for event in _rest(router, message, answer.reply, max(inbox.last_seq, answer.reply.first_seq - 1)):
            yield msgspec.structs.replace(event, repeated=True) if again else event
    elif isinstance(answer, Failed):
        raise Refused(answer, inbox.last_seq)


async def _rest(router: Asks, message: RunTurn, reply: TurnReply, after: int) -> AsyncIterator[StreamEvent]:
    turn = message.turn
    async for event in followed(router, turn.tenant_id, turn.session_id, after):
        if event.kind == "resume_gap":
            continue  # what is gone of the turn stands in its reply
        after = event.seq
        yield event
        if event.kind in TURN_ENDS:
            return
    for event in told_again(reply, after):
        yield event


async def followed(router: Asks, tenant_id: str, session_id: str, after: int) -> AsyncIterator[StreamEvent]:
    """Yield what a session's host holds after a number, to the end of the running turn; nothing when it holds none."""
    for _ in range(MAX_LOOKS):
        inbox = Inbox(after)
        question = Follow(tenant_id=tenant_id, session_id=session_id, after=after)
        task: asyncio.Task[HostAnswer] = asyncio.get_running_loop().create_task(router.ask(question, inbox.push))
        task.add_done_callback(inbox.wake)
        try:
            while (event := await inbox.next(task.done)) is not None:
                after = event.seq
                yield event
            answer = task.result()
        finally:
            task.cancel()
        if isinstance(answer, Done):
            return
        if isinstance(answer, Failed) and not answer.moved and answer.kind != "Unavailable":
            raise error_of(answer)


async def listened(router: Asks, tenant_id: str, session_id: str, after: int) -> AsyncIterator[StreamEvent]:
    """Yield what a session says from a number on, turn after turn, until its host lets go of it or of the reader."""
    inbox = Inbox(after)
    question = Follow(tenant_id=tenant_id, session_id=session_id, after=after, endless=True)
    task: asyncio.Task[HostAnswer] = asyncio.get_running_loop().create_task(router.ask(question, inbox.push))
    task.add_done_callback(inbox.wake)
    try:
        while (event := await inbox.next(task.done)) is not None:
            yield event
        answer = task.result()
    finally:
        task.cancel()
    if isinstance(answer, Failed) and answer.kind in ("NotFound", "Conflict"):
        raise error_of(answer)


def told_again(reply: TurnReply, after: int) -> list[StreamEvent]:
    """Return the end of a committed turn as far as its reply tells it; what was shown of the text before is void.

    The last event has the number it had before, or the next one when that is not known.
    """
    if reply.last_seq and after >= reply.last_seq:
        return []
    last_seq = max(reply.last_seq, after + 1)
    restart = {"messageId": reply.message_id, "attempt": 1}
    pieces: list[tuple[StreamKind, dict[str, Any]]] = [
        ("response_start", restart) if after < reply.first_seq else ("response_restart", {**restart, "attempt": 2}),
        ("response_chunk", {"messageId": reply.message_id, "chunk": reply.response}),
        ("response_end", closing_data(reply)),
        ("complete", wire_form(reply)),
    ]
    room = last_seq - after
    if not reply.response or room == CLOSING_EVENTS + 1:
        del pieces[1]  # `response_end` has the whole text
    if room < len(pieces):
        pieces = pieces[-room:]
    first = last_seq - len(pieces) + 1
    return [
        StreamEvent(seq=first + offset, turn=reply.turn, kind=kind, data=data)
        for offset, (kind, data) in enumerate(pieces)
    ]
