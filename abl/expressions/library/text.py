"""String functions. Spec: abl-language 6.6."""

from __future__ import annotations

from abl.expressions.environment import JsonValue
from abl.expressions.library.entry import Entry, entry
from abl.expressions.limits import MAX_STEPS, MAX_TEXT_CHARS
from abl.expressions.values import clip, ends_with, is_list, is_map, number_of, starts_with, text_of


def upper(text: JsonValue) -> JsonValue:
    """The text in capital letters."""
    return None if text is None else clip(text_of(text).upper())


def lower(text: JsonValue) -> JsonValue:
    """The text in small letters."""
    return None if text is None else clip(text_of(text).lower())


def trim(text: JsonValue) -> JsonValue:
    """The text without blanks at both ends."""
    return None if text is None else text_of(text).strip()


def substring(text: JsonValue, start: JsonValue, end: JsonValue = None) -> JsonValue:
    """The part of the text from `start` (counted from 0) up to, not including, `end`."""
    first = index_of(start)
    last = None if end is None else index_of(end)
    if text is None or first is None or (end is not None and last is None):
        return None
    return text_of(text)[first:last]


def replace(text: JsonValue, old: JsonValue, new: JsonValue) -> JsonValue:
    """The text with every `old` replaced by `new`."""
    if text is None:
        return None
    whole, before, after = text_of(text), text_of(old), text_of(new)
    growth = len(after) - len(before)
    if not before:
        return whole
    room = -1 if growth <= 0 else max(0, MAX_TEXT_CHARS - len(whole)) // growth
    return clip(whole.replace(before, after, room))


def split(text: JsonValue, separator: JsonValue) -> JsonValue:
    """The list of the parts between the separators; with an empty separator the list of characters."""
    if text is None:
        return None
    whole, mark = text_of(text), text_of(separator)
    return whole.split(mark, MAX_STEPS) if mark else list(whole[:MAX_STEPS])


def join(parts: JsonValue, separator: JsonValue = ",") -> JsonValue:
    """The elements of a list as one text with the separator between them."""
    if not is_list(parts):
        return None
    mark, pieces, length = text_of(separator), list[str](), 0
    for part in parts[:MAX_STEPS]:
        if length > MAX_TEXT_CHARS:
            break
        pieces.append(text_of(part))
        length += len(pieces[-1]) + len(mark)
    return clip(mark.join(pieces))


def pad_start(text: JsonValue, length: JsonValue, fill: JsonValue = " ") -> JsonValue:
    """The text filled up in front to the length."""
    return _filling(text, length, fill, in_front=True)


def pad_end(text: JsonValue, length: JsonValue, fill: JsonValue = " ") -> JsonValue:
    """The text filled up behind to the length."""
    return _filling(text, length, fill, in_front=False)


def repeat(text: JsonValue, times: JsonValue) -> JsonValue:
    """The text so many times, one after the other."""
    count = index_of(times)
    if text is None or count is None:
        return None
    whole = text_of(text)
    return whole * min(count, MAX_TEXT_CHARS // max(1, len(whole)))


def starts(text: JsonValue, start: JsonValue) -> JsonValue:
    """Whether the text begins with `start`."""
    return starts_with(text, start)


def ends(text: JsonValue, end: JsonValue) -> JsonValue:
    """Whether the text ends with `end`."""
    return ends_with(text, end)


def length_of(value: JsonValue) -> JsonValue:
    """How many characters a text, elements a list or keys a map has; 0 for null."""
    if value is None:
        return 0
    return len(value) if isinstance(value, str) or is_list(value) or is_map(value) else len(text_of(value))


def index_of(value: JsonValue) -> int | None:
    """Return `value` as a count of characters, never negative; None when it is no number."""
    number = number_of(value)
    return None if number is None else max(0, min(int(number), MAX_TEXT_CHARS))


def _filling(text: JsonValue, length: JsonValue, fill: JsonValue, *, in_front: bool) -> JsonValue:
    wanted, mark = index_of(length), text_of(fill)
    if text is None or wanted is None:
        return None
    whole = text_of(text)
    missing = wanted - len(whole)
    if missing <= 0 or not mark:
        return whole
    filling = (mark * (missing // len(mark) + 1))[:missing]
    return filling + whole if in_front else whole + filling


ENTRIES: tuple[Entry, ...] = (
    entry("UPPER(text)", 1, 1, upper),
    entry("LOWER(text)", 1, 1, lower),
    entry("TRIM(text)", 1, 1, trim),
    entry("SUBSTRING(text, start, end?)", 2, 3, substring),
    entry("REPLACE(text, old, new)", 3, 3, replace),
    entry("SPLIT(text, separator)", 2, 2, split),
    entry("JOIN(list, separator?)", 1, 2, join),
    entry("PAD_START(text, length, fill?)", 2, 3, pad_start),
    entry("PAD_END(text, length, fill?)", 2, 3, pad_end),
    entry("REPEAT(text, times)", 2, 2, repeat),
    entry("STARTS_WITH(text, start)", 2, 2, starts),
    entry("ENDS_WITH(text, end)", 2, 2, ends),
    entry("LENGTH(value)", 1, 1, length_of),
    entry("SIZE(value)", 1, 1, length_of),
)
