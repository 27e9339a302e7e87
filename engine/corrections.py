"""Another value in answer to a question of yes and no: "make it 5 days", "no, the 18th", "change to B2".

A value is taken where it can only mean one parameter: by the word beside it, by its form, by the options. Nothing runs
on a correction; the question is asked again with the new value. Decision: 0044. Spec: abl-language 5.7, 8.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from abl.languages.folding import folded, is_spaced, words_only
from abl.languages.pack import Pack
from domain.json_values import JsonObject, JsonValue
from engine.answer_forms import clock_words, nearest_half, oclock_words
from engine.answer_names import without_names
from engine.answer_own import is_form_of
from engine.answer_question import Asked, own_words
from engine.answer_tables import SMALL, Kind, compared, kind_of, plain_words
from engine.answer_words import Piece, pieces_of
from engine.answers import QUESTION_SIGNS, begins_with_question
from engine.extraction.corrections import begins_with_correction, corrected
from engine.extraction.phrases import any_of
from engine.limits import MAX_ANSWER_CHARS

NUMERIC = frozenset({"number", "integer", "float", "int", "currency"})
_MOMENTS = {"date": "date", "datetime": "datetime", "time": "time"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d\d:\d\d")
_THOUSANDS = re.compile(r"\d{1,3}([.,])\d{3}(?:\1\d{3})*")
_CODE = re.compile(r"([A-Za-z]{1,4})[- ]?(\d{1,6})")
_WHOLE = re.compile(
    r"\S*@\S*|\b\d{1,2}:\d\d\b|\b\d{1,4}([./-])\d{1,2}\1\d{1,4}\b"
    r"|\b[A-Za-z]{1,4}-?\d+\b|\b[A-Z] \d+\b|\b\d+e\d+\b|\d+[²³]",
)
"""What is one thing with figures in it, and no count: an address, a time of day, a day, a code."""
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b")
_BELOW = re.compile(r"(?<![\w.,])[-−]\d")
_MAIL = re.compile(r"[^\s@<>(),;:]+@[^\s@<>(),;:]+\.[A-Za-z]{2,}")
_IN_TEXT = re.compile(r"(?<![\w.,])\d{3,}(?![\w]|[.,]\d)")
"""A number that stands for one thing inside of a text: `Visa 4711`."""
_NO_LETTER = r"[A-Za-zÀ-ɏ0-9]"
_PLACE = re.compile(r"\{\w+\}|[|^,]")
MIN_NAMED = 3
"""Letters of a word of a value that is looked for in what is refused."""
MIN_DAY = 5
"""Letters of a short name of a day that is taken for one: "vrij" is a word of its own."""
MAX_FREE_WORDS = 5
"""Words of a free text that is taken for a new value."""

Read = Callable[[JsonObject, str], JsonValue]
"""Reads a field of a type from a text."""


class Correction(NamedTuple):
    """What an answer changes: parameter -> new value.

    Attributes:
        is_unclear: A value could mean several, is one of two, is to be added to, or something is said to be wrong.
        is_partial: Something in the answer is understood as no value and as no word of the question.
    """

    values: JsonObject
    is_unclear: bool = False
    is_partial: bool = False


def read_correction(text: str, pack: Pack, asked: Asked, parameters: list[JsonObject], read: Read) -> Correction:
    """Return the new values an answer gives to arguments that were asked about; empty when it gives none."""
    if len(text) > MAX_ANSWER_CHARS or any(sign in text for sign in QUESTION_SIGNS):
        return Correction({})
    own = own_words(asked, pack)
    text = without_names(text, pack, own.words)
    pieces = pieces_of(text, pack, own.words)
    is_question = begins_with_question([one.kind for one in pieces])
    if not pieces or (is_question and not begins_with_correction(text, pack)):
        return Correction({})
    found = _Found(asked.arguments)
    given = [one for one in parameters if one["name"] in asked.arguments]
    if _is_relative(text, pieces, pack):
        return Correction({}, is_unclear=True)
    for parameter in given:
        _read_by_form(found, parameter, text, pack, read)
    counted = _WHOLE.sub(" ", unicodedata.normalize("NFKC", text))
    if any(_DATE.fullmatch(str(value)) for value in asked.arguments.values()):
        counted = _ORDINAL.sub(" ", counted)  # "the 25th" is a day then, whether it is read as one or not
    plain = pieces_of(counted, pack, own.words)
    _read_numbers(found, given, plain, asked, pack)
    if found.numbers and not found.has_moment and _is_no_count(text, pack):
        return Correction({}, is_unclear=True)
    is_short = sum(one.kind is Kind.UNKNOWN for one in pieces) <= MAX_FREE_WORDS
    for parameter in given:
        _read_name(found, parameter, text, pack, is_short=is_short)
    if not found.values and not found.is_unclear:
        _read_free(found, given, text, pack, own.words)
    made = found.settled(is_marked=any(one.kind is Kind.NO for one in pieces) or bool(corrected(text, pack)))
    if made.values:
        return made._replace(is_partial=_leaves_words(made.values, pieces, found, given, asked, pack))
    return made._replace(is_unclear=made.is_unclear or _is_said_wrong(text, pieces, given, pack))


def _is_relative(text: str, pieces: list[Piece], pack: Pack) -> bool:
    """Return whether a number is to be added or taken away: "one day more". How much it is then is not worked out."""
    pattern = any_of(pack.relative)
    said = folded(text).text
    if pattern is None or not any(one.number for one in pieces):
        return False
    joins = {compared(one) for one in pack.conjunctions}
    behind = [said[one.end() :].strip(" .,!。।") for one in pattern.finditer(said) if compared(one[0]) in joins]
    others = any(compared(one[0]) not in joins for one in pattern.finditer(said))
    return others or any(not one for one in behind)


def _is_no_count(text: str, pack: Pack) -> bool:
    """Return whether a number of a text is a part of one, or below zero: "two and a half", "-5"."""
    said = folded(text).text
    return bool(_BELOW.search(said)) or any(
        pattern is not None and pattern.search(said) is not None
        for pattern in map(any_of, (pack.fractions, pack.minus))
    )


def _is_said_wrong(text: str, pieces: list[Piece], given: list[JsonObject], pack: Pack) -> bool:
    """Return whether a text says that one of the values is wrong, and not what is right: "the mail is wrong"."""
    pattern = any_of(pack.wrong)
    if pattern is None or pattern.search(folded(text).text) is None:
        return False
    names = {word.text for one in given for word in plain_words(str(one["name"]), pack)}
    return any(one.kind is Kind.OWN or one.own or _is_named(one.text, names) for one in pieces if not one.number)


def _leaves_words(
    values: JsonObject, pieces: list[Piece], found: _Found, given: list[JsonObject], asked: Asked, pack: Pack
) -> bool:
    """Return whether a correction has words that are of no value and not of the question: "a red one for 2 days"."""
    known = set(_marker_words(pack)) | found.words
    for name, value in values.items():
        known |= {one.text for one in plain_words(f"{name} {value}", pack)} | _words_beside(name, asked, pack)
    if found.has_moment:
        known |= _calendar_words(pack)
    if any(isinstance(values.get(one["name"]), int | float) for one in given):
        known |= {word.text for names in pack.units.values() for name in names for word in plain_words(name, pack)}
        known |= {compared(one) for names in pack.currencies.values() for one in names}
    return any(
        one.kind is Kind.UNKNOWN and not one.own and not any(_is_known(word, known) for word in one.text.split())
        for one in pieces
    )


def _is_known(word: str, known: set[str]) -> bool:
    if not is_spaced(word):
        return any(word in one or one in word for one in known if not is_spaced(one))
    return word.isdigit() or word in known or any(is_form_of(word, one) for one in known if len(one) >= MIN_NAMED)


@lru_cache(maxsize=64)
def _calendar_words(pack: Pack) -> frozenset[str]:
    """Return the words that days and times of day are told with."""
    groups = (*pack.months, *pack.weekdays, *pack.days.values(), *pack.units.values(), pack.oclock, pack.at)
    phrases = [one for group in groups for one in group]
    phrases += [*pack.date_joins, *pack.month_days]
    words = {word.text for one in phrases for word in plain_words(_PLACE.sub(" ", one), pack)}
    return frozenset(words | clock_words(pack) | set(_day_names(pack)))


class _Found:
    """The values that were read for each parameter, the ones it has already among them."""

    def __init__(self, arguments: JsonObject) -> None:
        self.arguments = arguments
        self.values: dict[str, list[JsonValue]] = {}
        self.is_unclear = False
        self.numbers: set[str] = set()
        """The numbers that were taken for a value."""
        self.words: set[str] = set()
        """The words that were read as a value."""
        self.is_joined = False
        self.has_moment = False

    def add(self, name: str, value: JsonValue) -> None:
        known = self.values.setdefault(name, [])
        if value not in known:
            known.append(value)

    def settled(self, *, is_marked: bool) -> Correction:
        changed: JsonObject = {}
        for name, values in self.values.items():
            new = [value for value in values if value != self.arguments[name]]
            if len(new) > 1 or (new and len(values) > len(new) and (self.is_joined or not is_marked)):
                return Correction({}, is_unclear=True)
            if new:
                changed[name] = new[0]
        return Correction({}, is_unclear=True) if self.is_unclear else Correction(changed)


def _read_by_form(found: _Found, parameter: JsonObject, text: str, pack: Pack, read: Read) -> None:
    """Read options, dates and codes: their form says what they are."""
    name, current = parameter["name"], found.arguments[parameter["name"]]
    if options := parameter.get("enum"):
        said = words_only(text)
        named = [one for one in options if words_only(str(one)).strip() and words_only(str(one)) in said]
        refused = [words_only(word).rstrip() for word in pack.no[1:]]
        named = [one for one in named if not any(f"{word}{words_only(str(one))}" in said for word in refused)]
        for one in named:
            if not any(one != other and words_only(str(one)).strip() in words_only(str(other)) for other in named):
                found.add(name, one)
        return
    by_value = "date" if _DATE.fullmatch(str(current)) else "time" if _TIME.fullmatch(str(current)) else ""
    moment = _MOMENTS.get(str(parameter.get("type"))) or by_value
    if moment:
        field: JsonObject = {"name": name, "type": moment}
        tail = corrected(text, pack)
        value = (read(field, tail) if tail else None) or read(field, text)
        if moment == "time" and isinstance(value, str):
            value = nearest_half(value, text, str(current), pack)
        if value is not None:
            found.add(name, value)
            found.has_moment = True
        return
    if isinstance(current, str) and _MAIL.fullmatch(current):
        for one in _MAIL.findall(text):
            found.add(name, one)
            found.words |= {word.text for word in plain_words(one, pack)}
        return
    if isinstance(current, str) and (code := _CODE.fullmatch(current)) is not None:
        said = unicodedata.normalize("NFKC", text)
        letters_of = rf"(?<!{_NO_LETTER})([A-Za-z]{{{len(code[1])}}})([- ]?)(\d{{1,6}})(?!{_NO_LETTER}|[:.,]\d)"
        for found_code in re.finditer(letters_of, said):
            one = (found_code[0], found_code[1], found_code[3])
            if found_code[2] and kind_of(compared(one[1]), pack) is not None:
                continue  # a word before a number: "o 16"
            spelled = current[: code.start(2)].upper() if current[:1].isupper() else one[1]
            letters = one[1].upper() if current[:1].isupper() else one[1]
            between = current[len(code[1]) : code.start(2)]
            found.add(name, current if (spelled, one[2]) == (letters, code[2]) else f"{letters}{between}{one[2]}")


def _read_name(found: _Found, parameter: JsonObject, text: str, pack: Pack, *, is_short: bool) -> None:
    """Read a day or a currency that an argument has as a word, and a number inside of a text: "Friday", "Visa 4711".

    `is_short`: the text says little else; a longer one has to sound like a correction.
    """
    name, current = parameter["name"], found.arguments[parameter["name"]]
    if not isinstance(current, str) or parameter.get("enum") or parameter.get("type") in _MOMENTS or not current:
        return
    for table in (_day_names(pack), _currency_names(pack)):
        meant = table.get(compared(current).strip())
        if meant is None:
            continue
        for said, other in _named(text, table) if is_short or corrected(text, pack) else ():
            is_code = current in pack.currencies
            found.add(name, current if other == meant else str(other) if is_code else said)
        return
    number = _IN_TEXT.findall(current)
    if len(number) != 1 or current.isdigit() or _DATE.fullmatch(current) or _TIME.fullmatch(current):
        return
    told = [one for one in _IN_TEXT.findall(unicodedata.normalize("NFKC", text)) if len(one) == len(number[0])]
    for one in told:
        found.add(name, current.replace(number[0], one))


def _named(text: str, table: Mapping[str, object]) -> list[tuple[str, object]]:
    """Return the names of a table that stand in a text, as they are written there, and what each means."""
    pattern = any_of(tuple(table))
    said = folded(text)
    found = pattern.finditer(said.text) if pattern is not None else ()
    return [
        (text[said.places[one.start()] : said.places[one.end()]], meant)
        for one in found
        if (meant := table.get(compared(one[0]).strip())) is not None
    ]


@lru_cache(maxsize=64)
def _day_names(pack: Pack) -> Mapping[str, object]:
    """Return what days are called -> which day it is."""
    days: dict[str, object] = {
        compared(one): f"day {at}" for at, names in pack.days.items() if at >= 0 for one in names
    }
    week = {
        compared(one): f"weekday {at}"
        for at, names in enumerate(pack.weekdays)
        for one in names
        if one == names[0] or len(one) >= MIN_DAY
    }
    return week | days


@lru_cache(maxsize=64)
def _currency_names(pack: Pack) -> Mapping[str, object]:
    """Return what currencies are called, their codes too -> the code."""
    named: dict[str, object] = {
        compared(one): code for code, names in pack.currencies.items() for one in names if one[-1].isalpha()
    }
    return named | {compared(code): code for code in pack.currencies}


def _read_numbers(found: _Found, given: list[JsonObject], pieces: list[Piece], asked: Asked, pack: Pack) -> None:
    """Read numbers: each is of the parameter whose word stands beside it, else of the only one it can mean."""
    markers = _marker_words(pack)
    said = [one for one in pieces if ((one.kind not in SMALL or one.own) and one.text not in markers) or one.number]
    beside = {one["name"]: _words_beside(one["name"], asked, pack) for one in given if _is_numeric(one, asked)}
    for at, one in enumerate(said):
        if not one.number:
            continue
        after = said[at + 1] if at + 1 < len(said) else None
        before = said[at - 1] if at else None
        if found.has_moment and after is not None and after.text in oclock_words(pack):
            continue
        meant = _of_words(after, beside) or _of_counter(pieces, one, beside) or _of_words(before, beside)
        is_foreign = any(near is not None and near.kind is Kind.UNKNOWN for near in (before, after))
        is_wait = one.number == "1" and not one.text[0].isdigit() and after is not None and after.kind is Kind.WAIT
        if not meant:
            if is_foreign or is_wait or found.has_moment:
                continue  # "jedną chwilę" is one moment
            meant = [name for name in beside if _fits(one.number, found.arguments[name])]
            longest = [name for name in meant if isinstance(found.arguments[name], str)]
            meant = longest or meant
        if before is not None and before.kind is Kind.JOIN and at > 1 and said[at - 2].number:
            found.is_joined = True
        if len(meant) > 1:
            found.is_unclear = found.is_unclear or all(str(found.arguments[name]) != one.number for name in meant)
        elif meant:
            value = _typed(one.number, found.arguments[meant[0]], pack)
            if value is not None:
                found.add(meant[0], value)
                found.numbers.add(one.number)


def _is_numeric(parameter: JsonObject, asked: Asked) -> bool:
    current = asked.arguments[parameter["name"]]
    if isinstance(current, bool) or parameter.get("enum"):
        return False
    return isinstance(current, int | float) or (isinstance(current, str) and current.isdigit())


def _words_beside(name: str, asked: Asked, pack: Pack) -> set[str]:
    """Return the words that stand beside a parameter's value in the question, and those of its name."""
    own = own_words(asked, pack)
    words = {one.text for one in plain_words(name, pack)}
    counters: set[str] = set()
    current = str(asked.arguments[name])
    shared = [other for other, value in asked.arguments.items() if other != name and str(value) == current]
    if not shared:
        mine = [one for one in own.beside if one.number == current and (one.is_behind or not one.is_shared)]
        words |= {one.word for one in mine}
        counters = {one.word for one in mine if one.is_behind and not is_spaced(one.word)}
    for names in pack.units.values():
        unit = {one.text for name in names for one in plain_words(name, pack)}
        words |= unit if unit & words else set()
    return counters | {word for word in words if kind_of(word, pack) is None and not word[0].isdigit()}


