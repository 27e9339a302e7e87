"""Functions for the checks of guardrails, also with the prefix `abl.`. Spec: abl-language 6.6."""

from __future__ import annotations

import re

from abl import patterns
from abl.expressions.environment import JsonValue
from abl.expressions.library.entry import Entry, entry
from abl.expressions.values import text_of

EMAIL = r"(?i)\b[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b"
URL = r"(?i)\b(?:https?://|www\.)[^\s<>\"']+"
_PII = {
    "email": EMAIL,
    "phone": r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?|\b\d{2,4}[ .-])\d{3,4}[ .-]?\d{3,4}\b|\+\d{8,15}\b",
    "ssn": r"\b\d{3}-\d{2}-\d{4}\b",
    "iban": r"(?i)\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b",
    "ip_address": r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b",
}
PII_KINDS = (*_PII, "credit_card")
_CARD = re.compile(r"\b\d(?:[ -]?\d){12,18}\b", re.ASCII)
_STOPS = re.compile(r"[.!?\u2026]+|[\u3002\uff01\uff1f]+")
_CLOSERS = "\"')\u201d\u2019 \n\t"


def contains_pii(text: JsonValue, kind: JsonValue = None) -> JsonValue:
    """Whether the text holds personal data: an email, phone, card or account number; or one such kind."""
    plain = patterns.readable(text_of(text))
    wanted = PII_KINDS if kind is None else (text_of(kind).lower(),)
    return any(_holds(plain, one) for one in wanted)


def matches_pattern(text: JsonValue, pattern: JsonValue) -> JsonValue:
    """Whether the regular expression is found in the text."""
    return text is not None and patterns.search(text_of(pattern), text_of(text)) is not None


def word_count(text: JsonValue) -> JsonValue:
    """How many words the text has."""
    return len(text_of(text).split())


def sentence_count(text: JsonValue) -> JsonValue:
    """How many sentences the text has."""
    plain = text_of(text).strip()
    if not plain:
        return 0
    ends = [one.end() for one in _STOPS.finditer(plain) if _ends_sentence(plain, one.end())]
    return len(ends) + bool(plain[ends[-1] if ends else 0 :].strip(_CLOSERS))


def contains_url(text: JsonValue) -> JsonValue:
    """Whether the text holds a web address."""
    return patterns.search(URL, text_of(text)) is not None


def contains_email(text: JsonValue) -> JsonValue:
    """Whether the text holds an email address."""
    return patterns.search(EMAIL, text_of(text)) is not None


def _ends_sentence(text: str, at: int) -> bool:
    """Whether the full stop before `at` ends a sentence (the one in `3.5` does not)."""
    return text[at : at + 1].isspace() or at == len(text) or text[at] in _CLOSERS or text[at - 1] > "\u3000"


def _holds(text: str, kind: str) -> bool:
    if kind == "credit_card":
        return _holds_card(text)
    pattern = _PII.get(kind)
    return pattern is not None and patterns.search(pattern, text) is not None


def _holds_card(text: str) -> bool:
    """Whether 13 to 19 digits stand together that pass the Luhn check."""
    found = (re.sub(r"\D", "", one[0]) for one in _CARD.finditer(text))
    return any(_passes_luhn([int(sign) for sign in digits]) for digits in found)


def _passes_luhn(digits: list[int]) -> bool:
    doubled = [2 * one - 9 if one > 4 else 2 * one for one in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


ENTRIES: tuple[Entry, ...] = (
    entry("contains_pii(text, kind?)", 1, 2, contains_pii),
    entry("matches_pattern(text, pattern)", 2, 2, matches_pattern),
    entry("word_count(text)", 1, 1, word_count),
    entry("sentence_count(text)", 1, 1, sentence_count),
    entry("contains_url(text)", 1, 1, contains_url),
    entry("contains_email(text)", 1, 1, contains_email),
)
