"""One field and what was said -> its value. Asked-for fields take more than fields nobody asked about.

A field that was not asked for is filled only where the form of the value speaks for itself: a pattern, an e-mail, a
date, an option, a number beside the field's own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import cast

from abl.languages import DEFAULT_TAG, Pack, fold, folded, form_pattern, load_pack
from abl.patterns import full_match, search
from domain.json_values import JsonObject, JsonValue
from engine.answer_own import is_form_of
from engine.answer_tables import Kind
from engine.answer_words import pieces_of
from engine.answers import read_truth
from engine.extraction.amounts import Beside, Counted, Name, amounts_in, meant_amount, named
from engine.extraction.choices import option_spans, read_choice, spoken
from engine.extraction.dates import days_in, read_date, read_moment, read_time
from engine.extraction.numbers import tidy
from engine.extraction.phrases import alternatives, any_of
from engine.extraction.stated import leaves_open, stated
from engine.limits import MAX_ANSWER_CHARS

_EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_PHONE = re.compile(r"(?<![\w])\+?\(?\d[\d\s()/.-]{5,20}\d(?!\w)")
_AND = ("and",)
_PLACE = r"([A-ZÀ-Þ][\w'’-]*(?:[ -](?:[A-ZÀ-Þ][\w'’-]*|am|an der|de|del|la|upon))*)"
_BEFORE_PLACE = re.compile(r"^(?:(?:to )?(?:go|get|travel|fly|drive) to|from|to|in|at|near)\s+", re.IGNORECASE)
_AROUND = " \t\r\n.!,;:。、،！؛"
MAX_LEAD_INS = 3
MAX_NAME_GAP = 30
"""Characters between a number and the name it belongs to."""
_WORDS = re.compile(r"\w+")
_PARTS = re.compile(r"[,;.!?\n]")
_ANSWERS = frozenset({Kind.YES, Kind.NO, Kind.CANCEL, Kind.WAIT, Kind.DOUBT, Kind.POLITE})
_SAYS_NOTHING = frozenset({*_ANSWERS, Kind.WISH, Kind.SMALL, Kind.JOIN})
_HALF = frozenset({Kind.JOIN, Kind.DOUBT, Kind.NO, Kind.CANCEL})
"""Words with which what follows a yes is a part of the answer."""
MIN_NAME_CHARS = 3
"""Letters of a word of a field's name that names it; one of its question has more."""
MIN_PHONE_DIGITS = 6
MAX_PHONE_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read: the text, whether this field was asked for, what day it is, and the words of the language.

    `is_used`: another field of the same kind has taken its value from this text already.
    `others`: languages that may be mixed in.
    """

    text: str
    is_asked: bool
    today: date
    words: Pack
    locale: str = ""
    options: tuple[object, ...] = ()
    is_used: bool = False
    others: tuple[Pack, ...] = ()


def read_field(field: JsonObject, reading: Reading) -> JsonValue:
    """Return the value of `field` in what was said, None when there is none. `list` fields give a list."""
    if field.get("list") or field.get("type") == "list":
        return _many(field, reading)
    return _one(field, reading)


def without_lead_in(text: str, words: Pack) -> str:
    """Return a text without what people say before and behind a value.

    >>> from abl.languages import load_pack
    >>> without_lead_in("My name is Anna Berg.", load_pack("en"))
    'Anna Berg'
    """
    whole = text = text.strip()
    for _ in range(MAX_LEAD_INS):
        said = folded(text)
        ends = [said.places[end] for pattern in _lead_ins(words) if (end := _end_of(pattern, said.text)) > 0]
        if not ends:
            break
        text = text[max(ends) :].strip(_AROUND)
    bare = text.rstrip(_AROUND) or text
    said = folded(bare)
    behind = _lead_outs(words).search(said.text) if words.lead_outs else None
    bare = bare[: said.places[behind.start()]].rstrip(_AROUND) or bare if behind is not None else bare
    return whole.rstrip(_AROUND) if _says_less(whole, bare, words) else bare


def _says_less(whole: str, rest: str, words: Pack) -> bool:
    """Return whether what was cut from a text was its meaning: the yes of "yes please", of "ok, but not today".

    That is so where only politeness or an answer is left, or half a sentence behind a yes.
    """
    if whole == rest or len(whole) > MAX_ANSWER_CHARS:
        return False
    left = [one.kind for one in pieces_of(rest, words, frozenset())]
    said = [one.kind for one in pieces_of(whole, words, frozenset())]
    if _is_answer(left) or _is_answer(said):
        return True
    before = [one.kind for one in pieces_of(whole[: whole.rfind(rest)], words, frozenset())]
    return Kind.YES in before and left[:1] != [] and left[0] in _HALF


def _is_answer(kinds: list[Kind]) -> bool:
    return all(kind in _SAYS_NOTHING for kind in kinds) and not _ANSWERS.isdisjoint(kinds)


def _end_of(pattern: re.Pattern[str], said: str) -> int:
    """Return where a lead-in ends, zero when there is none or nothing behind it."""
    found = pattern.match(said)
    return found.end() if found is not None and said[found.end() :].strip(_AROUND) else 0


@lru_cache(maxsize=64)
def _lead_ins(words: Pack) -> tuple[re.Pattern[str], ...]:
    return tuple(form_pattern(f"^{form.removeprefix('^')}") for form in words.lead_ins)


@lru_cache(maxsize=64)
def _lead_outs(words: Pack) -> re.Pattern[str]:
    return re.compile(rf"[\s,]*{alternatives(words.lead_outs)}$")


def _one(field: JsonObject, reading: Reading) -> JsonValue:
    if (pattern := field.get("extraction_pattern")) is not None:
        match = search(pattern, reading.text)
        group = match.group(int(field.get("extraction_group", 0))) if match is not None else None
        if group is not None:
            return group
        if field.get("type") == "pattern" and not reading.is_asked:
            return None
    options = reading.options or tuple(field.get("enum_values") or ())
    if options:
        return _choice(field, reading, options)
    if reading.is_used and field.get("type") in ("date", "datetime", "email", "phone"):
        return None
    reader = READERS.get(str(field.get("type", "string")), _text)
    return reader(field, reading)


def _choice(field: JsonObject, reading: Reading, options: tuple[object, ...]) -> JsonValue:
    """Return the option a text states; None where it refuses what it names, or names several."""
    synonyms = field.get("synonyms") or {}
    text = stated(reading.text, reading.words, option_spans(reading.text, options, synonyms))
    return cast("JsonValue", read_choice(text, options, synonyms, fuzzy=reading.is_asked and text == reading.text))


def _many(field: JsonObject, reading: Reading) -> JsonValue:
    if not (reading.is_asked or field.get("enum_values")):
        return None
    single = {**field, "list": False, "type": "string" if field.get("type") == "list" else field.get("type")}
    pieces = _pieces(without_lead_in(reading.text, reading.words), reading.words)
    found = [
        _one(single, Reading(piece, reading.is_asked, reading.today, reading.words, others=reading.others))
        for piece in pieces
    ]
    values = list(dict.fromkeys(value for value in found if value is not None))
    return values or None


def _pieces(text: str, words: Pack) -> list[str]:
    """Return the items of a list in words."""
    said = folded(text)
    between = re.compile(rf"\s*(?:[,;、،\n]|{alternatives(words.conjunctions)}|{alternatives(_AND)})\s*")
    pieces, at = [], 0
    for found in between.finditer(said.text):
        pieces.append(text[at : said.places[found.start()]])
        at = said.places[found.end()]
    return [piece for piece in (*pieces, text[at:]) if piece.strip()]


def _text(field: JsonObject, reading: Reading) -> JsonValue:
    """Return free text: what fits the pattern, else all that was said when it was asked for."""
    validation = field.get("validation") or {}
    if validation.get("type") == "pattern" and validation.get("rule"):
        return _by_pattern(str(validation["rule"]), reading)
    if validation.get("rule") == "email":
        return _email(field, reading)
    if not reading.is_asked:
        return None
    return without_lead_in(reading.text, reading.words) or None


def _by_pattern(rule: str, reading: Reading) -> JsonValue:
    bare = without_lead_in(reading.text, reading.words)
    core = rule.removeprefix("^").removesuffix("$")
    is_specific = "\\d" in rule or "0-9" in rule
    if reading.is_asked or is_specific:
        for candidate in (bare, reading.text.strip(), *_pieces(bare, reading.words)):
            if candidate and full_match(core, candidate) is not None:
                return candidate
    if is_specific:
        match = search(rf"(?:^|[^\w])({core})(?:[^\w]|$)", reading.text)
        if match is not None and match.group(1):
            return match.group(1)
    return None


def _email(field: JsonObject, reading: Reading) -> JsonValue:
    del field
    found = set(_EMAIL.findall(stated(reading.text, reading.words)))
    return found.pop() if len(found) == 1 else None


def _phone(field: JsonObject, reading: Reading) -> JsonValue:
    del field
    text = stated(reading.text, reading.words)
    said = folded(text)
    days = [(said.places[start], said.places[end]) for start, end in days_in(said.text, reading.words)]
    if leaves_open(text, reading.words, lambda part: _PHONE.search(part) is not None):
        return None
    for found in _PHONE.finditer(text):
        if any(found.start() < end and start < found.end() for start, end in days):
            continue  # a day is none
        digits = re.sub(r"\D", "", found[0])
        if MIN_PHONE_DIGITS <= len(digits) <= MAX_PHONE_DIGITS:
            return re.sub(r"\s+", " ", re.sub(r"[()/.-]", " ", found[0])).strip()
    return None


def _number(field: JsonObject, reading: Reading) -> JsonValue:
    if reading.is_asked:
        value = meant_amount(
            reading.text, reading.words, _beside(field), reading.others, _counted(field, reading.words)
        )
        return tidy(value) if value is not None else None
    return _named(field, reading)


def _named(field: JsonObject, reading: Reading) -> JsonValue:
    """Return the number that stands beside the name of a field that was not asked for."""
    found = amounts_in(reading.text, reading.words, reading.others)
    of_name = named(fold(reading.text), found, _beside(field), reading.words)
    return tidy(of_name[0].value) if of_name else None


def _beside(field: JsonObject) -> Beside:
    """Return what finds the field's name or unit beside a number: within two words of it."""
    names = {word for word in spoken(str(field["name"])).split() if len(word) > 2}
    names.add(str((field.get("semantics") or {}).get("unit", "")).lower())
    stems = "|".join(re.escape(name.rstrip("s")) for name in sorted(names) if name.rstrip("s"))
    pattern = re.compile(rf"(?<!\w)(?:{stems})s*(?!\w)") if stems else None

    def beside(said: str, start: int, end: int) -> Name | None:
        if pattern is None:
            return None
        first = max(0, start - MAX_NAME_GAP)
        left, right = said[first:start], said[end : end + MAX_NAME_GAP]
        places = [(first + one.start(), left[one.end() :]) for one in pattern.finditer(left)]
        places += [(end + one.start(), right[: one.start()]) for one in pattern.finditer(right)]
        near = [(place, _distance(gap)) for place, gap in places if len(_WORDS.findall(gap)) <= 1]
        return min(near, key=lambda name: name[1], default=None)

    return beside


