"""When a host on a cluster has been left by all gateways: they were gone for so long, by looks that came without a gap.

It costs nothing: a host reads all leases once a second anyway, and those of the gateways stand among them. That a lease
holds is said by the database's clock; for how long none has held is counted by a clock of the host that only rises, so
that a leap of the other one ends no host. A look that does not come, because the database is away or the host was
frozen, says nothing of the gateways, and the count begins anew. Decision: 0061.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from actors.peers import PREFIX
from storage.leases import HostRow

GAP_S: Final = 10.0
"""Looks come every second; after so long without one nothing is known of the time between."""


class Abandonment:
    """How long no gateway has been there, for one host."""

    def __init__(
        self, after_s: float, on_abandoned: Callable[[], None], seconds: Callable[[], float] = time.monotonic
    ) -> None:
        """`on_abandoned` is called when no gateway has held a lease for `after_s`, and at every look after that."""
        self._after_s = after_s
        self._on_abandoned = on_abandoned
        self._seconds = seconds
        self._looked_at_s = -GAP_S
        self._absent_since_s: float | None = None

    def see(self, rows: Sequence[HostRow]) -> None:
        """Take note of the leases that hold now."""
        now_s = self._seconds()
        has_gap, self._looked_at_s = now_s - self._looked_at_s > GAP_S, now_s
        if any(row.host_id.startswith(PREFIX) for row in rows):
            self._absent_since_s = None
            return
        if self._absent_since_s is None or has_gap:
            self._absent_since_s = now_s
        if now_s - self._absent_since_s >= self._after_s:
            self._on_abandoned()
