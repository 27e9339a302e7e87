from __future__ import annotations

import pytest

from actors.counters import LocalCounters, Taken
from domain.clock import FixedClock
from domain.errors import Overloaded
from domain.rates import RateSettings
from gateway.throttle import EXCESS, RateCategory, RateExceeded, Throttle, rate_headers, tightest

pytestmark = pytest.mark.anyio


def a_throttle(**rates: int) -> Throttle:
    clock = FixedClock()

    async def none(_tenant: str) -> int | None:
        return None

    async def of_tenant(_tenant: str) -> RateSettings:
        return RateSettings(**rates)

    return Throttle(LocalCounters(clock), of_tenant, clock, none)


def test_every_category_has_its_sentence() -> None:
    assert set(EXCESS) == set(RateCategory)
    assert EXCESS[RateCategory.REQUESTS] == "Request rate limit exceeded"
    assert EXCESS[RateCategory.SESSION_MESSAGES] == "Session message rate limit exceeded"
    assert EXCESS[RateCategory.SESSIONS] == "Concurrent session limit exceeded"
    assert EXCESS[RateCategory.VOICE_ROOMS] == "Maximum concurrent voice sessions reached"


async def test_zero_switches_a_limit_off() -> None:
    throttle = a_throttle(requests_per_second=0, session_messages_per_minute=0, concurrent_sessions=0)
    assert await throttle.request("t") is None
    assert await throttle.session_message("t", "s") is None
    await throttle.new_session("t")


async def test_voice_rooms_are_limited_for_the_whole_instance() -> None:
    throttle = a_throttle(concurrent_voice_rooms=2)
    await throttle.new_voice_room("t", 1)
    with pytest.raises(Overloaded, match="Maximum concurrent voice sessions reached"):
        await throttle.new_voice_room("t", 2)


async def test_an_excess_carries_what_its_headers_say() -> None:
    throttle = a_throttle(session_messages_per_minute=1)
    await throttle.session_message("t", "s")
    with pytest.raises(RateExceeded) as raised:
        await throttle.session_message("t", "s")
    assert raised.value.taken.remaining == 0
    assert raised.value.category is RateCategory.SESSION_MESSAGES


def test_the_tightest_is_the_one_with_the_smallest_share_left() -> None:
    wide, narrow = Taken(True, 400, 100, 1), Taken(True, 60, 59, 1)
    assert tightest([wide, None, narrow]) == wide
    assert tightest([None]) is None


def test_the_reset_is_the_second_by_which_all_is_there_again() -> None:
    assert rate_headers(Taken(True, 4, 3, 0.5), 100.2) == [
        (b"x-ratelimit-limit", b"4"),
        (b"x-ratelimit-remaining", b"3"),
        (b"x-ratelimit-reset", b"101"),
    ]


async def test_no_tenant_uses_up_the_messages_of_a_session_of_another() -> None:
    throttle = a_throttle(session_messages_per_minute=1)
    await throttle.session_message("attacker", "sess_1")
    with pytest.raises(RateExceeded):
        await throttle.session_message("attacker", "sess_1")
    assert await throttle.session_message("victim", "sess_1") is not None


async def test_a_burst_of_zero_is_that_of_a_second() -> None:
    throttle = a_throttle(requests_per_second=2, requests_burst=0)
    for _ in range(2):
        assert await throttle.request("t") is not None
    with pytest.raises(RateExceeded):
        await throttle.request("t")
