from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta

import pytest

from engine.zone_rules import RULES
from engine.zones import find

FIXED_FOR_LENT = {"Africa/Casablanca", "Africa/El_Aaiun"}
"""Their clocks change for Ramadan, which no rule can say."""
HOURS = (0, 30, 60, 90)


def test_no_zone_of_an_unknown_name() -> None:
    assert find("Europe/Atlantis") is None


def test_both_hours_that_are_shown_twice_are_told_apart() -> None:
    berlin = find("Europe/Berlin")
    first, second = (datetime(2026, 10, 25, hour, 30, tzinfo=UTC).astimezone(berlin) for hour in (0, 1))
    assert (first.hour, second.hour) == (2, 2)
    assert (first.utcoffset(), second.utcoffset()) == (timedelta(hours=2), timedelta(hours=1))


@pytest.mark.skipif(not zoneinfo.available_timezones(), reason="this machine has no time zone database to compare with")
def test_every_zone_shows_what_the_database_of_the_machine_shows_this_year() -> None:
    for name in sorted(RULES.keys() - FIXED_FOR_LENT):
        zone, known = find(name), zoneinfo.ZoneInfo(name)
        for day in range(0, 365, 5):
            moment = datetime(2026, 1, 1, 0, 30, tzinfo=UTC) + timedelta(days=day)
            assert moment.astimezone(zone).replace(tzinfo=None) == moment.astimezone(known).replace(tzinfo=None), name
