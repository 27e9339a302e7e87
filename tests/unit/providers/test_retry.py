"""Which failures are worth another try, and when."""

from __future__ import annotations

import pytest

from providers.failures import CallFailed, FailureKind
from providers.retry import MAX_DELAY_S, NO_RETRY, RetryPolicy, chance, delay_s, is_retryable, next_delay_s

WORTH = {FailureKind.TIMEOUT, FailureKind.CONNECT, FailureKind.CUT, FailureKind.GARBAGE}


@pytest.mark.parametrize("kind", [kind for kind in FailureKind if kind is not FailureKind.STATUS])
def test_every_kind_is_decided(kind: FailureKind) -> None:
    assert is_retryable(CallFailed(kind, "")) == (kind in WORTH)


@pytest.mark.parametrize(
    ("status", "worth"),
    [
        (400, False),
        (401, False),
        (404, False),
        (408, True),
        (409, False),
        (429, True),
        (500, True),
        (503, True),
        (501, False),
    ],
)
def test_statuses_are_decided_one_by_one(status: int, worth: bool) -> None:
    assert is_retryable(CallFailed(FailureKind.STATUS, "", status=status)) == worth


@pytest.mark.parametrize(
    ("backoff", "delays"), [("fixed", [1, 1, 1, 1]), ("linear", [1, 2, 3, 4]), ("exponential", [1, 2, 4, 5])]
)
def test_waits_grow_as_the_policy_says(backoff: str, delays: list[float]) -> None:
    policy = RetryPolicy(attempts=9, delay_s=1.0, backoff=backoff, max_delay_s=5.0, jitter=0.0)  # type: ignore[arg-type]
    assert [delay_s(policy, attempt, 0.9) for attempt in range(1, 5)] == delays


def test_chance_only_shortens_a_wait() -> None:
    policy = RetryPolicy(delay_s=2.0, jitter=0.5)
    assert delay_s(policy, 1, 0.0) == 2.0
    assert delay_s(policy, 1, 1.0) == 1.0


def test_what_the_other_side_asks_for_is_the_least_and_has_an_end() -> None:
    policy = RetryPolicy(delay_s=1.0, jitter=0.0)
    assert delay_s(policy, 1, 0.0, retry_after_s=9.0) == 9.0
    assert delay_s(policy, 1, 0.0, retry_after_s=9_000.0) == MAX_DELAY_S


def test_attempts_and_time_run_out() -> None:
    policy = RetryPolicy(attempts=3, delay_s=1.0, jitter=0.0)
    assert next_delay_s(policy, 1, 0.0, remaining_s=10) == 1.0
    assert next_delay_s(policy, 3, 0.0, remaining_s=10) is None
    assert next_delay_s(policy, 1, 0.0, remaining_s=0.5) is None
    assert next_delay_s(NO_RETRY, 1, 0.0, remaining_s=10) is None


def test_even_a_huge_attempt_count_has_a_wait() -> None:
    assert delay_s(RetryPolicy(max_delay_s=5.0, jitter=0.0), 10_000, 0.0) == 5.0


def test_chance_is_between_nothing_and_one() -> None:
    assert all(0 <= chance() < 1 for _ in range(100))