def _of_words(piece: Piece | None, beside: dict[str, set[str]]) -> list[str]:
    if piece is None or piece.number:
        return []
    text = piece.own or piece.text
    return [name for name, words in beside.items() if any(text == word or is_form_of(text, word) for word in words)]


def _of_counter(pieces: list[Piece], one: Piece, beside: dict[str, set[str]]) -> list[str]:
    """Return the parameters whose word of counting stands behind a number, in a script without spaces: 5日間."""
    at = next(place for place, piece in enumerate(pieces) if piece is one)
    first = pieces[at + 1].text if at + 1 < len(pieces) else ""
    if not first or is_spaced(first):
        return []
    behind = "".join(piece.text for piece in pieces[at + 1 : at + 1 + MAX_FREE_WORDS])
    return [name for name, words in beside.items() if any(_counts(behind, first, word) for word in words)]


def _counts(behind: str, first: str, word: str) -> bool:
    same = next(
        (at for at, (a, b) in enumerate(zip(behind, word, strict=False)) if a != b), min(len(behind), len(word))
    )
    return same >= 2 or (same > 0 and same == len(word)) or (same > 0 and len(first) > 1)


def _fits(number: str, current: JsonValue) -> bool:
    return not isinstance(current, str) or len(number) == len(current)


def _typed(number: str, current: JsonValue, pack: Pack) -> JsonValue:
    """Return a number as the argument has it; None where it cannot be one."""
    if isinstance(current, str):
        return number
    grouped = _THOUSANDS.fullmatch(number)
    if grouped is not None and grouped[1] != pack.decimal:
        number = number.replace(grouped[1], "")
    number = number.replace(",", ".")
    if number.count(".") > 1:
        return None
    value = float(number)
    if isinstance(current, int) and not value.is_integer():
        return None
    return int(value) if value.is_integer() else value


