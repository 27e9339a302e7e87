"""The form of ids."""

import re
from datetime import UTC, datetime, timedelta

from actors.clocks import RandomIds, StoreClock, SystemClock
from domain.clock import FixedClock
from domain.ids import is_project_id


def test_ids_have_their_form_and_differ() -> None:
    ids = RandomIds()
    assert is_project_id(ids.new(""))
    assert re.fullmatch(r"sess_c[a-z0-9]{24}", ids.new("sess"))
    assert len({ids.new("msg") for _ in range(1_000)}) == 1_000


def test_the_clock_is_aware() -> None:
    assert SystemClock().now().utcoffset() is not None


def test_the_clock_of_the_store_is_asked_as_soon_as_it_was_told_and_never_goes_back() -> None:
    otherwise, at = FixedClock(), datetime(2030, 1, 1, tzinfo=UTC)
    shared = StoreClock(otherwise)
    assert shared.now() == otherwise.now()
    shared.told(at)
    first = shared.now()
    assert first >= at
    shared.told(at - timedelta(days=400))
    assert shared.now() >= first
    shared.told(at + timedelta(days=1))
    assert shared.now() >= at + timedelta(days=1)
