"""Durations packed into one value, and the one at a rank."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.metrics import percentile
from storage.repositories.durations import PIECE_BYTES, SORTED_BYTES, at_rank, packed

TIMES = st.lists(st.integers(min_value=0, max_value=2**31 - 1), max_size=60)


@given(TIMES, st.sampled_from([1, 200]))
def test_the_rank_is_the_nearest_one_of_few_and_of_many(times: list[int], copies: int) -> None:
    every = times * copies
    assert at_rank(packed(every), 95) == percentile(every, 0.95)


def test_values_are_four_bytes_in_the_order_of_the_network() -> None:
    assert packed([1, 258]) == b"\0\0\0\1\0\0\1\2"


def test_more_than_is_counted_at_once() -> None:
    assert at_rank(packed(range(PIECE_BYTES)), 95) == -(-PIECE_BYTES * 95 // 100) - 1
    assert len(packed(range(PIECE_BYTES))) > SORTED_BYTES
