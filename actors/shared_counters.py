"""The counters of an instance of several gateways and hosts: each counts by itself and tells the others by the store.

A request never waits for the store. What was let through since the last time is told every `SYNC_S`, and the answer
corrects the local count; so processes together let through at most what each passes in that time beyond a limit.
While the store is away each process keeps limiting by what it sees itself, and `abl_rate_store_up` is 0: neither is
everything refused nor everything let through. What must be exact (a ticket is used once) asks the store and fails.
Decision: 0007. Spec: platform-api 2.5.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from actors.counters import MS_PER_S, LocalCounters, Sample, Taken, Window
from actors.looping import again_and_again
from domain.clock import Clock
from storage.coordination import Coordination, Counted, Spent

SYNC_S: Final = 0.1
"""How often processes tell one another what they let through; how far a limit can be passed is what fits in there."""
logger = logging.getLogger(__name__)


class SharedCounters:
    """Counters that every process sees."""

    def __init__(self, coordination: Coordination, clock: Clock, *, sync_s: float = SYNC_S) -> None:
        self._coordination = coordination
        self._local = LocalCounters(clock)
        self._sync_s = sync_s
        self._spent: dict[str, Spent] = {}
        self._counted: dict[str, Counted] = {}
        self._work = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None
        self._is_up = True
        self._failures = 0

    async def take(self, key: str, *, per_s: float, burst: int) -> Taken:
        """Take one unit from a bucket of `burst` that fills at `per_s`."""
        taken = await self._local.take(key, per_s=per_s, burst=burst)
        if taken.allowed:
            known = self._spent.get(key)
            count = known.count + 1 if known is not None else 1
            self._spent[key] = Spent(key, count, MS_PER_S / per_s, burst * MS_PER_S / per_s)
            self._wake()
        return taken

    async def count(self, key: str, *, limit: int, window_s: float) -> Taken:
        """Count one unit in a window that slides."""
        taken = await self._local.count(key, limit=limit, window_s=window_s)
        if taken.allowed:
            self._note(key, 1, window_s)
        return taken

    async def look(self, key: str, *, limit: int, window_s: float) -> Taken:
        """Return whether there is room for one more unit, as far as is known here; ask what the others have counted."""
        self._note(key, 0, window_s)
        return await self._local.look(key, limit=limit, window_s=window_s)

    async def add(self, key: str, units: int, *, window_s: float) -> None:
        """Count units that are used already."""
        await self._local.add(key, units, window_s=window_s)
        self._note(key, units, window_s)

    async def once(self, key: str, *, ttl_s: float) -> bool:
        """Return True the first time `key` is shown; raises Unavailable while the store is away."""
        return await self._coordination.first(key, ttl_ms=int(ttl_s * MS_PER_S))

    async def is_reachable(self) -> bool:
        """Return whether `once` can answer."""
        return await self._coordination.is_there()

    def numbers(self) -> Sequence[Sample]:
        """Return whether limits hold over all processes now, and how often they could not be told."""
        return (
            ("abl_rate_store_up", {}, float(self._is_up)),
            ("abl_rate_store_failures_total", {}, float(self._failures)),
        )

    async def close(self) -> None:
        """Tell what is left and end."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)
            self._telling = None
            await self.tell()

    async def tell(self) -> None:
        """Tell what was let through since the last time, and take over what the others let through.

        Of a window that was only looked at nothing is told, but what the others let through comes all the same.
        """
        spent, self._spent = list(self._spent.values()), {}
        counted, self._counted = list(self._counted.values()), {}
        reached = await self._tell_spent(spent) if spent else True
        if counted:
            reached = await self._tell_counted(counted) and reached
        self._failures += not reached
        if reached is not self._is_up:
            self._is_up = reached
            logger.warning("rate limits hold %s", "over all processes again" if reached else "per process: no store")

    async def _tell_spent(self, spent: list[Spent]) -> bool:
        lacking = await self._coordination.spend(spent)
        for one, lacking_ms in zip(spent, lacking or (), strict=False):
            since = self._spent.get(one.key)
            unsaid_ms = since.count * since.every_ms if since is not None else 0.0
            self._local.correct_bucket(one.key, (lacking_ms + unsaid_ms) / MS_PER_S)
        return lacking is not None

    async def _tell_counted(self, counted: list[Counted]) -> bool:
        counts = await self._coordination.add(counted)
        for one, (now, before) in zip(counted, counts or (), strict=False):
            since = self._counted.get(one.key)
            unsaid = since.count if since is not None and since.window == one.window else 0
            self._local.correct_window(one.key, Window(one.window, before, now + unsaid))
        return counts is not None

    def _note(self, key: str, units: int, window_s: float) -> None:
        window = self._local.window_of(window_s)
        known = self._counted.get(key)
        count = known.count + units if known is not None and known.window == window else units
        self._counted[key] = Counted(key, count, window, int(window_s * MS_PER_S))
        self._wake()

    def _wake(self) -> None:
        if not self._work.is_set():
            self._work.set()
            if self._telling is None or self._telling.done():
                telling = again_and_again("rates are not shared", self._sync_s, self._tell_what_is_new)
                self._telling = asyncio.get_running_loop().create_task(telling)

    async def _tell_what_is_new(self) -> None:
        await self._work.wait()
        self._work.clear()
        await self.tell()
