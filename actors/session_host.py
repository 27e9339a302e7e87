"""Many grains in one process: wake them, count them, let idle ones go, drain, stop.

The host holds one lease; a session it serves names it as its owner. A host that lost its lease drops every grain at
once: what they would still write is refused by the store anyway.
"""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path

from msgspec import Struct

from actors.grain import Grain
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
from actors.router import session_of, tenant_of
from actors.session.body import SessionBody
from actors.session.services import Services
from actors.session.stream import Listener, NotHeld
from actors.session.views import view_of

log = logging.getLogger(__name__)

PAGE_BYTES = 4_096
DRAIN_S = 30.0
"""How long running turns may go on after a drain has begun."""


class HostLimits(Struct, frozen=True):
    """What one host carries.

    Attributes:
        idle_s: A session that has been quiet for so long is let go.
        pressure_bytes: Resident memory above which quiet sessions are let go early, the longest quiet first.
    """

    max_sessions: int = 20_000
    max_waiting: int = 5_000
    idle_s: float = 300.0
    sweep_s: float = 5.0
    pressure_bytes: int = 2 * 1024**3


class SessionHost:
    """The sessions of one process. Satisfies `actors.hosts.port.Host`."""

    def __init__(self, host_id: str, services: Services, limits: HostLimits | None = None) -> None:
        self._host_id = host_id
        self._services = services
        self._limits = limits or HostLimits()
        self._grains: dict[str, Grain] = {}
        self._busy = 0
        self._draining = False
        self._sweeper: asyncio.Task[None] | None = None

    @property
    def host_id(self) -> str:
        """The id under which the host holds its lease."""
        return self._host_id

    def start(self) -> None:
        """Begin to let idle sessions go."""
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep_now_and_then())

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Hand a message to its session and return the answer."""
        session_id = session_of(message)
        grain = self._grains.get(session_id)
        if (
            isinstance(message, Follow | Look)
            and grain is not None
            and (answer := await _seen(grain, message, listener))
        ):
            return answer
        if grain is None:
            if self._draining:
                return Failed(kind="Unavailable", message="The host is draining.", moved=True)
            refused = self._make_room()
            if refused is not None:
                return refused
            grain = self._grains[session_id] = Grain(session_id, self._body(session_id, message))
        elif self._draining and isinstance(message, RunTurn):
            return Failed(kind="Unavailable", message="The host is draining.", moved=True)
        if self._busy >= self._limits.max_waiting:
            return Failed(kind="Overloaded", message="The host is at its capacity.", retry_after_ms=500)
        self._busy += 1
        try:
            answer = await grain.ask(message, listener)
        finally:
            self._busy -= 1
        if grain.is_broken or (isinstance(answer, Failed) and answer.moved) or isinstance(message, ForgetSession):
            self._drop(session_id, grain)
        if isinstance(message, Follow) and isinstance(answer, Done):
            return await _seen(grain, message, listener) or answer
        return answer

    def stats(self) -> HostStats:
        """Return what the host carries now."""
        waiting = sum(grain.waiting for grain in self._grains.values() if grain.is_busy)
        return HostStats(
            host_id=self._host_id,
            live_sessions=len(self._grains),
            running_turns=sum(1 for grain in self._grains.values() if grain.is_busy),
            waiting_turns=waiting,
            draining=self._draining,
            rss_bytes=resident_bytes(),
        )

    def lose_everything(self) -> None:
        """The lease is gone: break off every turn and forget every session."""
        grains, self._grains = self._grains, {}
        for grain in grains.values():
            grain.turn_away(Failed(kind="Unavailable", message="The host lost its lease.", moved=True))
            grain.body.interrupt(ForgetSession.__name__)
            if not grain.is_busy:
                grain.body.fall_asleep()

    async def drain(self) -> None:
        """Wake nothing new, let running turns finish within `DRAIN_S`, then let go of all sessions."""
        self._draining = True
        for grain in self._grains.values():
            grain.turn_away(Failed(kind="Unavailable", message="The host is draining.", moved=True))
        busy = [grain.settle() for grain in self._grains.values() if grain.is_busy]
        if busy:
            try:
                async with asyncio.timeout(DRAIN_S):
                    await asyncio.gather(*busy)
            except TimeoutError:
                log.warning("some turns did not end within %s s; they go on elsewhere", DRAIN_S)
        self.lose_everything()

    async def stop(self) -> None:
        """End the sweeper; sessions that are awake are forgotten."""
        self.lose_everything()
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait([self._sweeper])

    def sweep(self) -> int:
        """Let sessions go that have been quiet for long, or for a while under memory pressure; return how many."""
        now_s = time.monotonic()
        quiet = sorted(
            (grain for grain in self._grains.values() if not grain.is_busy), key=lambda grain: grain.last_used_s
        )
        gone = [grain for grain in quiet if now_s - grain.last_used_s >= self._limits.idle_s]
        if not gone and resident_bytes() > self._limits.pressure_bytes:
            gone = quiet[: (len(quiet) + 1) // 2]
        for grain in gone:
            self._drop(grain.session_id, grain)
        return len(gone)

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
        self._drop(quiet.session_id, quiet)
        return None

    def _drop(self, session_id: str, grain: Grain) -> None:
        if self._grains.get(session_id) is grain and not grain.is_busy:
            grain.body.fall_asleep()
            del self._grains[session_id]

    async def _sweep_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(self._limits.sweep_s)
            self.sweep()


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
        kept_up = await live.stream.listen(listener, message.after)
    except NotHeld:
        return Done(note="not held")
    return Done() if kept_up else Failed(kind="Unavailable", message="The stream was cut off.", moved=True)


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0
