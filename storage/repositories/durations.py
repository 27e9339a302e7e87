"""Many durations in one value: four bytes each, in the order of the network, and what lies at a rank of them."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Sequence

SORTED_BYTES = 1 << 14
PIECE_BYTES = 1 << 18
"""How much is counted at once: other threads go on between two pieces."""
INTEGER = "i"
PERCENT = 100


def packed(values: Sequence[int]) -> bytes:
    """Return durations as one value."""
    found = array(INTEGER, values)
    if sys.byteorder == "little":
        found.byteswap()
    return found.tobytes()


def at_rank(raw: bytes, percent: int) -> int | None:
    """Return the duration at or below which this share of all lie, by the nearest rank; None of no durations.

    Few are sorted. Many are counted: there are millions of them, and few thousand that differ.

    >>> at_rank(packed([30, 10, 20]), 95)
    30
    """
    if len(raw) <= SORTED_BYTES:
        ordered = sorted(_unpacked(raw))
        return ordered[-(-len(ordered) * percent // PERCENT) - 1] if ordered else None
    counts: Counter[int] = Counter()
    for start in range(0, len(raw), PIECE_BYTES):
        counts.update(_unpacked(raw[start : start + PIECE_BYTES]))
    left = -(-counts.total() * percent // PERCENT)
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    return None


def _unpacked(raw: bytes) -> array[int]:
    found = array(INTEGER, raw)
    if sys.byteorder == "little":
        found.byteswap()
    return found
