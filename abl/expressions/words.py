"""The words and signs of expressions, and what people write instead of them.

The keyword tables of 6.1 exist here and nowhere else. Spec: abl-language 6.1.
"""

from __future__ import annotations

from typing import NamedTuple


class Infix(NamedTuple):
    """An operator between two values: how tightly it binds and its name in the tree."""

    power: int
    operator: str


CHOICE_POWER, OR_POWER, AND_POWER, NOT_POWER, COMPARE_POWER, SUM_POWER, PRODUCT_POWER, NEG_POWER = range(1, 9)

SYMBOLS: dict[str, Infix] = {
    "||": Infix(OR_POWER, "or"),
    "&&": Infix(AND_POWER, "and"),
    "+": Infix(SUM_POWER, "+"),
    "-": Infix(SUM_POWER, "-"),
    "*": Infix(PRODUCT_POWER, "*"),
    "/": Infix(PRODUCT_POWER, "/"),
    "%": Infix(PRODUCT_POWER, "%"),
    "=": Infix(COMPARE_POWER, "=="),
    "===": Infix(COMPARE_POWER, "=="),
    "!==": Infix(COMPARE_POWER, "!="),
    **{sign: Infix(COMPARE_POWER, sign) for sign in ("==", "!=", ">=", "<=", ">", "<")},
}

WORDS: dict[str, Infix] = {
    "OR": Infix(OR_POWER, "or"),
    "AND": Infix(AND_POWER, "and"),
    "IN": Infix(COMPARE_POWER, "in"),
    "CONTAINS": Infix(COMPARE_POWER, "contains"),
    "MATCHES": Infix(COMPARE_POWER, "matches"),
    "STARTS_WITH": Infix(COMPARE_POWER, "starts_with"),
    "STARTSWITH": Infix(COMPARE_POWER, "starts_with"),
    "ENDS_WITH": Infix(COMPARE_POWER, "ends_with"),
    "ENDSWITH": Infix(COMPARE_POWER, "ends_with"),
}

WORD_OPERATORS = ("AND", "OR", "NOT", "IN", "IS", "CONTAINS", "MATCHES", "STARTS_WITH", "ENDS_WITH")
STATE_WORDS = ("SET", "EMPTY", "NULL")
CONSTANTS = ("true", "false", "null")
WILDCARD_WORDS = frozenset({"else", "default", "*"})

METHODS = {"contains": "contains", "startswith": "starts_with", "endswith": "ends_with", "matches": "matches"}
"""Methods and two-argument functions of the CEL form, by lower-case name."""

WRONG_SYMBOLS = {
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "=!": "!=",
    "&": "&&",
    "|": "||",
    "=~": "MATCHES",
    "~=": "MATCHES",
    "~": "MATCHES",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
    "¬": "!",
    "\u2227": "AND",
    "\u2228": "OR",
}

WRONG_PHRASES = {
    "is greater than or equal to": ">=",
    "is less than or equal to": "<=",
    "is not equal to": "!=",
    "is not the same as": "!=",
    "is greater than": ">",
    "is less than": "<",
    "is more than": ">",
    "is at least": ">=",
    "is at most": "<=",
    "is equal to": "==",
    "is the same as": "==",
    "is not in": "NOT IN",
    "is one of": "IN",
    "is in": "IN",
    "does not contain": "NOT CONTAINS",
    "does not equal": "!=",
    "not equals": "!=",
    "not equal to": "!=",
    "not equal": "!=",
    "equal to": "==",
    "greater than": ">",
    "less than": "<",
    "more than": ">",
    "at least": ">=",
    "at most": "<=",
    "starts with": "STARTS_WITH",
    "begins with": "STARTS_WITH",
    "ends with": "ENDS_WITH",
    "one of": "IN",
    "not exists": "IS NOT SET",
    "is not_set": "IS NOT SET",
    "isnot set": "IS NOT SET",
    "not set": "IS NOT SET",
    "not empty": "IS NOT EMPTY",
    "not null": "IS NOT NULL",
    "isnot": "!=",
    "notin": "NOT IN",
    "set": "IS SET",
    "empty": "IS EMPTY",
    "null": "IS NULL",
    "equals": "==",
    "equal": "==",
    "eq": "==",
    "neq": "!=",
    "ne": "!=",
    "gte": ">=",
    "lte": "<=",
    "ge": ">=",
    "le": "<=",
    "gt": ">",
    "lt": "<",
    "includes": "CONTAINS",
    "include": "CONTAINS",
    "has": "CONTAINS",
    "like": "MATCHES",
    "regex": "MATCHES",
    "exists": "IS SET",
    "isset": "IS SET",
    "isnt": "!=",
    "but": "AND",
    "not": "!=",
}
"""Phrases between two values that mean an operator; longer ones stand first."""

WRONG_STATES = {
    "NONE": "NULL",
    "NIL": "NULL",
    "UNDEFINED": "NULL",
    "MISSING": "NULL",
    "DEFINED": "SET",
    "PRESENT": "SET",
    "FILLED": "SET",
    "GIVEN": "SET",
    "BLANK": "EMPTY",
}
"""Words after IS that mean one of `STATE_WORDS`."""

LEADING_WORDS = frozenset({"if", "when", "where", "require", "check", "that"})
"""Keywords of the surrounding line that slip into a condition."""
