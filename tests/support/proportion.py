"""Whether work grows with its text and not faster: a ratio of two sizes, as a time alone says nothing on another machine."""

from __future__ import annotations

from benchmarks.scaling import Sized, Work, doubled_for_sure

LENIENT = 3.0
"""What the default run asks of one of several tries: a square gives 4, and small sizes on a busy machine are noisy."""


def grows_in_proportion(work: Work, shape: Sized, last: int) -> None:
    """Assert that work on a text of `last` characters takes at most `LENIENT` times as long as on one of half of them.

    What takes less than `NEGLIGIBLE_S` is fast enough.
    """
    growth = doubled_for_sure(work, shape, last // 2, last, LENIENT)
    assert growth.worst <= LENIENT, growth