def _replaced(found: _Found, given: list[JsonObject], text: str, new: list[Piece], pack: Pack) -> list[str]:
    """Return the parameters whose value a text refuses, and has not in its new value: "not Kyoto, Nara"."""
    said = pieces_of(text, pack, frozenset())
    refused: set[str] = set()
    for at, one in enumerate(said):
        if one.kind is Kind.NO or one.text in _marker_words(pack):
            refused |= {said[place].text for place in range(max(at - 2, 0), min(at + 4, len(said)))}
    kept = {one.text for one in new}
    refused -= kept
    if not is_spaced(text):
        refused, kept = {"".join(one.text for one in said)}, {"".join(one.text for one in new)}
    return [
        one["name"]
        for one in given
        if isinstance(value := found.arguments[one["name"]], str)
        and any(_is_named(word.text, refused) for word in plain_words(value, pack) if not word.number)
        and not any(_is_named(word.text, kept) for word in plain_words(value, pack))
    ]


def _is_named(word: str, said: set[str]) -> bool:
    """Return whether a word is among some others, in whatever form; in a script without spaces, inside of one."""
    if not is_spaced(word):
        return any(word in one for one in said)
    return len(word) >= MIN_NAMED and any(word == one or is_form_of(one, word) for one in said)


def _behind_contrast(text: str, pack: Pack) -> str:
    """Return what stands behind a "but" after a yes: "yes but to Anna"."""
    pattern, said = any_of(pack.contrast), folded(text)
    found = pattern.search(said.text) if pattern is not None else None
    if found is None or not any(
        one.kind is Kind.YES for one in pieces_of(said.text[: found.start()], pack, frozenset())
    ):
        return ""
    return text[said.places[found.end()] :] if found.end() < len(said.places) else ""


