"""Percentiles and rates: pure arithmetic over plain numbers, used wherever figures are told."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the value below or at which `share` (0..1) of the values lie, by the nearest rank; None of no values.

    >>> percentile([30, 10, 20], 0.95)
    30
    """
    if not values:
        return None
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1]


def mean(values: Sequence[float]) -> float | None:
    """Return the average; None of no values.

    >>> mean([1, 2])
    1.5
    """
    return sum(values) / len(values) if values else None


def rate(part: int, whole: int) -> float | None:
    """Return `part` of `whole` as 0..1; None when nothing was counted.

    >>> rate(1, 4)
    0.25
    """
    return part / whole if whole else None


def total_usd(costs: Sequence[float | None]) -> float | None:
    """Return what calls cost together, as far as prices are known; None when none of them is, 0 of no calls.

    >>> total_usd([0.5, None])
    0.5
    """
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known or not costs else None
