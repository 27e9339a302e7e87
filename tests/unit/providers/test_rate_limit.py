"""How often a tool may be called."""

from __future__ import annotations

from providers import rate_limit
from providers.rate_limit import RateLimits


def test_a_minutes_worth_at_once_then_evenly() -> None:
    limits = RateLimits()
    assert [limits.wait_s("a", 3, 0.0) for _ in range(3)] == [0, 0, 0]
    assert limits.wait_s("a", 3, 0.0) == 20.0
    assert limits.wait_s("a", 3, 19.0) == 1.0
    assert limits.wait_s("a", 3, 20.0) == 0
    assert limits.wait_s("a", 3, 20.0) == 20.0


def test_in_a_minute_of_greed_no_more_than_twice_the_limit_passes() -> None:
    limits = RateLimits()
    assert sum(limits.wait_s("a", 30, second / 10) == 0 for second in range(600)) < 60


def test_keys_do_not_share() -> None:
    limits = RateLimits()
    assert limits.wait_s("a", 1, 0.0) == 0
    assert limits.wait_s("b", 1, 0.0) == 0
    assert limits.wait_s("a", 1, 0.0) > 0


def test_no_rate_at_all_waits() -> None:
    assert RateLimits().wait_s("a", 0, 0.0) > 0


def test_only_so_many_keys_are_kept() -> None:
    limits = RateLimits()
    for number in range(rate_limit.MAX_LIMITERS + 10):
        limits.wait_s(str(number), 1, 0.0)
    assert len(limits._next_s) == rate_limit.MAX_LIMITERS
