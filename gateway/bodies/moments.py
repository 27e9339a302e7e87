"""Times of queries: ISO 8601, of which a day alone means its beginning and none the default. Spec: platform-api 1.6."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from domain.clock import parse_iso
from domain.errors import InvalidInput


class Window(NamedTuple):
    """A span of time, its end not in it."""

    since: datetime
    until: datetime


def moment_of(text: str) -> datetime | None:
    """Return the aware moment that a text says, in UTC where it names no zone; None for no text."""
    if not text:
        return None
    moment = parse_iso(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def utc_moment(text: str) -> datetime:
    """Return the moment that a text says, in UTC. Raises ValueError when it says none that there is."""
    moment = parse_iso(text)
    try:
        return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("must be a moment of the years 1 to 9999") from error


def window_of(since: str, until: str, now: datetime, default: timedelta) -> Window:
    """Return the span between two texts; what is not said is now, and `default` before the end.

    Raises:
        InvalidInput: It ends before it begins.
    """
    end = moment_of(until) or now
    start = moment_of(since) or end - default
    if start > end:
        raise InvalidInput("The time range ends before it begins")
    return Window(start, end)
