"""Which sockets of this gateway listen to which session, and what each has been sent.

The truth about a session's output is the runtime's numbered stream. A gateway follows a session once, however many
sockets it has for it, for as long as there are any. A socket that fell behind, or that came with an older number, asks
the runtime from its own number on. Spec: platform-api 12.4, 12.6.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import suppress
from time import perf_counter
from typing import Any

from actors.runtime import ChatTurn, NewSession, Runtime, SessionRef, StreamEvent
from domain import limits
from domain.errors import AppError, Conflict, NotFound, QueueFull, Unavailable
from gateway import bounds
from gateway.measured import measured
from gateway.metrics import Metrics

MS_PER_S = 1_000
OF_DELETED = "api"
"""Why a session ended that is gone: it is deleted over the API."""

Report = Callable[[AppError], None]
HearRefusal = Callable[[AppError, ChatTurn, str | None], None]
"""Takes why a turn was refused after it was taken, and the `id` of the frame that it came with."""

logger = logging.getLogger(__name__)


class Outlet:
    """One socket's place in a session's output.

    Attributes:
        cursor: Number of the last event that was sent.
        displaced, draining, gone: Why its socket must close: too many others, the gateway's end, no such session.
        ended: Why the session ended, once it has; what it said before is sent first.
        hear_refusal: Has its socket tell a refusal.
    """

    def __init__(self, session: SessionRef, cursor: int) -> None:
        self.session = session
        self.cursor = cursor
        self.displaced = False
        self.draining = False
        self.gone = False
        self.ended: str | None = None
        self.hear_refusal: HearRefusal | None = None
        self._events: deque[StreamEvent] = deque(maxlen=bounds.SOCKET_OUTBOX_FRAMES)
        self._news = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether its socket goes on."""
        return not (self.displaced or self.draining or self.gone)

    def offer(self, event: StreamEvent) -> None:
        """Give an event; when too many wait the oldest is dropped, and asked for again when its turn comes."""
        self._events.append(event)
        self._news.set()

    def poke(self) -> None:
        """Have it look whether it is still open."""
        self._news.set()

    async def next(self) -> StreamEvent | None:
        """Return the next event that was given; None when there is something else to look at."""
        if not self._events:
            await self._news.wait()
        self._news.clear()
        return self._events.popleft() if self._events else None


class Feed:
    """The sockets of one session in this gateway."""

    def __init__(self) -> None:
        self.outlets: list[Outlet] = []
        self.following: asyncio.Task[None] | None = None


