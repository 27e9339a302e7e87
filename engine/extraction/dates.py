"""Days: written in figures, in words, and relative to today, by the words of one language."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from abl.languages import Pack, fold, folded_phrase, form_pattern
from engine.extraction.numbers import number_before, spelled_exactly
from engine.extraction.phrases import alternatives, any_of, numbered, without
from engine.extraction.stated import is_range, leaves_open, stated
from engine.extraction.times import read_time

__all__ = ["days_in", "likely_days_in", "read_date", "read_moment", "read_time"]

_ISO = re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_FIGURES = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})(?:\2(\d{4}|\d{2}))?(?!\d)")
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|e|o|a|\.)?[\s,-]*$")
_DAY_BEHIND = re.compile(r"[\s,.-]*(\d{1,2})(?!\d)(?:st|nd|rd|th|er|e|o|a|\.)?(?![a-z])")
_YEAR = re.compile(r"[\s,.-]*(\d{4})(?!\d)|['’]?(2[5-9]|[3-9]\d)\s*$")
"""A year of two figures stands at the end and is no hour."""
_NUMBER_BEHIND = re.compile(r"[\s,]*(\d{1,2})(?P<mark>st|nd|rd|th|er|º|ª|\.)?(?=\s*(?:$|[.,!?;]))")
_DAY_ALONE = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|e|o|a|º|ª|'?[iu]n?[ae]?)?")
MONTHS_AHEAD = 4
"""Months in which a day of a number is looked for: not each has a 31st."""
_DAY_WORDS = 4
_WEEK_FROM = re.compile(r"(?:\s+[^\s\d]+){0,2}\s+")
_SHORT_YEAR = 70
DAYS_PER_WEEK = 7
HOURS = 24
MAX_UNITS = 1_000
MAX_CHARS = 4_000


def read_date(text: str, today: date, words: Pack, locale: str = "") -> str | None:
    """Return the first day a text names, as ISO 8601.

    >>> from abl.languages import load_pack
    >>> english = load_pack("en")
    >>> read_date("next friday please", date(2026, 3, 2), english), read_date("May 3rd", date(2026, 6, 1), english)
    ('2026-03-06', '2027-05-03')
    """
    text = stated(text[:MAX_CHARS], words)
    if is_range(text, words) or leaves_open(text, words, lambda part: _holds(part, today, words, locale)):
        return None
    return _first(fold(text), today, words, locale)


def _holds(part: str, today: date, words: Pack, locale: str) -> bool:
    """Return whether a part of a text has a day, or the number of one: "3" of "3 or 4 march"."""
    return any(sign.isdigit() for sign in part) or _first(fold(part), today, words, locale) is not None


def _first(said: str, today: date, words: Pack, locale: str) -> str | None:
    for found in (
        _iso(said),
        _with_marks(said, today, words),
        _with_month_name(said, today, words),
        _in_figures(said, today, words, locale),
        _weeks_from(said, today, words),
        _relative(said, today, words),
        _by_phrase(said, today, words),
        _weekday(said, today, words),
        _of_month(said, today, words),
    ):
        if found is not None:
            return found.isoformat()
    return None


def read_moment(text: str, today: date, words: Pack, locale: str = "") -> str | None:
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


def _iso(said: str) -> date | None:
    found = _ISO.search(said)
    return _made(int(found[1]), int(found[3]), int(found[4])) if found else None


def _in_figures(said: str, today: date, words: Pack, locale: str) -> date | None:
    found = _FIGURES.search(said)
    if found is None or (found[4] is None and not _is_short_day(found, said, words)):
        return None
    first, second = int(found[1]), int(found[3])
    is_american = locale.lower().replace("_", "-") == "en-us" or words.date_order != "dmy"
    is_month_first = second > 12 or (found[2] == "/" and is_american and first <= 12)
    day, month = (second, first) if is_month_first else (first, second)
    if found[4] is None:
        return _next(month, day, today)
    return _made(_year(found[4]), month, day)


def _year(written: str) -> int:
    """Return the year of two or four figures."""
    year = int(written)
    if year >= 100:
        return year
    return year + (1900 if year >= _SHORT_YEAR else 2000)


def _of_month(said: str, today: date, words: Pack) -> date | None:
    """Return the next day of a number, where a text is nothing but that: "the 10th"."""
    bare = " ".join(without(said, words.politeness).strip(" .,!。").split())
    for form in words.month_days:
        found = form_pattern(form).fullmatch(bare)
        if found is None:
            continue
        figures = _DAY_ALONE.fullmatch(found["count"])
        value = int(figures[1]) if figures else numbered(words, "ordinals").get(found["count"])
        if value is None or not 1 <= value <= 31:
            continue
        for ahead in range(MONTHS_AHEAD):
            month = today.month - 1 + ahead
            day = _made(today.year + month // 12, month % 12 + 1, int(value))
            if day is not None and day >= today:
                return day
    return None


def _with_marks(said: str, today: date, words: Pack) -> date | None:
    """Return a day written with a sign behind year, month and day."""
    if not words.date_marks:
        return None
    found = _marked(words).search(said)
    if found is None:
        return None
    year, month, day = (_figures(one, words) if one else None for one in found.groups())
    if month is None or day is None:
        return None
    return _made(year, month, day) if year else _next(month, day, today)


@lru_cache(maxsize=64)
def _marked(words: Pack) -> re.Pattern[str]:
    year_mark, month_mark, day_mark = (re.escape(fold(one)) for one in words.date_marks)
    number = r"(\d{1,4}|" + "[" + "".join(one for one in numbered(words, "numbers") if len(one) == 1) + r"十百千]{1,6})"
    return re.compile(rf"(?:{number}{year_mark}\s*)?{number}{month_mark}\s*{number}{day_mark}")


def _figures(written: str, words: Pack) -> int | None:
    value = int(written) if written.isdigit() else spelled_exactly(written, words)
    return int(value) if value is not None else None


def _with_month_name(said: str, today: date, words: Pack) -> date | None:
    for one in _named_days(said, words):
        if _is_beyond(said, one.start, one.end, words):
            return None
        return _made(one.year, one.month, one.day) if one.year else _next(one.month, one.day, today)
    return None


class _NamedDay(NamedTuple):
    """A day with the name of its month, and where it stands; a year of zero is none."""

    year: int
    month: int
    day: int
    start: int
    end: int


def _named_days(said: str, words: Pack) -> Iterator[_NamedDay]:
    """Give the days that stand beside the name of a month, in the order they stand."""
    for at, found in _names(said, words.months):
        before = _day_before(said[: found.start()], words)
        day, start = before or (None, found.start())
        end = found.end()
        if day is None:
            behind = said[end:]
            joined = _joins(words).match(behind)
            skipped = joined.end() if joined is not None else 0
            figures = _DAY_BEHIND.match(behind, skipped)
            if figures is not None:
                day, end = int(figures[1]), end + figures.end()
            elif (spelled := _day_behind(behind[skipped:], words)) is not None:
                day, end = spelled[0], end + skipped + spelled[1]
        if day is None:
            continue
        joined = _joins(words).match(said[end:])
        skipped = joined.end() if joined is not None else 0
        year = _YEAR.match(said[end + skipped :])
        yield _NamedDay(
            _year(year[1] or year[2]) if year else 0, at + 1, day, start, end + (skipped + year.end() if year else 0)
        )


def days_in(said: str, words: Pack) -> Iterator[tuple[int, int]]:
    """Give where days stand in a folded text that can be nothing else: in figures, with signs, with a month's name."""
    yield from (found.span() for found in _ISO.finditer(said))
    yield from (found.span() for found in _FIGURES.finditer(said) if found[4] is not None or found[2] == "/")
    if words.date_marks:
        yield from (found.span() for found in _marked(words).finditer(said))
    yield from ((one.start, one.end) for one in _named_days(said, words))


