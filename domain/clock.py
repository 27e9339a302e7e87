"""Time and new ids as ports, and fixed ones for tests. Pure code receives moments as values and never reads a clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

MILLISECONDS_PER_SECOND = 1_000


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the moment as an aware UTC datetime."""


class IdSource(Protocol):
    """Makes ids that nobody has used."""

    def new(self, prefix: str) -> str:
        """Return a new id `<prefix>_<cuid>`; without a prefix the bare CUID."""

    def uuid(self) -> str:
        """Return a new UUID in its usual form, lower case."""


def iso_ms(moment: datetime) -> str:
    """Return `moment` as ISO 8601 in UTC with milliseconds.

    >>> iso_ms(datetime(2026, 3, 1, 9, 30, tzinfo=UTC))
    '2026-03-01T09:30:00.000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


DATE_CHARS = len("2026-03-02")
TIME_FOLLOWS = "Tt "
"""What may stand between a date and a time; the library takes any sign."""


def parse_iso(text: str) -> datetime:
    """Return the moment that a text of ISO 8601 names, aware when the text says where. Raises ValueError.

    >>> parse_iso("2026-03-02T09:00:00.000Z").isoformat()
    '2026-03-02T09:00:00+00:00'
    """
    if len(text) > DATE_CHARS and text[DATE_CHARS] not in TIME_FOLLOWS:
        raise ValueError(f"Invalid isoformat string: {text!r}")
    return datetime.fromisoformat(text)


class FixedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the moment the clock stands at."""
        return self._now

    def move(self, *, seconds: float = 0.0, ms: float = 0.0) -> None:
        """Move the clock forward."""
        self._now += timedelta(seconds=seconds, milliseconds=ms)


class CountingIds:
    """Ids that count: `msg_1`, `msg_2`."""

    def __init__(self) -> None:
        self._count = 0

    def new(self, prefix: str) -> str:
        """Return the next id."""
        self._count += 1
        return f"{prefix}_{self._count}" if prefix else f"c{self._count:024d}"

    def uuid(self) -> str:
        """Return the next id."""
        self._count += 1
        return f"00000000-0000-4000-8000-{self._count:012d}"