class Feeds:
    """Runs the turns of sockets and tells every socket of a session what comes of them."""

    def __init__(self, runtime: Runtime, metrics: Metrics) -> None:
        self._runtime = runtime
        self._metrics = metrics
        self._feeds: dict[str, Feed] = {}
        self._turns: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_draining = False
        self._is_empty = asyncio.Event()
        self._is_empty.set()

    def attach(self, session: SessionRef, cursor: int, opens: NewSession | None = None) -> Outlet:
        """Return a new place in a session's output; the oldest of too many is displaced.

        `opens` is as what the session is opened again when it was removed, as nothing had been said in it, before it
        could be followed: a socket that has just left may have done that. Decision: 0060.
        """
        feed = self._feeds.setdefault(session.session_id, Feed())
        outlet = Outlet(session, cursor)
        outlet.draining = self._is_draining
        feed.outlets.append(outlet)
        self._is_empty.clear()
        if feed.following is None or feed.following.done():  # one that has ended was of a session that was gone
            feed.following = self._task(self._tell(feed, session, cursor, opens))
        if len(feed.outlets) > limits.SOCKETS_PER_SESSION:
            oldest = feed.outlets.pop(0)
            oldest.displaced = True
            oldest.poke()
        return outlet

    async def detach(self, outlet: Outlet) -> None:
        """Give a place up; with the last one the session is followed no more."""
        feed = self._feeds.get(outlet.session.session_id)
        if feed is None:
            return
        if outlet in feed.outlets:
            feed.outlets.remove(outlet)
        if not feed.outlets:
            del self._feeds[outlet.session.session_id]
        if not self._feeds:
            self._is_empty.set()
        if not feed.outlets and feed.following is not None:
            feed.following.cancel()
            await asyncio.wait((feed.following,))

    def hearer(self, outlet: Outlet) -> Outlet:
        """Return whose socket is told of refusals: this one's, or where it has left the newest one's of the session."""
        feed = self._feeds.get(outlet.session.session_id)
        return outlet if feed is None or outlet in feed.outlets or not feed.outlets else feed.outlets[-1]

    async def leave_nothing(self, outlet: Outlet) -> None:
        """Remove the session of a socket that has left, if nothing was said in it; another one may be open there.

        What cannot be removed now goes when it has been quiet for too long.
        """
        if outlet.session.session_id in self._feeds or not outlet.is_open or outlet.ended is not None:
            return
        try:
            async with asyncio.timeout(bounds.SOCKET_DISCARD_S):
                await self._runtime.discard_session(outlet.session)
        except (AppError, TimeoutError) as error:
            logger.info("session %s, in which nothing was said, stays for now: %s", outlet.session.session_id, error)

    def waiting(self, session_id: str) -> int:
        """Return how many turns of a session this gateway has under way."""
        return self._turns.get(session_id, 0)

    async def take(self, turn: ChatTurn, report: Report, *, interrupts: bool = False) -> Callable[[], None]:
        """Take a turn: once this returns it will be run, whatever becomes of the socket, the gateway or the session.

        It begins when what is returned is called, or after `SOCKET_ACK_S`: who is told of it is told before it answers.

        Args:
            turn: The turn.
            report: Called with the error when the turn is refused after all, because the session has ended or the like;
                what fails later is an event of the stream.
            interrupts: When it is taken for the first time, what runs is given up before.

        Raises:
            QueueFull: Too many turns of the session wait already.
            AppError: The turn cannot be taken.
        """
        if self.waiting(turn.session_id) > limits.SESSION_QUEUE_TURNS:
            frees_within_s = (
                turn.deadline_s + bounds.TURN_ENDS_S
            )  # how long one takes nobody can tell, only how long it may
            raise QueueFull("Execution queue full", retry_after_ms=math.ceil(frees_within_s * MS_PER_S))
        self._turns[turn.session_id] = self.waiting(turn.session_id) + 1
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        told = asyncio.Event()
        self._task(self._run(turn, report, taken, told, interrupts=interrupts))
        try:
            await asyncio.shield(taken)
        except asyncio.CancelledError:
            taken.cancel()
            told.set()  # the socket has gone; the turn has not
            raise
        return told.set

    async def begin(self, turn: ChatTurn, refused: Callable[[AppError], Awaitable[None]]) -> None:
        """Take a turn whose output nobody waits for: once this returns it will be run, whatever becomes of the gateway.

        Args:
            turn: The turn, with a key.
            refused: Called with the error when the turn is refused after all.

        Raises:
            AppError: The turn cannot be taken.
        """
        output = await self._runtime.accept(turn)
        self._task(self._hear_out(output, refused))

    async def _hear_out(
        self, output: AsyncIterator[StreamEvent], refused: Callable[[AppError], Awaitable[None]]
    ) -> None:
        try:
            async for _event in output:
                pass  # it stands in the store when it is asked for
        except AppError as error:
            await refused(error)

    async def _run(
        self, turn: ChatTurn, report: Report, taken: asyncio.Future[None], told: asyncio.Event, *, interrupts: bool
    ) -> None:
        began_s = perf_counter()
        try:
            output = await self._runtime.accept(turn, interrupts=interrupts)
            if not taken.done():
                taken.set_result(None)
            with suppress(TimeoutError):
                await asyncio.wait_for(told.wait(), bounds.SOCKET_ACK_S)
            async for _event in measured(output, self._metrics, "socket", began_s):
                pass  # what it says comes to all sockets with the session's output
        except AppError as error:
            if taken.done():
                report(error)
            else:
                taken.set_exception(error)
        finally:
            if not taken.done():
                taken.set_exception(Unavailable("The message was not taken: send it again"))
            left = self._turns[turn.session_id] - 1
            if left:
                self._turns[turn.session_id] = left
            else:
                del self._turns[turn.session_id]

    async def _tell(self, feed: Feed, session: SessionRef, after: int, opens: NewSession | None) -> None:
        """Offer the session's output to its sockets, for as long as there are any; look again when it breaks off."""
        has_spoken, reopens_left = False, bounds.SOCKET_REOPENS
        while True:
            try:
                async for event in self._runtime.follow(session, after):
                    after, has_spoken = event.seq, True
                    for outlet in feed.outlets:
                        outlet.offer(event)
            except NotFound:
                if opens is not None and not has_spoken and reopens_left and await self._is_reopened(opens):
                    reopens_left -= 1
                    continue
                self._over(feed, OF_DELETED if has_spoken else None)
                return
            except Conflict:
                self._over(feed, await self._why_it_ended(session))
                return
            except AppError as error:
                logger.info("following session %s broke off: %s", session.session_id, error.message)
            await asyncio.sleep(bounds.SOCKET_FOLLOW_PAUSE_S)

    async def _is_reopened(self, opens: NewSession) -> bool:
        """Open a session again in which nothing was said; return whether it is there. What was deleted is not."""
        try:
            await self._runtime.create_session(opens)
        except AppError as error:
            logger.info("a session in which nothing was said is not opened again: %s", error.message)
            return False
        return True

    def _over(self, feed: Feed, reason: str | None) -> None:
        """Have the sockets of a session close: it ended, or (None) there is no such session."""
        for outlet in feed.outlets:
            outlet.ended, outlet.gone = reason, reason is None
            outlet.poke()

    async def _why_it_ended(self, session: SessionRef) -> str:
        with suppress(NotFound):
            return (await self._runtime.session(session)).end_reason
        return OF_DELETED

    async def follow(self, outlet: Outlet) -> AsyncGenerator[StreamEvent]:
        """Yield output above the outlet's number, each event once and in order, until its socket must close."""
        event: StreamEvent | None = None
        async for missed in self._missed(outlet):
            yield missed
        while outlet.is_open:
            event = await outlet.next()
            if event is None and outlet.ended is not None:
                return
            if event is None or event.seq <= outlet.cursor:
                continue
            if event.seq > outlet.cursor + 1:
                async for missed in self._missed(outlet):
                    yield missed
            if event.seq > outlet.cursor:
                yield event
                outlet.cursor = event.seq

    async def _missed(self, outlet: Outlet) -> AsyncGenerator[StreamEvent]:
        """Yield what the runtime still holds above the outlet's number, to the end of the turn that runs.

        Of a session that is not there it is nothing: what follows the session opens it again, or says that it is gone.
        """
        with suppress(NotFound):
            async for missed in self._runtime.resume(outlet.session, outlet.cursor):
                if missed.seq > outlet.cursor:
                    yield missed
                    outlet.cursor = missed.seq
                if not outlet.is_open:
                    return

    async def drain(self) -> None:
        """Make every socket leave for another gateway, also one that comes yet; wait for that, within the bound."""
        self._is_draining = True
        for feed in self._feeds.values():
            for outlet in feed.outlets:
                outlet.draining = True
                outlet.poke()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._is_empty.wait(), bounds.SOCKET_DRAIN_S)

    async def close(self) -> None:
        """Leave the turns that are under way; the runtime carries them on."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
