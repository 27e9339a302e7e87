"""Days and moments: written in figures, in words, and relative to today."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from engine.extraction.words import Vocabulary

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_FIGURES = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})(?:\2(\d{4}|\d{2}))?(?!\d)")
_CLOCK = re.compile(r"(?<![\d.])(\d{1,2})(?::(\d{2}))?\s*(am|pm|a\.m\.|p\.m\.|o'clock|uhr)?(?![\d.])", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\bin (\d+|a|an|[^\W\d_]+) (\w+)\b|\b(\d+|a|an|[^\W\d_]+) (\w+) from (?:now|today)\b", re.IGNORECASE
)
_SHORT_YEAR = 70
DAYS_PER_WEEK = 7
MAX_UNITS = 1_000


def read_date(text: str, today: date, words: Vocabulary, locale: str = "") -> str | None:
    """Return the first day a text names, as ISO 8601.

    >>> from engine.extraction.vocabulary import ENGLISH
    >>> read_date("next friday please", date(2026, 3, 2), ENGLISH), read_date("May 3rd", date(2026, 6, 1), ENGLISH)
    ('2026-03-06', '2027-05-03')
    """
    lowered = text.lower()
    for found in (
        _iso(lowered),
        _with_month_name(lowered, today, words),
        _in_figures(lowered, today, locale),
        _by_phrase(lowered, today, words),
        _relative(lowered, today, words),
        _weekday(lowered, today, words),
    ):
        if found is not None:
            return found.isoformat()
    return None


def read_time(text: str, words: Vocabulary) -> str | None:
    """Return the first time of day as `HH:MM`."""
    lowered = _ISO.sub(" ", text.lower())
    for found in _CLOCK.finditer(lowered):
        hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").replace(".", "")
        marked = found[2] or half or lowered[: found.start()].rstrip().endswith("at")
        if not marked or hour > 23 or minute > 59:
            continue
        if half == "pm" and hour < 12:
            hour += 12
        elif half == "am" and hour == 12:
            hour = 0
        return f"{hour:02d}:{minute:02d}"
    return next((clock for word, clock in words.times.items() if re.search(rf"\b{word}\b", lowered)), None)


def read_moment(text: str, today: date, words: Vocabulary, locale: str = "") -> str | None:
    """Return a day with its time, `YYYY-MM-DDTHH:MM:00`; a time alone is today's."""
    day, clock = read_date(text, today, words, locale), read_time(text, words)
    if day is None and clock is None:
        return None
    return f"{day or today.isoformat()}T{clock or '00:00'}:00"


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _iso(text: str) -> date | None:
    found = _ISO.search(text)
    return _made(int(found[1]), int(found[2]), int(found[3])) if found else None


def _in_figures(text: str, today: date, locale: str) -> date | None:
    found = _FIGURES.search(text)
    if found is None or (found[4] is None and found[2] == "-"):
        return None
    first, second = int(found[1]), int(found[3])
    is_month_first = second > 12 or (found[2] == "/" and locale.lower().replace("_", "-") == "en-us" and first <= 12)
    day, month = (second, first) if is_month_first else (first, second)
    if found[4] is None:
        return _next(month, day, today)
    year = int(found[4])
    if year < 100:
        year += 1900 if year >= _SHORT_YEAR else 2000
    return _made(year, month, day)


def _with_month_name(text: str, today: date, words: Vocabulary) -> date | None:
    names = "|".join(f"{name}|{name[:3]}" for name in words.months)
    found = re.search(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?({names})\b\.?,? ?(\d{{4}})?", text)
    if found is not None:
        day, name, year = found[1], found[2], found[3]
    else:
        found = re.search(rf"\b({names})\b\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (\d{{4}}))?", text)
        if found is None:
            return None
        name, day, year = found[1], found[2], found[3]
    month = next(at for at, full in enumerate(words.months, 1) if full.startswith(name))
    return _made(int(year), month, int(day)) if year else _next(month, int(day), today)


def _next(month: int, day: int, today: date) -> date | None:
    found = _made(today.year, month, day)
    if found is not None and found < today:
        return _made(today.year + 1, month, day)
    return found


def _by_phrase(text: str, today: date, words: Vocabulary) -> date | None:
    for phrase, days in words.days.items():
        if re.search(rf"\b{phrase}\b", text):
            return today + timedelta(days=days)
    return today + timedelta(days=DAYS_PER_WEEK) if re.search(r"\bnext week\b", text) else None


def _relative(text: str, today: date, words: Vocabulary) -> date | None:
    found = _RELATIVE.search(text)
    if found is None:
        return None
    count_word, unit_word = (found[1], found[2]) if found[1] else (found[3], found[4])
    unit = words.units.get(unit_word)
    count = (
        int(count_word) if count_word.isdigit() else 1 if count_word in ("a", "an") else words.numbers.get(count_word)
    )
    if unit is None or count is None or count > MAX_UNITS:
        return None
    if unit in ("day", "week"):
        return today + timedelta(days=count * (DAYS_PER_WEEK if unit == "week" else 1))
    months = today.month - 1 + count * (12 if unit == "year" else 1)
    year, month = today.year + months // 12, months % 12 + 1
    return _made(year, month, min(today.day, monthrange(year, month)[1])) if year <= 9999 else None


def _weekday(text: str, today: date, words: Vocabulary) -> date | None:
    for at, name in enumerate(words.weekdays):
        if re.search(rf"\b(?:{name}|{name[:3]})\b", text):
            return today + timedelta(days=(at - today.weekday() - 1) % DAYS_PER_WEEK + 1)
    return None
