from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from storage.partitions import week_of

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment",
    [
        MONDAY,
        MONDAY + timedelta(days=6, hours=23, minutes=59),
        datetime(2026, 11, 15, 23, 30, tzinfo=timezone(timedelta(hours=-1))),
    ],
)
def test_a_week_begins_on_monday_in_utc(moment: datetime) -> None:
    assert week_of(moment) == MONDAY