def _counted(field: JsonObject, words: Pack) -> Counted:
    """Return what tells of a word whether it names what the field counts, in the language of the answer.

    It knows the field's name and unit, the words of its question, and the units of time that these are in English.
    """
    told = f"{spoken(str(field['name']))} {(field.get('semantics') or {}).get('unit', '')}"
    names = {one for one in _WORDS.findall(fold(told)) if len(one) >= MIN_NAME_CHARS}
    english = load_pack(DEFAULT_TAG).units
    for unit, phrases in words.units.items():
        if not names.isdisjoint(map(fold, english[unit])):
            names |= set(map(fold, phrases))
    names |= {one for one in _WORDS.findall(fold(str(field.get("prompt") or ""))) if len(one) > MIN_NAME_CHARS}

    def counted(word: str) -> bool:
        return any(word in (one, f"{one}s", one.removesuffix("s")) or is_form_of(word, one) for one in names)

    return counted


def _distance(gap: str) -> int:
    """Return how far a name stands from a number; what a comma or full stop parts is far."""
    return len(gap) + (MAX_NAME_GAP if _PARTS.search(gap) else 0)


def _integer(field: JsonObject, reading: Reading) -> JsonValue:
    value = _number(field, reading)
    return value if isinstance(value, int) else None


def _currency(field: JsonObject, reading: Reading) -> JsonValue:
    if reading.is_asked:
        return _number(field, reading)
    found = amounts_in(reading.text, reading.words, reading.others)
    of_name = named(fold(reading.text), found, _beside(field), reading.words)
    for one in found:
        if one in of_name or (not reading.is_used and _has_currency(reading, one.start, one.end)):
            return tidy(one.value)
    return None