def _read_free(
    found: _Found, given: list[JsonObject], text: str, pack: Pack, own: frozenset[str] = frozenset()
) -> None:
    """Read a free text behind "make it": one that shares a word with the value, or is a name like it."""
    tail = corrected(text, pack) or _behind_contrast(text, pack)
    words = list(pieces_of(tail, pack, frozenset()))
    replaced = _replaced(found, given, text, words, pack)
    told = own if replaced else frozenset()
    while words and (words[0].kind in SMALL or words[0].text in told):
        words.pop(0)
    if not words or len(words) > MAX_FREE_WORDS or any(one.kind is not Kind.UNKNOWN for one in words):
        return
    if replaced and any(one.text in told for one in words):
        return
    start = compared(tail).find(words[0].text)
    value = tail[max(start, 0) :].strip(" .,!;")
    meant = []
    for parameter in given:
        name, current = parameter["name"], found.arguments[parameter["name"]]
        if not isinstance(current, str) or parameter.get("enum") or current.isdigit() or _CODE.fullmatch(current):
            continue
        known = {one.text for one in plain_words(current, pack)}
        is_like = bool(known & {one.text for one in words}) or (value[:1].isupper() and current[:1].isupper())
        is_named = any(one.text in words_only(text).split() for one in plain_words(name, pack))
        if name in replaced or (not replaced and (is_like or is_named)):
            meant.append(name)
    if len(meant) > 1:
        found.is_unclear = True
    elif meant:
        found.add(meant[0], value)


@lru_cache(maxsize=64)
def _marker_words(pack: Pack) -> frozenset[str]:
    """Return the words that corrections are made with."""
    forms = [_PLACE.sub(" ", form) for form in pack.correction]
    words = {word.text for form in forms for word in plain_words(form, pack) if not word.number}
    signs = {one.text for form in forms for one in pieces_of(form, pack, frozenset()) if not is_spaced(one.text)}
    return frozenset(words | signs)  # the pieces of a script without spaces are smaller than its words
