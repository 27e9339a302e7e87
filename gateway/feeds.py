"""Which sockets of this gateway listen to which session, and what each has been sent.

The truth about a session's output is the runtime's numbered stream; a feed only saves asking for it. A socket that
fell behind, or that missed what another gateway started, asks the runtime from its own number on.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable

from actors.runtime import ChatTurn, Runtime, SessionRef, StreamEvent
from domain.errors import AppError, QueueFull
from gateway import limits

QUEUE_RETRY_MS = 1_000
SUSPEND = "suspend"

Report = Callable[[AppError], None]


class Outlet:
    """One socket's place in a session's output."""

    def __init__(self, session: SessionRef, cursor: int) -> None:
        self.session = session
        self.cursor = cursor
        self.displaced = False
        self.draining = False
        self._events: deque[StreamEvent] = deque(maxlen=limits.SOCKET_OUTBOX_FRAMES)
        self._news = asyncio.Event()
        self._suspended = False

    def offer(self, event: StreamEvent) -> None:
        """Give an event; when too many wait the oldest is dropped, and asked for again when its turn comes."""
        self._events.append(event)
        self._news.set()

    def poke(self) -> None:
        """Say that there may be more."""
        self._news.set()

    async def next(self) -> StreamEvent | None:
        """Return the next event that was given; None when it is time to ask."""
        if not self._events:
            wait_s = limits.SOCKET_FOLLOW_SUSPENDED_S if self._suspended else limits.SOCKET_FOLLOW_S
            try:
                await asyncio.wait_for(self._news.wait(), wait_s)
            except TimeoutError:
                return None
        self._news.clear()
        return self._events.popleft() if self._events else None

    def passed(self, event: StreamEvent) -> None:
        """Remember that an event was sent."""
        self.cursor = event.seq
        if event.kind == "complete":
            self._suspended = event.data.get("action", {}).get("type") == SUSPEND


class Feeds:
    """Runs the turns of sockets and tells every socket of a session what comes of them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._outlets: dict[str, list[Outlet]] = {}
        self._turns: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def attach(self, session: SessionRef, cursor: int) -> Outlet:
        """Return a new place in a session's output; the oldest of too many is displaced."""
        outlet = Outlet(session, cursor)
        attached = self._outlets.setdefault(session.session_id, [])
        attached.append(outlet)
        if len(attached) > limits.SOCKETS_PER_SESSION:
            oldest = attached.pop(0)
            oldest.displaced = True
            oldest.poke()
        return outlet

    def detach(self, outlet: Outlet) -> None:
        """Give a place up."""
        attached = self._outlets.get(outlet.session.session_id, [])
        if outlet in attached:
            attached.remove(outlet)
        if not attached:
            self._outlets.pop(outlet.session.session_id, None)

    def poke(self, session_id: str) -> None:
        """Tell the sockets of a session that it may have said something."""
        for outlet in self._outlets.get(session_id, ()):
            outlet.poke()

    def waiting(self, session_id: str) -> int:
        """Return how many turns of a session this gateway has under way."""
        return self._turns.get(session_id, 0)

    def start(self, turn: ChatTurn, report: Report) -> None:
        """Run a turn whatever becomes of the socket that asked for it.

        Args:
            turn: The turn.
            report: Called with the error when the turn is refused; what fails later is an event of the stream.

        Raises:
            QueueFull: Too many turns of the session wait already.
        """
        if self.waiting(turn.session_id) > limits.SOCKET_TURNS_WAITING:
            raise QueueFull("Execution queue full", retry_after_ms=QUEUE_RETRY_MS)
        self._turns[turn.session_id] = self.waiting(turn.session_id) + 1
        task = asyncio.create_task(self._run(turn, report))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, turn: ChatTurn, report: Report) -> None:
        try:
            async for event in self._runtime.stream(turn):
                for outlet in self._outlets.get(turn.session_id, ()):
                    outlet.offer(event)
        except AppError as error:
            report(error)
        finally:
            left = self._turns[turn.session_id] - 1
            if left:
                self._turns[turn.session_id] = left
            else:
                del self._turns[turn.session_id]

    async def follow(self, outlet: Outlet) -> AsyncGenerator[StreamEvent]:
        """Yield output above the outlet's number, each event once and in order, until its socket must close."""
        asked = False
        while not outlet.displaced and not outlet.draining:
            event = await outlet.next() if asked else None
            asked = True
            if event is None or event.seq > outlet.cursor + 1:
                async for missed in self._runtime.resume(outlet.session, outlet.cursor):
                    if missed.seq > outlet.cursor:
                        yield missed
                        outlet.passed(missed)
            if event is not None and event.seq > outlet.cursor:
                yield event
                outlet.passed(event)

    def drain(self) -> None:
        """Make every socket leave for another gateway."""
        for attached in self._outlets.values():
            for outlet in attached:
                outlet.draining = True
                outlet.poke()

    async def close(self) -> None:
        """Leave the turns that are under way; the runtime carries them on."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
