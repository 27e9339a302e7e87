"""Numbers and sums of money in words and digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.extraction.words import Vocabulary

_NUMBER = re.compile(
    r"(?<![\w.,])[-+]?(?:\d{1,3}(?:[,.' ]\d{3})+(?!\d)|\d+)(?:[.,]\d+)?(?:\s?(k|m)\b)?(?![\d])", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)?", re.IGNORECASE)
MAX_DIGITS = 15
MAX_CHARS = 4_000


def read_numbers(text: str, words: Vocabulary) -> Iterator[tuple[float, int, int]]:
    """Give the numbers of a text one after the other: those in figures, or else the first one in words."""
    is_written = False
    for found in _NUMBER.finditer(text[:MAX_CHARS]):
        value = _value(found[0].strip()) if len(found[0]) <= MAX_DIGITS + 6 else None
        if value is not None:
            is_written = True
            yield value, found.start(), found.end()
    if not is_written and (spelled := _in_words(text[:MAX_CHARS], words)) is not None:
        yield spelled


def read_number(text: str, words: Vocabulary) -> tuple[float, int, int] | None:
    """Return the first number of a text with where it begins and ends.

    >>> from engine.extraction.vocabulary import ENGLISH
    >>> read_number("about 1,200.50 euros", ENGLISH)[0], read_number("twenty-five of them", ENGLISH)[0]
    (1200.5, 25.0)
    """
    return next(read_numbers(text, words), None)


def _value(written: str) -> float | None:
    factor = {"k": 1_000.0, "m": 1_000_000.0}.get(written[-1].lower(), 1.0)
    digits = re.sub(r"[^\d.,+-]", "", written)
    comma, dot = digits.rfind(","), digits.rfind(".")
    last = max(comma, dot)
    if last >= 0:
        after = len(digits) - last - 1
        sign = digits[last]
        other = "." if sign == "," else ","
        is_grouping = after == 3 and (digits.count(sign) > 1 or (sign == "," and other not in digits))
        whole = digits.replace(",", "").replace(".", "") if is_grouping else digits[:last]
        digits = whole if is_grouping else f"{whole.replace(',', '').replace('.', '')}.{digits[last + 1 :] or 0}"
    try:
        return float(digits) * factor
    except ValueError:
        return None


def _in_words(text: str, words: Vocabulary) -> tuple[float, int, int] | None:
    total = current = 0
    start = end = -1
    for found in _WORD.finditer(text.lower()):
        parts = found[0].split("-")
        values = [words.numbers.get(part) for part in parts]
        scale = words.scales.get(found[0])
        if None not in values:
            current += sum(value for value in values if value is not None)
        elif scale is not None and start >= 0:
            current = max(current, 1) * scale
            if scale >= 1_000:
                total, current = total + current, 0
        elif found[0] == "and" and start >= 0:
            continue
        elif start >= 0:
            break
        else:
            continue
        start = found.start() if start < 0 else start
        end = found.end()
    return (float(total + current), start, end) if start >= 0 else None


def tidy(value: float) -> int | float:
    """Return a whole number as an int."""
    return int(value) if value.is_integer() else value
