"""The functions of the expression language: one table, found by name in any case, with or without `abl.`.

Spec: abl-language 6.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from abl.expressions.library import collections, dates, formats, guardrails, number, text
from abl.expressions.library.entry import Entry

__all__ = ["FUNCTIONS", "SYNONYMS", "Entry", "find"]

FUNCTIONS: Mapping[str, Entry] = MappingProxyType(
    {
        one.name.upper(): one
        for module in (text, number, formats, dates, collections, guardrails)
        for one in module.ENTRIES
    }
)
"""Every function by its name in capitals."""

SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        "TOUPPERCASE": "UPPER",
        "UPPERCASE": "UPPER",
        "TOLOWERCASE": "LOWER",
        "LOWERCASE": "LOWER",
        "STRIP": "TRIM",
        "SUBSTR": "SUBSTRING",
        "SLICE": "SUBSTRING",
        "LEN": "LENGTH",
        "INCLUDES": "contains",
        "EXISTS": "has",
        "ISSET": "has",
        "INT": "TO_NUMBER",
        "FLOAT": "TO_NUMBER",
        "NUMBER": "TO_NUMBER",
        "STR": "TO_STRING",
        "STRING": "TO_STRING",
        "TOSTRING": "TO_STRING",
        "DATE": "FORMAT_DATE",
        "CURRENCY": "FORMAT_CURRENCY",
        "UUID": "UNIQUE_ID",
        "IFNULL": "COALESCE",
        "KEYS": "OBJECT_KEYS",
        "MERGE": "OBJECT_MERGE",
        "FIND": "ARRAY_FIND",
    }
)
"""Names that other languages have for our functions (and for `has`, `contains`), only used for suggestions."""


def find(name: str) -> Entry | None:
    """Return the function of that name, None when there is none."""
    upper = name.upper()
    return FUNCTIONS.get(upper.removeprefix("ABL."))
