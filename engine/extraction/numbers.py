"""Numbers and sums of money in words and digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from abl.languages import Pack, fold, folded_phrase
from abl.languages.folding import is_spaced
from engine.extraction.phrases import alternatives, any_of, numbered

_NUMBER = re.compile(
    r"(?<![a-z\d.,⁄])[-+]?(?:\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d{1,3}(?:[,.' ]\d{3})+(?!\d)|\d+)(?:[.,]\d+)?"
    r"(?:\s?(k|m)\b)?(?!\d|[.,]\d|⁄|[a-z]+\d)"
)
"""Figures, those of India among them (1,50,000); no part of a code or of another form: 1e3, 1½, 5.5.5."""
_DECIMALS = re.compile(r"\s*(\d{1,6})(?![\d.,])")
_WORD = re.compile(r"(?:[^\W\d_]|[\u0900-\u0963])+")
MAX_DIGITS = 15
MAX_CHARS = 4_000
MAX_PHRASE_WORDS = 6
MAX_SPELLED = 8
"""Numbers in words that are looked for in one text."""
MAX_CACHED_SPLITS = 2_048


def read_numbers(text: str, words: Pack) -> Iterator[tuple[float, int, int]]:
    """Give the numbers of a text one after the other: those in figures, or else those in words.

    The places are those of the folded text.
    """
    said = fold(text[:MAX_CHARS])
    is_written = "⁄" in said
    for one in _with_decimals(said, words):
        said = said[: one[1]] + " " * (one[2] - one[1]) + said[one[2] :]
        is_written = True
        yield one
    for found in _NUMBER.finditer(said):
        value = _value(found[0].strip(), words.decimal) if len(found[0]) <= MAX_DIGITS + 6 else None
        if value is not None:
            is_written = True
            factor, end = _scale_behind(said, found.end(), words)
            start, sign = _sign_before(said, found.start(), words)
            yield value * factor * sign, start, end
    if not is_written:
        for number, begun, end in spelled_numbers(said, words):
            start, sign = _sign_before(said, begun, words)
            yield number * sign, start, end


def _with_decimals(said: str, words: Pack) -> Iterator[tuple[float, int, int]]:
    """Give the numbers that are told with their decimals: "five point two", "5 point 25", "point five"."""
    pattern = any_of(words.decimal_words)
    for found in list(pattern.finditer(said))[:MAX_SPELLED] if pattern is not None else ():
        digits, end = _digits_behind(said, found.end(), words)
        whole = number_before(said, found.start(), words)
        begins = not said[: found.start()].strip()
        if digits and (whole is not None or begins):
            value, begun = whole or (0.0, found.start())
            start, sign = _sign_before(said, begun, words)
            yield sign * float(f"{int(value)}.{digits}"), start, end


def _digits_behind(said: str, start: int, words: Pack) -> tuple[str, int]:
    """Return the digits that stand one after the other behind a place, in figures or as words, and where they end."""
    if (figures := _DECIMALS.match(said, start)) is not None:
        return figures[1], figures.end()
    digits, end = "", start
    for found in _WORD.finditer(said, start):
        value = spelled_exactly(found[0], words) if not said[end : found.start()].strip() else None
        if value is None or value >= 10 or value != int(value):
            break
        digits, end = f"{digits}{int(value)}", found.end()
    return digits, end


def _sign_before(said: str, start: int, words: Pack) -> tuple[int, int]:
    """Return where a number begins with its word of minus, and -1 for one that has it, else 1."""
    minus = any_of(words.minus)
    found = [one for one in minus.finditer(said, 0, start) if not said[one.end() : start].strip()] if minus else []
    if not found:
        return start, 1
    limit = any_of(words.at_least)  # "au moins cinq" is a limit
    is_limit = limit is not None and any(one.end() == found[-1].end() for one in limit.finditer(said, 0, start))
    return (start, 1) if is_limit else (found[-1].start(), -1)


def spelled_numbers(said: str, words: Pack) -> Iterator[tuple[float, int, int]]:
    """Give the first numbers in words of a folded text, with where each begins and ends."""
    for _ in range(MAX_SPELLED):
        found = _in_words(said, words)
        if found is None:
            return
        yield found
        said = " " * found[2] + said[found[2] :]


def read_number(text: str, words: Pack) -> tuple[float, int, int] | None:
    """Return the first number of a text with where it begins and ends.

    >>> from abl.languages import load_pack
    >>> english = load_pack("en")
    >>> read_number("about 1,200.50 euros", english)[0], read_number("twenty-five of them", english)[0]
    (1200.5, 25.0)
    """
    return next(read_numbers(text, words), None)


def spelled_exactly(phrase: str, words: Pack) -> float | None:
    """Return the number a folded phrase is as a whole, None when it is not one."""
    found = _in_words(phrase, words)
    return found[0] if found is not None and phrase[: found[1]].strip() == phrase[found[2] :].strip() == "" else None


def number_before(said: str, end: int, words: Pack) -> tuple[float, int] | None:
    """Return the number that stands right before a place of a folded text, and where it begins."""
    before = said[:end].rstrip(" -'")
    if (figures := re.search(r"(?<![\d.,])\d{1,6}(?:[.,]5)?$", before)) is not None:
        return float(figures[0].replace(",", ".")), figures.start()
    if (run := _run_pattern(words)) is not None:
        found = re.search(f"{run.pattern}$", before)
        value = spelled_exactly(found[0], words) if found is not None else None
        return (value, found.start()) if found is not None and value is not None else None
    starts = [found.start() for found in _WORD.finditer(before)][-MAX_PHRASE_WORDS:]
    for start in starts:
        value = spelled_exactly(before[start:], words)
        if value is not None:
            return value, start
    return None


def _scale_behind(said: str, end: int, words: Pack) -> tuple[float, int]:
    """Return what a number in figures is multiplied by: `5 thousand`."""
    for phrase, scale in numbered(words, "scales").items():
        if scale < 100:
            continue
        found = re.compile(rf"\s*{alternatives((phrase,))}").match(said, end)
        if found is not None:
            return scale, found.end()
    return 1.0, end


def _value(written: str, decimal: str) -> float | None:
    factor = {"k": 1_000.0, "m": 1_000_000.0}.get(written[-1].lower(), 1.0)
    digits = re.sub(r"[^\d.,+-]", "", written)
    comma, dot = digits.rfind(","), digits.rfind(".")
    last = max(comma, dot)
    if last >= 0:
        after = len(digits) - last - 1
        sign = digits[last]
        other = "." if sign == "," else ","
        is_grouping = after == 3 and (digits.count(sign) > 1 or (sign != decimal and other not in digits))
        whole = digits.replace(",", "").replace(".", "") if is_grouping else digits[:last]
        digits = whole if is_grouping else f"{whole.replace(',', '').replace('.', '')}.{digits[last + 1 :] or 0}"
    try:
        return float(digits) * factor
    except ValueError:
        return None


def _in_words(said: str, words: Pack) -> tuple[float, int, int] | None:
    """Return the first number in words with where it begins and ends."""
    if (run := _run_pattern(words)) is not None:
        found = run.search(said)
        split = _split(found[0], words) if found is not None else None
        return (_sum(split), found.start(), found.end()) if found is not None and split else None
    tokens = [(found[0], found.start(), found.end()) for found in _WORD.finditer(said)]
    joins = {folded_phrase(one).strip() for one in words.number_joins}
    parts: list[tuple[str, float]] = []
    start = end = -1
    at = 0
    while at < len(tokens):
        taken, made = _take(tokens, at, words)
        if made and (not parts or _fits(parts, made)):
            parts += made
            start = tokens[at][1] if start < 0 else start
            end = tokens[at + taken - 1][2]
            at += taken
        elif parts and tokens[at][0] in joins and at + 1 < len(tokens):
            following = _take(tokens, at + 1, words)[1]
            if not following or not _fits([*parts, ("join", 0)], following):
                break
            parts.append(("join", 0))
            at += 1
        elif parts:
            break
        else:
            at += 1
    return (_sum(parts), start, end) if parts else None


def _take(tokens: list[tuple[str, int, int]], at: int, words: Pack) -> tuple[int, list[tuple[str, float]]]:
    """Return how many words from `at` on are one number word, and its parts."""
    values, scales = numbered(words, "numbers"), numbered(words, "scales")
    for count in range(min(MAX_PHRASE_WORDS, len(tokens) - at), 0, -1):
        phrase = " ".join(one for one, _, _ in tokens[at : at + count])
        if phrase in values:
            return count, [("value", values[phrase])]
        if phrase in scales:
            return count, [("scale", scales[phrase])]
    return 1, list(_split(tokens[at][0], words) or ())


@lru_cache(maxsize=MAX_CACHED_SPLITS)
def _split(word: str, words: Pack) -> tuple[tuple[str, float], ...] | None:
    """Return the parts of a number written as one word, such as `dreiundvierzig`; None when it is none."""
    pieces: dict[str, tuple[str, float]] = {folded_phrase(one).strip(): ("join", 0.0) for one in words.number_joins}
    pieces |= {one: ("value", number) for one, number in numbered(words, "numbers").items()}
    pieces |= {one: ("scale", number) for one, number in numbered(words, "scales").items()}
    known = sorted((one for one in pieces if " " not in one), key=len, reverse=True)
    best: list[tuple[tuple[str, float], ...] | None] = [None] * (len(word) + 1)
    best[len(word)] = ()
    for at in range(len(word) - 1, -1, -1):
        for piece in known:
            rest = best[at + len(piece)] if word.startswith(piece, at) else None
            if rest is not None:
                best[at] = (pieces[piece], *rest)
                break
    found = best[0]
    is_number = found is not None and any(kind != "join" for kind, _ in found)
    return found if is_number else None


@lru_cache(maxsize=64)
def _run_pattern(words: Pack) -> re.Pattern[str] | None:
    """Return what finds a run of number words in a script without spaces; None for other scripts."""
    names = (*numbered(words, "numbers"), *numbered(words, "scales"))
    if all(is_spaced(one) for one in names):
        return None
    return re.compile(f"(?:{'|'.join(re.escape(one) for one in sorted(names, key=len, reverse=True))})+")


def _fits(parts: list[tuple[str, float]], more: list[tuple[str, float]]) -> bool:
    """Return whether a number goes on with these parts: twenty five does, five six does not."""
    kind, number = next(one for one in more if one[0] != "join")
    if kind == "scale":
        return True
    so_far = _sum(parts)
    is_joined = "join" in (parts[-1][0], more[0][0])
    if is_joined and 0 < so_far % 100 < 10 and number in range(20, 100, 10):
        return True
    return number < _lowest(so_far)


def _lowest(value: float) -> float:
    """Return the place of the last digit that is no zero: 10 for 250."""
    if not value or value != int(value):
        return 0.5
    place = 1
    while value % (place * 10) == 0:
        place *= 10
    return place


def _sum(parts: list[tuple[str, float]] | tuple[tuple[str, float], ...]) -> float:
    stack: list[float] = []
    for kind, number in parts:
        if kind == "value":
            stack.append(number)
        elif kind == "scale":
            part = 0.0
            while stack and stack[-1] < number:
                part += stack.pop()
            stack.append((part or 1) * number)
    return float(sum(stack))


def tidy(value: float) -> int | float:
    """Return a whole number as an int."""
    return int(value) if value.is_integer() else value
