"""Times of day, by the words of one language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from abl.languages import Pack, fold, form_pattern
from abl.languages.folding import AFTER_WORD, BEFORE_WORD, is_spaced
from engine.extraction.numbers import spelled_exactly
from engine.extraction.phrases import alternatives, any_of, numbered
from engine.extraction.stated import is_range, leaves_open, stated

_DAY = re.compile(r"(?<!\d)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|(?<!\d)\d{1,2}[./]\d{1,2}[./]\d{2,4}(?!\d)")
_SHORT_MARK = 4
"""Marks of the half of the day shorter than this count right behind the hour only: `am` is a word of its own."""

_AFTER_MARK = r"(?![^\W\d_]|[\u0900-\u0963])"
"""Minutes may stand right behind a mark: `9h30`."""

_HAN_NUMBER = re.compile(r"[〇一二三四五六七八九十]+(?=[時分])")
_HAN_TIME = re.compile(
    r"(?:\d{1,2}|[〇一二三四五六七八九十]{1,3})時(?!間)(?:半|(?:\d{1,2}|[〇一二三四五六七八九十]{1,3})分)?"
)
_FIGURES_BEHIND = re.compile(r"\d{1,2}分")
_LAST_FIGURES = re.compile(r"\d{1,2}$")
_NEXT_WORDS = re.compile(r"(?:[ -][^\W\d_]+){1,3}")
MIN_MINUTES = 10
"""Fewer minutes than these are hardly said as a bare number."""

FIRST_EVENING_HOUR = 5
"""An hour before it is one of the night, also beside a word for the evening."""

MAX_CHARS = 4_000


def read_time(text: str, words: Pack) -> str | None:
    """Return the first time of day as `HH:MM`."""
    text = stated(text[:MAX_CHARS], words)
    if is_range(text, words) or leaves_open(text, words, lambda part: _holds(part, words)):
        return None
    return _first(text, words)


def _holds(part: str, words: Pack) -> bool:
    return any(sign.isdigit() for sign in part) or _first(part, words) is not None


def _first(text: str, words: Pack) -> str | None:
    said = _with_digits(_DAY.sub(" ", fold(text)), words)
    return _by_form(said, words) or _in_figures(said, words) or _by_name(said, words)


def times_in(said: str, words: Pack) -> Iterator[tuple[int, int, bool]]:
    """Give where times of day stand in a folded text, and whether each can be nothing else: "at 8" may be a number."""
    for found in _HAN_TIME.finditer(said):
        yield *found.span(), True
    if not is_spaced(said):
        return
    for minutes, forms in words.clock.items():
        for form in forms:
            for found in form_pattern(form).finditer(said):
                if _hour(found["hour"], words) is None:
                    continue
                behind = _spelled_minutes(said[found.end() :], words) if minutes == 0 else None
                end = found.end() + (behind[1] if behind is not None else 0)
                yield found.start(), end, minutes != 0 or behind is not None or _has_half(said[end:], words)
    for found in _clock(words).finditer(said):
        if found["minute"] or found["behind"] or found["mark"] or found["at"]:
            both = bool(found["mark"] and found["at"])
            is_half = _has_half(found["mark"] or said[found.end() :], words)
            yield *found.span(), bool(found["minute"] or found["behind"]) or both or is_half


def _has_half(behind: str, words: Pack) -> bool:
    """Return whether a text begins with a half of the day: am, in the evening."""
    pattern = any_of((*words.am, *words.pm))
    return pattern is not None and pattern.match(behind.lstrip()) is not None


def _by_form(said: str, words: Pack) -> str | None:
    for minutes, form in _longest_first(words):
        for found in form_pattern(form).finditer(said):
            if minutes == 0 and _FIGURES_BEHIND.match(said, found.end()):
                continue  # with minutes in figures: 3時15分
            hour = _hour(found["hour"], words)
            if hour is not None and not (minutes == 0 and found["hour"].isdigit()):
                if minutes == 0 and _is_of_a_unit(said[found.end() :], words):
                    continue
                told = int(minutes) or _minutes_behind(said[found.end() :], words)
                at = (_in_half(hour, said, found.end(), words) * 60 + told) % (24 * 60)
                return f"{at // 60:02d}:{at % 60:02d}"
    return None


@lru_cache(maxsize=64)
def _longest_first(words: Pack) -> tuple[tuple[float, str], ...]:
    """Return the forms of a time with what each means: those of a full hour last, the longest first."""
    forms = [(minutes, form) for minutes, told in words.clock.items() for form in told]
    return tuple(sorted(forms, key=lambda one: (one[0] == 0, -len(one[1].split()), -len(one[1]))))


def _with_digits(said: str, words: Pack) -> str:
    """Return a text of a script without spaces with its hours and minutes in figures: 三時十五分."""
    if is_spaced(said):
        return said

    def figures(found: re.Match[str]) -> str:
        value = spelled_exactly(found[0], words)
        return f"{value:g}" if value is not None else found[0]

    return _HAN_NUMBER.sub(figures, said)


def _is_of_a_unit(behind: str, words: Pack) -> bool:
    """Return whether a number has a unit of days behind it: it says how long, and not when."""
    pattern = any_of(tuple(one for group in words.units.values() for one in group))
    return pattern is not None and pattern.match(behind.lstrip(" -")) is not None


def _minutes_behind(behind: str, words: Pack) -> int:
    found = _spelled_minutes(behind, words)
    return found[0] if found is not None else 0


def _spelled_minutes(behind: str, words: Pack) -> tuple[int, int] | None:
    """Return the minutes that are said in words behind a full hour, and where they end: "quinze heures trente"."""
    told = _NEXT_WORDS.match(behind)
    ends = [found.end() for found in re.finditer(r"[^\s-]+", told[0])] if told else []
    for end in reversed(ends):
        value = spelled_exactly(" ".join(behind[:end].replace("-", " ").split()), words)
        if value is not None and MIN_MINUTES <= value < 60 and value.is_integer():
            return int(value), end
    return None


def _hour(written: str, words: Pack) -> int | None:
    if not is_spaced(written) and (figures := _LAST_FIGURES.search(written)) is not None:
        written = figures[0]
    value = float(written) if written.isdigit() else numbered(words, "ordinals").get(written)
    value = spelled_exactly(written, words) if value is None else value
    return int(value) if value is not None and 0 <= value <= 24 else None


@lru_cache(maxsize=64)
def _clock(words: Pack) -> re.Pattern[str]:
    marks = (
        alternatives((*words.am, *words.pm, *words.oclock)).replace(BEFORE_WORD, "").replace(AFTER_WORD, _AFTER_MARK)
    )
    halves = tuple(one for one in (*words.am, *words.pm) if not _is_short(one))
    before = alternatives((*words.at, *halves))
    start = rf"(?P<at>{before}\s*)?" if before else "(?P<at>(?!))?"
    mark = rf"\s*(?P<mark>{marks})" if marks else "(?P<mark>(?!))"
    return re.compile(
        rf"(?<![\d.]){start}(?<![\d.:])(?P<hour>\d{{1,2}})(?::(?P<minute>\d{{2}}))?(?:{mark}\s*(?P<behind>\d{{2}}(?!\d)分?)?)?"
        rf"(?![\d:])(?!\.\d)"
    )


def _in_figures(said: str, words: Pack) -> str | None:
    for found in _clock(words).finditer(said):
        hour, mark = int(found["hour"]), (found["mark"] or "").strip()
        minute = int((found["minute"] or found["behind"] or "0").rstrip("分"))
        is_marked = found["minute"] or mark or found["at"]
        if not is_marked or hour > 23 or minute > 59:
            continue
        hour = _in_half(hour, said, found.start("mark") if mark else found.end(), words)
        return f"{hour:02d}:{minute:02d}"
    return None


def _in_half(hour: int, said: str, end: int, words: Pack) -> int:
    """Return the hour of 24 by the half of the day that is named."""
    if hour < 12 and _is_named((*words.pm, *words.afternoons), said, end):
        return hour + 12
    if FIRST_EVENING_HOUR <= hour < 12 and not _is_named(words.am, said, end) and _is_named(words.evenings, said, end):
        return hour + 12
    if hour == 12 and _is_named(words.am, said, end):
        return 0
    return hour


def _is_short(mark: str) -> bool:
    return len(fold(mark)) < _SHORT_MARK and mark.isascii()


def _is_named(marks: tuple[str, ...], said: str, end: int) -> bool:
    behind = said[end : end + 40].lstrip()
    for mark in marks:
        if _is_short(mark):
            if behind.startswith(fold(mark)):
                return True
        elif (pattern := any_of((mark,))) is not None and pattern.search(said) is not None:
            return True
    return False


def _by_name(said: str, words: Pack) -> str | None:
    for clock, names in words.times.items():
        if (pattern := any_of(names)) is not None and pattern.search(said) is not None:
            return clock
    return None
