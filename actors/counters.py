"""Counting what callers use: the port, and the counters of one process, for an instance without a shared store.

Loss of these counts is harmless by design: they start again at zero.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

from domain.clock import Clock

MS_PER_S = 1000
KEYS_HELD: Final = 100_000
Kept = TypeVar("Kept")

Sample = tuple[str, dict[str, str], float]
"""Name, labels and value of one number that is told to Prometheus."""


class Taken(NamedTuple):
    """What came of asking for one unit.

    Attributes:
        allowed: Whether it was given.
        limit: Units in all.
        remaining: Units left after this one.
        reset_s: Seconds until all units are there again.
        retry_after_ms: When refused, how long until one is there.
    """

    allowed: bool
    limit: int
    remaining: int
    reset_s: float
    retry_after_ms: int = 0


class Counters(Protocol):
    """Counts units by key."""

    async def take(self, key: str, *, per_s: float, burst: int) -> Taken:
        """Take one unit from a bucket of `burst` that fills at `per_s`."""
        ...

    async def count(self, key: str, *, limit: int, window_s: float) -> Taken:
        """Count one unit in a window that slides; refused ones are not counted."""
        ...

    async def look(self, key: str, *, limit: int, window_s: float) -> Taken:
        """Return whether a sliding window has room for one more unit; counts nothing."""
        ...

    async def add(self, key: str, units: int, *, window_s: float) -> None:
        """Count units of a sliding window that are used already, whatever its limit."""
        ...

    async def once(self, key: str, *, ttl_s: float) -> bool:
        """Return True the first time `key` is shown within `ttl_s`. Raises Unavailable."""
        ...

    async def is_reachable(self) -> bool:
        """Return whether `once` can answer."""
        ...

    def numbers(self) -> Sequence[Sample]:
        """Return what the metrics tell of the counters."""
        ...

    async def close(self) -> None:
        """End what counts in the background."""
        ...


LEAP_S = 60.0
"""A bucket that is full only so long after it could be was filled by a clock that had leapt; it counts as full."""


class Window(NamedTuple):
    """Units of the window that began at `began` (in whole windows since the epoch) and of the one before."""

    began: int
    before: int
    now: int


class LocalCounters:
    """Counters of this process. The least recently used of more than `held` keys are forgotten."""

    def __init__(self, clock: Clock, *, held: int = KEYS_HELD) -> None:
        self._clock = clock
        self._held = held
        self._full_at: OrderedDict[str, float] = OrderedDict()
        self._windows: OrderedDict[str, Window] = OrderedDict()
        self._shown: OrderedDict[str, float] = OrderedDict()

    async def take(self, key: str, *, per_s: float, burst: int) -> Taken:
        """Take one unit from a bucket; kept as the moment at which the bucket will be full again."""
        now = self._clock.now().timestamp()
        lacking_s = max(self._full_at.get(key, now) - now, 0.0)
        if lacking_s > burst / per_s + LEAP_S:  # told by a clock that had leapt
            lacking_s = 0.0
        after_s = lacking_s + 1 / per_s
        if after_s > burst / per_s:
            return Taken(False, burst, 0, lacking_s, math.ceil((after_s - burst / per_s) * MS_PER_S))
        self._keep(self._full_at, key, now + after_s)
        return Taken(True, burst, int(burst - after_s * per_s), after_s)

    async def count(self, key: str, *, limit: int, window_s: float) -> Taken:
        """Count one unit; the window before counts by the share of it that is still within `window_s`."""
        taken = await self.look(key, limit=limit, window_s=window_s)
        if not taken.allowed:
            return taken
        await self.add(key, 1, window_s=window_s)
        return taken._replace(remaining=taken.remaining - 1)

    async def look(self, key: str, *, limit: int, window_s: float) -> Taken:
        """Return whether there is room for one more unit."""
        began, passed = divmod(self._clock.now().timestamp(), window_s)
        window = self._window(key, int(began))
        used = window.before * (1 - passed / window_s) + window.now
        if used + 1 > limit:
            return Taken(False, limit, 0, window_s - passed, _until_free_ms(window, limit, passed, window_s))
        return Taken(True, limit, int(limit - used), window_s - passed)

    async def add(self, key: str, units: int, *, window_s: float) -> None:
        """Count units of the window that is now."""
        window = self._window(key, self.window_of(window_s))
        self._keep(self._windows, key, window._replace(now=window.now + units))

    async def once(self, key: str, *, ttl_s: float) -> bool:
        """Return True the first time."""
        now = self._clock.now().timestamp()
        if self._shown.get(key, 0.0) > now:
            return False
        self._keep(self._shown, key, now + ttl_s)
        return True

    async def is_reachable(self) -> bool:
        """Return True: it is here."""
        return True

    def numbers(self) -> Sequence[Sample]:
        """Return nothing: there is nothing that can be away."""
        return ()

    async def close(self) -> None:
        """Do nothing."""

    def window_of(self, window_s: float) -> int:
        """Return the number of the window that is now."""
        return int(self._clock.now().timestamp() // window_s)

    def correct_bucket(self, key: str, full_in_s: float) -> None:
        """Set when a bucket will be full, as somebody knows who sees more."""
        self._keep(self._full_at, key, self._clock.now().timestamp() + full_in_s)

    def correct_window(self, key: str, window: Window) -> None:
        """Set the counts of a window, as somebody knows who sees more; one that is over is left as it was."""
        if self._windows.get(key, window).began <= window.began:
            self._keep(self._windows, key, window)

    def _window(self, key: str, began: int) -> Window:
        window = self._windows.get(key, Window(0, 0, 0))
        if window.began == began:
            return window
        return Window(began, window.now if window.began == began - 1 else 0, 0)

    def _keep(self, kept: OrderedDict[str, Kept], key: str, value: Kept) -> None:
        kept[key] = value
        kept.move_to_end(key)
        if len(kept) > self._held:
            kept.popitem(last=False)


def _until_free_ms(window: Window, limit: int, passed: float, window_s: float) -> int:
    """Return when the sliding count has room for one more, if nobody else takes it; never too early.

    While this window alone is full that is in the next one, in which what is counted now slides out in its turn.
    """
    sliding, staying, began_s = window.before, window.now, 0.0
    if staying + 1 > limit:
        sliding, staying, began_s = window.now, 0, window_s
    share = (limit - 1 - staying) / sliding if sliding else 1.0
    wait_s = began_s + window_s * (1 - min(share, 1.0)) - passed
    return max(1, math.ceil(wait_s * MS_PER_S) + 1)  # one more: a share has no last digit
