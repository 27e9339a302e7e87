"""Dates: reading them, writing them, and what needs the present moment or an id from the caller. Spec: 6.6, 6.8."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from abl.expressions.environment import Environment, JsonValue
from abl.expressions.library.entry import Entry, entry
from abl.expressions.values import number_of, text_of

MAX_ID_CHARS = 64
MAX_PATTERN_CHARS = 200
_PARTS = re.compile(r"YYYY|MMMM|MMM|MM|DD|HH|mm|ss")
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SPANS = (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def now(environment: Environment) -> JsonValue:
    """The present moment as ISO 8601 text."""
    return environment.now


def today(environment: Environment) -> JsonValue:
    """Today's date as `YYYY-MM-DD`."""
    return environment.now[:10] if environment.now else None


def unique_id(environment: Environment, length: JsonValue = 6) -> JsonValue:
    """A new id of so many characters."""
    wanted = number_of(length)
    if environment.unique_id is None or wanted is None:
        return None
    return environment.unique_id(int(max(1, min(MAX_ID_CHARS, wanted))))


def format_date(
    environment: Environment, date: JsonValue, pattern: JsonValue = "YYYY-MM-DD", zone: JsonValue = None
) -> JsonValue:
    """The date written by a pattern of YYYY MM DD HH mm ss MMM, in the time zone if one is given."""
    moment = moment_of(date)
    if moment is None:
        return None
    if zone is not None:
        place = _zone(environment, text_of(zone))
        if place is not None:
            moment = _shifted(moment, place)
    return _written(moment, text_of(pattern)[:MAX_PATTERN_CHARS])


def days_between(start: JsonValue, end: JsonValue) -> JsonValue:
    """How many days lie between two dates, negative when the second is the earlier one."""
    first, second = moment_of(start), moment_of(end)
    return None if first is None or second is None else (second.date() - first.date()).days


def ago(environment: Environment, date: JsonValue) -> JsonValue:
    """How long ago the date was, in words such as `5 minutes ago`."""
    moment, present = moment_of(date), moment_of(environment.now)
    if moment is None or present is None:
        return None
    seconds = int((_aware(present) - _aware(moment)).total_seconds())
    for unit, size in _SPANS:
        if abs(seconds) >= size:
            amount = abs(seconds) // size
            words = f"{amount} {unit}{'' if amount == 1 else 's'}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now"


def moment_of(value: JsonValue) -> datetime | None:
    """Return the moment an ISO 8601 text or a number of seconds since 1970 stands for, None when it is neither."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip()[:40])
        except ValueError:
            return None
    seconds = number_of(value)
    if seconds is None or abs(seconds) > 253_000_000_000:
        return None
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _shifted(moment: datetime, place: tzinfo) -> datetime:
    try:
        return _aware(moment).astimezone(place)
    except OverflowError:
        return moment


def _zone(environment: Environment, name: str) -> tzinfo | None:
    if name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset and int(offset[2]) < 24 and int(offset[3]) < 60:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    return environment.zone(name) if environment.zone else None


def _written(moment: datetime, pattern: str) -> str:
    month = MONTHS[moment.month - 1]
    parts = {
        "YYYY": f"{moment.year:04}",
        "MMMM": month,
        "MMM": month[:3],
        "MM": f"{moment.month:02}",
        "DD": f"{moment.day:02}",
        "HH": f"{moment.hour:02}",
        "mm": f"{moment.minute:02}",
        "ss": f"{moment.second:02}",
    }
    return _PARTS.sub(lambda found: parts[found[0]], pattern)


ENTRIES: tuple[Entry, ...] = (
    entry("NOW()", 0, 0, now, needs_environment=True),
    entry("TODAY()", 0, 0, today, needs_environment=True),
    entry("UNIQUE_ID(length?)", 0, 1, unique_id, needs_environment=True),
    entry("FORMAT_DATE(date, pattern?, zone?)", 1, 3, format_date, needs_environment=True),
    entry("DAYS_BETWEEN(start, end)", 2, 2, days_between),
    entry("AGO(date)", 1, 1, ago, needs_environment=True),
)
