"""How often a tool may be called: the generic cell rate algorithm, per process. Pure but for its memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

MAX_LIMITERS: Final = 4_096
SECONDS_PER_MINUTE: Final = 60.0


class RateLimits:
    """When each key may be used again; those not used for longest are forgotten."""

    def __init__(self) -> None:
        self._next_s: OrderedDict[str, float] = OrderedDict()

    def wait_s(self, key: str, per_minute: float, now_s: float) -> float:
        """Return 0 and count one use when `key` may be used now, else the seconds until it may.

        A minute's worth may be used at once; after that uses come back evenly.
        """
        if per_minute <= 0:
            return SECONDS_PER_MINUTE
        interval_s = SECONDS_PER_MINUTE / per_minute
        arrival_s = max(self._next_s.get(key, now_s), now_s)
        early_s = arrival_s + interval_s - now_s - max(SECONDS_PER_MINUTE, interval_s)
        if early_s > 1e-9:
            return early_s
        self._next_s[key] = arrival_s + interval_s
        self._next_s.move_to_end(key)
        if len(self._next_s) > MAX_LIMITERS:
            self._next_s.popitem(last=False)
        return 0.0
