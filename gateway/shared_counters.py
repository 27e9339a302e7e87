"""The counters of an instance of several gateways, kept by the coordination store."""

from __future__ import annotations

from gateway.counters import MS_PER_S, Taken
from storage.coordination import Allowance, Coordination


class SharedCounters:
    """Counters that every gateway sees. While the store is away everything is let through."""

    def __init__(self, coordination: Coordination) -> None:
        self._coordination = coordination

    async def take(self, key: str, *, per_s: float, burst: int) -> Taken:
        """Take one unit from a bucket of `burst` that fills at `per_s`."""
        return _taken(await self._coordination.take_token(key, per_s=per_s, burst=burst), burst)

    async def count(self, key: str, *, limit: int, window_s: float) -> Taken:
        """Count one unit in a window that slides."""
        window_ms = int(window_s * MS_PER_S)
        return _taken(await self._coordination.count_in_window(key, limit=limit, window_ms=window_ms), limit)

    async def once(self, key: str, *, ttl_s: float) -> bool:
        """Return True the first time `key` is shown; raises Unavailable while the store is away."""
        return await self._coordination.lock(key, ttl_ms=int(ttl_s * MS_PER_S)) is not None


def _taken(allowance: Allowance, limit: int) -> Taken:
    return Taken(
        allowed=allowance.is_allowed,
        limit=limit,
        remaining=allowance.remaining,
        reset_s=allowance.reset_after_ms / MS_PER_S,
        retry_after_ms=allowance.retry_after_ms,
    )