def likely_days_in(said: str, words: Pack) -> Iterator[tuple[int, int]]:
    """Give where days stand that may be plain numbers too: `3.12`, "in three days"."""
    yield from (found.span() for found in _FIGURES.finditer(said) if _is_short_day(found, said, words))
    for count, _, start, end in _counts(said, words):
        if count is not None and any(_stands(form, said[:start], said[end:]) for form in words.later):
            yield start, end


def _is_short_day(found: re.Match[str], said: str, words: Pack) -> bool:
    """Return whether figures without a year are a day: `3.12.`, and `3.12` where a decimal has another sign."""
    if found[4] is not None or found[2] != ".":
        return found[2] == "/"
    return words.decimal != "." or re.match(r"\.(?!\d)", said[found.end() :]) is not None


def _names(said: str, groups: tuple[tuple[str, ...], ...]) -> Iterator[tuple[int, re.Match[str]]]:
    """Give the names of months or weekdays in a text, in the order they stand, each with its number from zero."""
    found = [(at, one) for at, names in enumerate(groups) if (p := any_of(names)) for one in p.finditer(said)]
    yield from sorted(found, key=lambda one: (one[1].start(), -len(one[1][0])))


@lru_cache(maxsize=64)
def _joins(words: Pack) -> re.Pattern[str]:
    return re.compile(rf"(?:[\s,.]*{alternatives(words.date_joins)})*[\s,]*" if words.date_joins else r"[\s,]*")


