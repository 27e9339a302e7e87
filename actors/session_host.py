"""Many grains in one process: wake them, count them, let idle ones go, drain, stop.

The host holds one lease; a session it serves names it as its owner. A host that lost its lease drops every grain at
once: what they would still write is refused by the store anyway.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from actors.dozing import LOOK_S, Dozing
from actors.grain import Grain
from actors.looping import again_and_again
from actors.messages import (
    Done,
    Failed,
    Follow,
    ForgetSession,
    HostAnswer,
    HostMessage,
    HostStats,
    Look,
    RunTurn,
    Viewed,
)
from actors.router import DRAINING, session_of, tenant_of
from actors.session.body import SessionBody
from actors.session.failing import store_failure
from actors.session.services import Services
from actors.session.store import StoreLost
from actors.session.stream import Listener, NotHeld
from actors.session.views import view_of
from actors.settings import HostLimits
from domain.errors import AppError

log = logging.getLogger(__name__)

PAGE_BYTES = 4_096
DRAIN_S = 30.0
"""How long running turns may go on after a drain has begun."""
FULL_RETRY_MS = 500
QUEUE_FULL = "Execution queue full"
UNKNOWN = "NotFound"
OVER = Failed(kind="Conflict", message="Session has ended", details={"reason": "SESSION_ENDED"})
CUT = Failed(kind="Unavailable", message="The stream was cut off.", moved=True)
PARKED_S = 60.0
"""How long somebody who follows a sleeping session is kept before he has to ask again: it may have moved."""
UNUSED_S = 30.0
"""How long a host that is there for one session waits for its first message."""
WAKING = Done(note="waking")
"""Told to who follows a session that is being loaded: to be asked again in a moment, not to be kept for a minute."""
LEAVES = Failed(kind="Unavailable", message="The host is draining.", moved=True, details={DRAINING: True})
GiveBack = Callable[[Sequence[tuple[str, str]]], Awaitable[None]]
"""Has the store know that these sessions, each named by tenant and id, may be claimed by anybody."""


class SessionHost:
    """The sessions of one process. Satisfies `actors.hosts.port.Host`."""

    def __init__(
        self,
        host_id: str,
        services: Services,
        limits: HostLimits | None = None,
        give_back: GiveBack | None = None,
    ) -> None:
        self._host_id = host_id
        self._services = services
        self._limits = limits or HostLimits()
        self._give_back = give_back
        self._grains: dict[str, Grain] = {}
        self._dozing = Dozing()
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._parked: dict[str, asyncio.Future[None]] = {}
        self._busy = 0
        self._under_way: Counter[str] = Counter()
        self._draining = False
        self._started_s = time.monotonic()
        self._was_used = False
        self._loops: tuple[asyncio.Task[None], ...] = ()

    @property
    def host_id(self) -> str:
        """The id under which the host holds its lease."""
        return self._host_id

    def start(self) -> None:
        """Begin to pack quiet sessions and to let idle ones go."""
        create_task = asyncio.get_running_loop().create_task
        self._loops = (
            create_task(again_and_again("quiet sessions cannot be let go", self._limits.sweep_s, self._sweep)),
            create_task(again_and_again("quiet sessions cannot be packed", LOOK_S, self._pack)),
        )

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Hand a message to its session and return the answer."""
        session_id = session_of(message)
        grain = self._grains.get(session_id)
        if isinstance(message, Follow | Look):
            answer = await _seen(grain, message, listener) if grain is not None else None
            if answer is not None:
                if grain is not None:
                    self._dozing.used(grain)
                return answer
            if isinstance(message, Follow) and message.endless:
                return WAKING if grain is not None and grain.is_busy else await self._park(session_id)
        if grain is None and (leaving := self._leaving.get(session_id)) is not None:
            await asyncio.wait([leaving])
            grain = self._grains.get(session_id)
        if grain is None:
            if self._draining:
                return LEAVES
            refused = self._make_room()
            if refused is not None:
                return refused
            grain = self._grains[session_id] = Grain(session_id, self._body(session_id, message))
        elif self._draining and isinstance(message, RunTurn):
            return LEAVES
        if (refused := self._too_much()) is not None:
            return refused
        self._wake_followers(session_id)
        self._busy += 1
        self._under_way[session_id] += 1
        self._was_used = True
        try:
            answer = await grain.ask(message, listener)
        finally:
            self._busy -= 1
            self._under_way[session_id] -= 1
            if not self._under_way[session_id]:
                del self._under_way[session_id]
            self._dozing.used(grain)
        is_over = isinstance(answer, Failed) and (answer.moved or (answer.kind == UNKNOWN and grain.body.live is None))
        if grain.is_broken or is_over or isinstance(message, ForgetSession):
            self._drop(session_id, grain)
        if isinstance(message, Follow) and isinstance(answer, Done):
            return await _seen(grain, message, listener) or answer
        return answer

    def _too_much(self) -> Failed | None:
        """Return the refusal of a message when too many are under way, or wait behind others of their sessions."""
        if self._busy >= self._limits.max_at_once:
            return Failed(kind="Overloaded", message="The host is at its capacity.", retry_after_ms=FULL_RETRY_MS)
        if self._busy - len(self._under_way) >= self._limits.max_waiting:  # all but one of each session wait
            return Failed(kind="QueueFull", message=QUEUE_FULL, retry_after_ms=FULL_RETRY_MS)
        return None

    def stats(self) -> HostStats:
        """Return what the host carries now."""
        busy = [grain for grain in self._grains.values() if grain.is_busy]
        return HostStats(
            host_id=self._host_id,
            live_sessions=len(self._grains),
            running_turns=len(busy),
            waiting_turns=sum(grain.waiting for grain in busy),
            draining=self._draining,
            rss_bytes=resident_bytes(),
        )

    def is_unused(self) -> bool:
        """Whether no session is awake that could go on: none has come in time, they sleep, or all have ended."""
        if not self._was_used:
            return time.monotonic() - self._started_s >= UNUSED_S
        return not any(grain.is_busy or not _has_ended(grain) for grain in self._grains.values())

    def lose_everything(self) -> None:
        """The lease is gone: break off every turn and forget every session."""
        grains, self._grains = self._grains, {}
        self._dozing.clear()
        for grain in grains.values():
            grain.turn_away(Failed(kind="Unavailable", message="The host lost its lease.", moved=True))
            grain.body.interrupt(ForgetSession.__name__)
            if not grain.is_busy:
                grain.body.fall_asleep()

    def close(self) -> None:
        """Do nothing: whoever asks is in this process."""

    @property
    def is_draining(self) -> bool:
        """Whether nothing new is taken any more."""
        return self._draining

    def begin_drain(self) -> None:
        """Wake nothing new from now on."""
        self._draining = True

    async def drain(self, within_s: float = DRAIN_S) -> None:
        """Let running turns finish within a time and give every session back as soon as it is quiet."""
        self.begin_drain()
        for grain in self._grains.values():
            grain.turn_away(LEAVES)
        busy = [grain for grain in self._grains.values() if grain.is_busy]
        self._let_go([grain for grain in self._grains.values() if not grain.is_busy])
        if busy:
            try:
                async with asyncio.timeout(within_s):
                    await asyncio.gather(*(self._see_out(grain) for grain in busy))
            except TimeoutError:
                log.warning("some turns did not end within %s s; they go on elsewhere", within_s)
        if self._leaving:
            await asyncio.wait(set(self._leaving.values()))
        self.lose_everything()

    async def stop(self) -> None:
        """End the loops; sessions that are awake are forgotten."""
        self.lose_everything()
        for loop in self._loops:
            loop.cancel()
        if self._loops:
            await asyncio.wait(self._loops)

    def sweep(self) -> int:
        """Let sessions go that have been quiet for long, or for a while under memory pressure; return how many."""
        now_s = time.monotonic()
        quiet = sorted(
            (grain for grain in self._grains.values() if not grain.is_busy), key=lambda grain: grain.last_used_s
        )
        gone = [grain for grain in quiet if now_s - grain.last_used_s >= self._limits.idle_s]
        if not gone and resident_bytes() > self._limits.pressure_bytes:
            gone = quiet[: (len(quiet) + 1) // 2]
        self._let_go(gone)
        return len(gone)

    def pack(self) -> int:
        """Pack sessions that have been quiet for a while; return how many."""
        return self._dozing.pack()

    async def _park(self, session_id: str) -> HostAnswer:
        """Keep somebody who follows a sleeping session until it wakes, at most for `PARKED_S`; he asks again then."""
        parked = self._parked.get(session_id)
        if parked is None:
            parked = self._parked[session_id] = asyncio.get_running_loop().create_future()
        await asyncio.wait([parked], timeout=PARKED_S)
        if self._parked.get(session_id) is parked:
            del self._parked[session_id]
            parked.set_result(None)  # the others ask again too: nobody's time is up much later
        return Done(note="asleep")

    def _wake_followers(self, session_id: str) -> None:
        parked = self._parked.pop(session_id, None)
        if parked is not None and not parked.done():
            parked.set_result(None)

    def _body(self, session_id: str, message: HostMessage) -> SessionBody:
        return SessionBody(tenant_of(message), session_id, self._services)

    def _make_room(self) -> Failed | None:
        if len(self._grains) < self._limits.max_sessions or self.sweep():
            return None
        quiet = min(
            (grain for grain in self._grains.values() if not grain.is_busy),
            key=lambda grain: grain.last_used_s,
            default=None,
        )
        if quiet is None:
            return Failed(kind="Overloaded", message="The host is at its capacity.", retry_after_ms=1_000)
        self._let_go([quiet])
        return None

    async def _see_out(self, grain: Grain) -> None:
        await grain.settle()
        self._let_go([grain])

    def _let_go(self, grains: Sequence[Grain]) -> None:
        """Have quiet sessions fall asleep; whoever is asked for one next may claim it."""
        quiet = [one for one in grains if not one.is_busy and self._grains.get(one.session_id) is one]
        for grain in quiet:
            self._drop(grain.session_id, grain)
        if quiet and self._give_back is not None:
            leaving = asyncio.get_running_loop().create_task(self._return_sessions(quiet))
            for grain in quiet:
                self._leaving[grain.session_id] = leaving

    async def _return_sessions(self, grains: Sequence[Grain]) -> None:
        try:
            if self._give_back is not None:
                await self._give_back([(grain.body.tenant_id, grain.session_id) for grain in grains])
        except AppError as error:
            log.warning("%s sessions could not be given back: %s", len(grains), error.message)
        finally:
            for grain in grains:
                self._leaving.pop(grain.session_id, None)

    def _drop(self, session_id: str, grain: Grain) -> None:
        if self._grains.get(session_id) is grain and not grain.is_busy:
            grain.body.fall_asleep()
            self._dozing.forget(session_id)
            del self._grains[session_id]

    async def _sweep(self) -> None:
        self.sweep()
        self._dozing.let_output_go()

    async def _pack(self) -> None:
        self.pack()


async def _seen(grain: Grain, message: Follow | Look, listener: Listener | None) -> HostAnswer | None:
    """Answer from a session that is awake, also while its turn runs; None when it sleeps."""
    live = grain.body.live
    if live is None:
        return None
    if isinstance(message, Look):
        known = live.pin.tenant_id == message.tenant_id and live.pin.project_id == message.project_id
        return Viewed(view=view_of(live)) if known else Failed(kind="NotFound", message="Session not found")
    if listener is None:
        return Done()
    try:
        over = live.stream.listen(listener, message.after, endless=message.endless)
    except NotHeld:
        try:
            await grain.body.recall(message.after)
        except StoreLost as lost:
            return store_failure(lost)
        if grain.body.live is not live:
            return CUT  # it has been let go of meanwhile
        over = live.stream.listen(listener, message.after, endless=message.endless, gaps=True)
    if message.endless and live.status == "ended":
        over.cancel()
        return OVER
    kept_up = await over
    return Done() if kept_up or message.endless else CUT


def _has_ended(grain: Grain) -> bool:
    live = grain.body.live
    return live is None or live.status == "ended"


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0
