"""Functions that make a value presentable: masks, money, ordinals, JSON. Spec: abl-language 6.6."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from abl.expressions.environment import JsonValue
from abl.expressions.library.entry import Entry, entry
from abl.expressions.values import json_of, number_of, text_of

MAX_AMOUNT = 10**18
_MASK = re.compile(r"(?:(last|first)(\d{1,3})|(\d{1,3})\*(\d{1,3}))", re.IGNORECASE)
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "KRW": "₩", "BRL": "R$", "ILS": "₪"}
_WHOLE = frozenset({"JPY", "KRW", "CLP", "VND", "ISK", "HUF"})


class _Style(NamedTuple):
    group: str
    point: str
    behind: bool


_ENGLISH = _Style(",", ".", behind=False)
_STYLES = {
    "en": _ENGLISH,
    "ja": _ENGLISH,
    "zh": _ENGLISH,
    "ko": _ENGLISH,
    "de": _Style(".", ",", behind=True),
    "es": _Style(".", ",", behind=True),
    "it": _Style(".", ",", behind=True),
    "nl": _Style(".", ",", behind=False),
    "pt": _Style(".", ",", behind=False),
    "tr": _Style(".", ",", behind=False),
    "da": _Style(".", ",", behind=True),
    "fr": _Style("\u202f", ",", behind=True),
    "pl": _Style("\u00a0", ",", behind=True),
    "sv": _Style("\u00a0", ",", behind=True),
    "nb": _Style("\u00a0", ",", behind=True),
    "fi": _Style("\u00a0", ",", behind=True),
    "cs": _Style("\u00a0", ",", behind=True),
    "uk": _Style("\u00a0", ",", behind=True),
}


def mask(value: JsonValue, form: JsonValue = "last4", sign: JsonValue = "*") -> JsonValue:
    """The text with all but the last 4 (`last4`), first 4 (`first4`) or ends (`2*3`) hidden."""
    if value is None:
        return None
    text, cover = text_of(value), text_of(sign)[:1] or "*"
    found = _MASK.fullmatch(text_of(form).strip())
    front = back = 0
    if found and found[1]:
        front, back = (int(found[2]), 0) if found[1].lower() == "first" else (0, int(found[2]))
    elif found:
        front, back = int(found[3]), int(found[4])
    if front + back >= len(text):
        return cover * len(text)
    return text[:front] + cover * (len(text) - front - back) + (text[-back:] if back else "")


def format_currency(amount: JsonValue, code: JsonValue = "USD", locale: JsonValue = "en") -> JsonValue:
    """The amount of money as it is written in the locale, e.g. `$1,234.50` or `1.234,50 €`."""
    number = number_of(amount)
    if number is None or abs(number) > MAX_AMOUNT:
        return None
    currency = text_of(code).strip().upper()[:8]
    style = _STYLES.get(re.split(r"[-_]", text_of(locale).lower(), maxsplit=1)[0], _ENGLISH)
    unit = Decimal(1) if currency in _WHOLE else Decimal("0.01")
    rounded = Decimal(repr(number)).quantize(unit, ROUND_HALF_UP)
    figures = f"{abs(rounded):,}".translate({ord(","): style.group, ord("."): style.point})
    symbol = _SYMBOLS.get(currency)
    minus = "-" if rounded < 0 else ""
    if style.behind:
        return f"{minus}{figures}\u00a0{symbol or currency}"
    return f"{minus}{symbol}{figures}" if symbol else f"{minus}{currency}\u00a0{figures}"


def ordinal(number: JsonValue) -> JsonValue:
    """The number as an ordinal, e.g. `1st`, `12th`."""
    value = number_of(number)
    if value is None:
        return None
    whole = int(value)
    ending = "th" if abs(whole) % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(abs(whole) % 10, "th")
    return f"{whole}{ending}"


def to_json(value: JsonValue) -> JsonValue:
    """The value as JSON text."""
    return json_of(value)


ENTRIES: tuple[Entry, ...] = (
    entry("MASK(value, form?, sign?)", 1, 3, mask),
    entry("FORMAT_CURRENCY(amount, code, locale?)", 1, 3, format_currency),
    entry("ORDINAL(number)", 1, 1, ordinal),
    entry("JSON(value)", 1, 1, to_json),
)