def _day_before(before: str, words: Pack) -> tuple[int, int] | None:
    """Return the day that stands at the end of a text, and where it begins."""
    joins = alternatives(words.date_joins)
    bare = re.sub(rf"(?:[\s,.]*{joins})*[\s,]*$", "", before) if joins else before.rstrip(" ,")
    figures = _DAY_BEFORE.search(bare)
    if figures is not None:
        return int(figures[1]), figures.start()
    tokens = [found.start() for found in re.finditer(r"[^\s,.;]+", bare)][-_DAY_WORDS:]
    for start in tokens:
        day = _day_of(bare[start:], words)
        if day is not None:
            return day, start
    return None


def _day_behind(behind: str, words: Pack) -> tuple[int, int] | None:
    tokens = [found.end() for found in re.finditer(r"[^\s,.;]+", behind)][:_DAY_WORDS]
    for end in reversed(tokens):
        day = _day_of(behind[:end], words)
        if day is not None:
            return day, end
    return None


def _day_of(phrase: str, words: Pack) -> int | None:
    bare = folded_phrase(phrase).strip() if len(phrase) < 40 else ""
    value = numbered(words, "ordinals").get(bare) or spelled_exactly(bare, words)
    return int(value) if value is not None and 1 <= value <= 31 else None


def _next(month: int, day: int, today: date) -> date | None:
    found = _made(today.year, month, day)
    if found is not None and found < today:
        return _made(today.year + 1, month, day)
    return found


def _by_phrase(said: str, today: date, words: Pack) -> date | None:
    said = without(said, words.greeting, words.am, words.pm)
    for phrase, days in sorted(numbered(words, "days").items(), key=lambda one: -len(one[0])):
        pattern = any_of((phrase,))
        if pattern is not None and pattern.search(said) is not None:
            weekday = next((at for at, _ in _names(said, words.weekdays)), None)
            if days and days % DAYS_PER_WEEK == 0 and weekday is not None:
                return today + timedelta(days=days - today.weekday() + weekday)
            return None if days <= -DAYS_PER_WEEK else today + timedelta(days=days)
    return None


def _counts(said: str, words: Pack) -> Iterator[tuple[float | None, str, int, int]]:
    """Give every unit of time with its number, None without one, and where the two begin and end."""
    for unit, names in words.units.items():
        pattern = any_of(names)
        for found in pattern.finditer(said) if pattern is not None else ():
            number = number_before(said, found.start(), words)
            one = re.search(rf"{alternatives(words.one)}\s*$", said[: found.start()]) if words.one else None
            if number is not None:
                yield number[0], unit, number[1], found.end()
            elif one is not None:
                yield 1, unit, one.start(), found.end()
            else:
                yield None, unit, found.start(), found.end()


def _relative(said: str, today: date, words: Pack) -> date | None:
    for count, unit, start, end in _counts(said, words):
        forms = words.later if count is not None else [form for form in words.later if not form.startswith("{")]
        if any(_stands(form, said[:start], said[end:]) for form in forms):
            return _after(today, 1 if count is None else count, unit)
    return None


def _stands(form: str, before: str, behind: str) -> bool:
    """Return whether the words of a form stand before and behind a count."""
    first, _, last = form.partition("{count}")
    return _matches(first, r"{}\s*$", before) and _matches(last, r"^\s*{}", behind)


def _matches(part: str, place: str, text: str) -> bool:
    options = alternatives(tuple(part.strip().split("|"))) if part.strip() else ""
    if not options:
        return True
    return re.search(place.format(options), text) is not None


def _after(today: date, count: float, unit: str) -> date | None:
    if count > MAX_UNITS:
        return None
    if unit in ("day", "week"):
        return today + timedelta(days=int(count * (DAYS_PER_WEEK if unit == "week" else 1)))
    months = today.month - 1 + int(count * (12 if unit == "year" else 1))
    year, month = today.year + months // 12, months % 12 + 1
    return _made(year, month, min(today.day, monthrange(year, month)[1])) if year <= 9999 else None


def _weeks_from(said: str, today: date, words: Pack) -> date | None:
    """Return a day some weeks from a weekday: "a week from friday", "Freitag in einer Woche"."""
    named = next(iter(_names(said, words.weekdays)), None)
    if named is None:
        return None
    at, found = named
    for count, unit, start, end in _counts(said, words):
        if count is None or unit != "week" or not 0 < count <= MAX_UNITS:
            continue
        is_before = end <= found.start() and _WEEK_FROM.fullmatch(said[end : found.start()]) is not None
        is_behind = found.end() <= start and any(_stands(form, said[:start], said[end:]) for form in words.later)
        is_from = is_before and not said[:start].strip(" .,") and _follows(said[end : found.start()], words)
        if is_from or is_behind:
            return _coming(at, today) + timedelta(days=int(count * DAYS_PER_WEEK))
    return None


