from __future__ import annotations

import pytest

from domain.metrics import mean, percentile, rate, total_usd


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.95, None),
        ([7], 0.95, 7),
        ([30, 10, 20], 0.5, 20),
        (list(range(1, 101)), 0.95, 95),
        ([1, 2], 0.0, 1),
        ([1, 2], 1.0, 2),
    ],
)
def test_a_percentile_is_a_value_that_was_measured(values: list[float], share: float, expected: float | None) -> None:
    assert percentile(values, share) == expected


def test_of_nothing_there_is_no_mean_and_no_rate() -> None:
    assert (mean([]), rate(0, 0)) == (None, None)
    assert (mean([1, 2]), rate(1, 4), rate(0, 4)) == (1.5, 0.25, 0.0)


def test_costs_are_added_as_far_as_they_are_known() -> None:
    assert (total_usd([]), total_usd([None]), total_usd([0.1, None, 0.2]), total_usd([0.0])) == (
        0,
        None,
        pytest.approx(0.3),
        0,
    )