def _has_currency(reading: Reading, start: int, end: int) -> bool:
    said = fold(reading.text)
    around = f"{said[max(0, start - 5) : start]} {said[end : end + 12]}"
    signs = tuple(sign for names in reading.words.currencies.values() for sign in names)
    pattern = any_of(signs)
    return pattern is not None and pattern.search(around) is not None


def _boolean(field: JsonObject, reading: Reading) -> JsonValue:
    return read_truth(reading.text, reading.words, str(field.get("prompt") or "")) if reading.is_asked else None


def _date(field: JsonObject, reading: Reading) -> JsonValue:
    locale = str((field.get("semantics") or {}).get("locale") or reading.locale)
    return read_date(reading.text, reading.today, reading.words, locale)


def _moment(field: JsonObject, reading: Reading) -> JsonValue:
    locale = str((field.get("semantics") or {}).get("locale") or reading.locale)
    return read_moment(reading.text, reading.today, reading.words, locale)


def _time(field: JsonObject, reading: Reading) -> JsonValue:
    del field
    return read_time(reading.text, reading.words)


_FROM = ("origin", "start", "from", "departure", "source")
_TO = ("destination", "target", "to", "arrival", "city", "place")


def _location(field: JsonObject, reading: Reading) -> JsonValue:
    """Return a place: free text when asked, else what stands beside `from` or `to` when the field's name says which."""
    name = spoken(str(field["name"]))
    words = reading.words
    for meanings, beside in ((_FROM, words.origin), (_TO, words.destination)):
        if any(f" {word} " in name for word in meanings):
            place = re.search(rf"\b(?i:{'|'.join(map(re.escape, beside))}) {_PLACE}", reading.text)
            if place is not None:
                return place[1]
    if not reading.is_asked:
        return None
    bare = without_lead_in(reading.text, words)
    bare = _BEFORE_PLACE.sub("", bare)
    said = folded(bare)
    first = any_of((*words.origin, *words.destination))
    before = first.match(said.text) if first is not None else None
    return (bare[said.places[before.end()] :].strip() if before is not None else bare) or bare or None


READERS: dict[str, Callable[[JsonObject, Reading], JsonValue]] = {
    "number": _number,
    "float": _number,
    "integer": _integer,
    "currency": _currency,
    "boolean": _boolean,
    "date": _date,
    "datetime": _moment,
    "time": _time,
    "email": _email,
    "phone": _phone,
    "location": _location,
}
"""Type of a field -> how it is read; everything else is text."""