def _follows(between: str, words: Pack) -> bool:
    """Return whether a word between a count of weeks and a weekday says from when they count."""
    starts = any_of((*words.origin, *words.date_joins))
    return starts is not None and starts.search(between) is not None


def _coming(at: int, today: date) -> date:
    return today + timedelta(days=(at - today.weekday() - 1) % DAYS_PER_WEEK + 1)


def _weekday(said: str, today: date, words: Pack) -> date | None:
    for at, found in _names(said, words.weekdays):
        if _is_another_word(said, found, words):
            continue
        if _is_past(said[: found.start()], said[found.end() :], words):
            return today - timedelta(days=(today.weekday() - at - 1) % DAYS_PER_WEEK + 1)
        if _is_beyond(said, found.start(), found.end(), words):
            return None
        if (number := _number_behind(said[found.end() :], words)) is not None:
            return _with_number(at, *number, today)
        if any(unit == "week" and count is not None for count, unit, _, _ in _counts(said, words)):
            return None  # some weeks, and a weekday: nobody knows from when
        return _coming(at, today)
    return None


def _is_beyond(said: str, start: int, end: int, words: Pack) -> bool:
    """Return whether words beside a day tell of the time before or behind it: "before Friday", "after 24 December"."""
    small = alternatives((*words.date_joins, *words.determiners, *words.articles))
    between = rf"(?:\s+{small})*\s*$" if small else r"\s*$"
    for form in words.beyond:
        before, _, behind = (fold(part) for part in form.partition("{day}"))
        if before.strip() and re.search(rf"(?<!\w){re.escape(before.strip())}{between}", said[:start]):
            return True
        if behind.strip() and re.match(rf"['’]?{re.escape(behind)}", said[end:]):
            return True
    return False


def _number_behind(behind: str, words: Pack) -> tuple[int, bool] | None:
    """Return the number behind the name of a day, and whether it is sure to be one: "Friday the 13th"."""
    joined = _joins(words).match(behind)
    at = joined.end() if joined is not None else 0
    found = _NUMBER_BEHIND.match(behind, at)
    if found is None:
        return None
    return int(found[1]), bool(found["mark"]) or bool(behind[:at].strip(" ,.")) or int(found[1]) > HOURS


def _with_number(weekday: int, number: int, is_sure: bool, today: date) -> date | None:
    """Return the next day of this name and number; None where there is none before long.

    A number that may be an hour has to be that of the next day of the name.
    """
    coming = _coming(weekday, today)
    if not is_sure:
        return coming if coming.day == number else None
    for ahead in range(MONTHS_AHEAD):
        month = today.month - 1 + ahead
        day = _made(today.year + month // 12, month % 12 + 1, number)
        if day is not None and day > today and day.weekday() == weekday:
            return day
    return None


def _is_another_word(said: str, found: re.Match[str], words: Pack) -> bool:
    """Return whether a short name of a day stands in a text of its own, in which it is more likely another word.

    Nothing else may be said there but small words, figures, times of day and names of days: "on sat at 5".
    """
    if found[0] not in {fold(one) for one in words.homonyms}:
        return False
    rest = f"{said[: found.start()]} {said[found.end() :]}"
    return re.search(r"[^\W\d_]{3,}", without(rest, _beside_days(words))) is not None


@lru_cache(maxsize=64)
def _beside_days(words: Pack) -> tuple[str, ...]:
    """Return what may stand beside the short name of a day."""
    named = (*words.weekdays, *words.months, *words.days.values(), *words.numbers.values())
    names = [one for group in named for one in group]
    names += [one for phrases in words.days.values() for phrase in phrases for one in phrase.split()]  # next, prochaine
    clock = (re.sub(r"\{\w+\}", " ", form).strip() for forms in words.clock.values() for form in forms)
    groups = (words.politeness, words.filler, words.yes, words.wish, words.conjunctions, words.last, words.determiners)
    small = (
        *words.at,
        *words.oclock,
        *words.am,
        *words.pm,
        *words.date_joins,
        *(one for group in groups for one in group),
    )
    return tuple(one for one in (*names, *clock, *small) if one)


def _is_past(before: str, behind: str, words: Pack) -> bool:
    """Return whether a word beside a weekday says that it has passed: last friday, lundi dernier."""
    last = alternatives(words.last)
    if not last:
        return False
    return re.search(rf"{last}\s*$", before) is not None or re.match(rf"\s*{last}", behind) is not None
