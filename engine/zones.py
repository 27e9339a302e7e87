"""Time zones by IANA name, from a table of rules: no file is read, and every machine knows the same.

Decision: 0011. Spec: abl-language 6.6 (FORMAT_DATE with a zone).
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from engine.zone_rules import RULES

_NAME = r"(?:<[^>]+>|[A-Za-z]{3,})"
_OFFSET = r"[+-]?\d{1,3}(?::\d{2}){0,2}"
_RULE = re.compile(rf"({_NAME})({_OFFSET})(?:({_NAME})({_OFFSET})?,([^,]+),([^,]+))?")
_CHANGE = re.compile(rf"M(\d{{1,2}})\.(\d)\.(\d)(?:/({_OFFSET}))?|J?(\d{{1,3}})(?:/({_OFFSET}))?")
_HOUR = timedelta(hours=1)
_NONE = timedelta(0)
_LAST_WEEK = 5


def find(name: str) -> tzinfo | None:
    """Return the zone of a name, None for an unknown one.

    >>> datetime(2026, 7, 1, 12, tzinfo=timezone.utc).astimezone(find("Europe/Berlin")).hour
    14
    """
    rule = RULES.get(name.strip())
    return None if rule is None else _zone(name.strip(), rule)


@lru_cache(maxsize=64)
def _zone(name: str, rule: str) -> tzinfo:
    found = _RULE.fullmatch(rule)
    if found is None:
        raise ValueError(f"{rule} is no rule of a time zone")
    standard = -_duration(found[2])
    if found[3] is None:
        return timezone(standard, name)
    summer = -_duration(found[4]) if found[4] else standard + _HOUR
    return Zone(name, standard, summer, found[5], found[6])


def _duration(text: str) -> timedelta:
    sign = -1 if text.startswith("-") else 1
    hours, minutes, seconds = (*(int(part) for part in text.lstrip("+-").split(":")), 0, 0)[:3]
    return sign * timedelta(hours=hours, minutes=minutes, seconds=seconds)


def _moment(year: int, change: str) -> datetime:
    """Return when a change takes place in a year, in the time that holds before it."""
    found = _CHANGE.fullmatch(change)
    if found is None:
        raise ValueError(f"{change} is no change of a time zone")
    clock = found[4] or found[6]
    at = _duration(clock) if clock else 2 * _HOUR
    if found[1] is None:
        return datetime.combine(date(year, 1, 1) + timedelta(days=int(found[5])), datetime.min.time()) + at
    month, week, weekday = int(found[1]), int(found[2]), int(found[3])
    first = date(year, month, 1)
    day = first + timedelta(days=(weekday - first.isoweekday()) % 7 + 7 * (week - 1))
    if week == _LAST_WEEK and day.month != month:
        day -= timedelta(days=7)
    return datetime.combine(day, datetime.min.time()) + at


class Zone(tzinfo):
    """A zone with two offsets; the rule of today holds for all years."""

    def __init__(self, name: str, standard: timedelta, summer: timedelta, starts: str, ends: str) -> None:
        self._name = name
        self._standard = standard
        self._summer = summer
        self._starts = starts
        self._ends = ends

    def fromutc(self, dt: datetime) -> datetime:
        """Return a moment given in UTC as the clocks of this zone show it."""
        bare = dt.replace(tzinfo=None)
        starts = _moment(bare.year, self._starts) - self._standard
        ends = _moment(bare.year, self._ends) - self._summer
        if _is_between(bare, starts, ends):
            return (bare + self._summer).replace(tzinfo=self)
        is_repeated = _NONE <= bare - ends < self._summer - self._standard
        return (bare + self._standard).replace(tzinfo=self, fold=int(is_repeated))

    def utcoffset(self, dt: datetime | None) -> timedelta:
        """Return how far the clocks are ahead of UTC."""
        if dt is None:
            return self._standard
        bare = dt.replace(tzinfo=None)
        starts, ends = _moment(bare.year, self._starts), _moment(bare.year, self._ends)
        if dt.fold and _NONE < ends - bare <= self._summer - self._standard:
            return self._standard
        return self._summer if _is_between(bare, starts, ends) else self._standard

    def dst(self, dt: datetime | None) -> timedelta:
        """Return what is added in summer."""
        return self.utcoffset(dt) - self._standard if dt is not None else _NONE

    def tzname(self, dt: datetime | None) -> str:
        """Return the name."""
        del dt
        return self._name


def _is_between(moment: datetime, starts: datetime, ends: datetime) -> bool:
    """Return whether summer time holds; in the south it runs over the end of the year."""
    return starts <= moment < ends if starts < ends else not ends <= moment < starts
