"""How many sessions a tenant has at once: those that the store counts, and those begun here that it may not count yet.

Spec: platform-api 2.5. The count is believed for a moment, so that not every session costs one; a burst within that
moment is counted here. Near the limit the store is asked again. Gateways do not know what the others have begun within
that moment: with several of them a burst may go beyond the limit by what the others let in meanwhile.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from domain.clock import Clock
from gateway import bounds
from gateway.auth.remembered import Remembered

CountActive = Callable[[str], Awaitable[int | None]]
"""Tenant id -> its active sessions; None when that is not known here."""


class _Counted(NamedTuple):
    at_s: float
    active: int


class SessionRoom:
    """Lets sessions begin while there is room for them."""

    def __init__(self, count_active: CountActive, clock: Clock) -> None:
        self._count_active = count_active
        self._clock = clock
        self._counts = Remembered(self._count, clock, believed_s=bounds.CONCURRENCY_RECHECK_S, held=bounds.TENANTS_HELD)
        self._begun: OrderedDict[str, deque[float]] = OrderedDict()

    async def enter(self, tenant_id: str, limit: int) -> bool:
        """Note that a session begins and return True; False when the tenant has `limit` of them."""
        has_room, counted_at_s = await self._has_room(tenant_id, limit)
        if not has_room and self._now_s() - counted_at_s >= bounds.CONCURRENCY_RECOUNT_S:
            self._counts.forget(tenant_id)
            has_room, _ = await self._has_room(tenant_id, limit)
        if has_room:
            self._begun_of(tenant_id).append(self._now_s())
        return has_room

    async def _has_room(self, tenant_id: str, limit: int) -> tuple[bool, float]:
        """Return whether one more may begin, and when the store counted for it, in seconds since the epoch."""
        counted = await self._counts.find(tenant_id)
        assert counted is not None
        begun = self._begun_of(tenant_id)
        while begun and begun[0] < counted.at_s - bounds.SESSION_APPEARS_S:
            begun.popleft()
        return counted.active + len(begun) < limit, counted.at_s

    def _begun_of(self, tenant_id: str) -> deque[float]:
        begun = self._begun.setdefault(tenant_id, deque())
        self._begun.move_to_end(tenant_id)
        if len(self._begun) > bounds.TENANTS_HELD:
            self._begun.popitem(last=False)
        return begun

    async def _count(self, tenant_id: str) -> _Counted:
        at_s = self._now_s()
        return _Counted(at_s, await self._count_active(tenant_id) or 0)

    def _now_s(self) -> float:
        return self._clock.now().timestamp()
