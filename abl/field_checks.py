"""The checks of a gather field: what a rule of each type says, and why it cannot be used. Spec: abl-language 3.3.

The compiler refuses what cannot be used, and the engine lets no value pass by it: both ask here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from abl.diagnostics.suggest import closest
from abl.expressions.checks import read_check

NAMED_CHECKS = frozenset({
    "email", "phone", "url", "date", "datetime", "time", "number", "integer", "float", "boolean", "currency",
    "postal_code", "iban", "credit_card", "uuid", "ip_address", "location",
})  # fmt: skip
"""Rules that are the name of a built-in check."""

_WORD_RULE = re.compile(r"([A-Za-z_]\w*)(:[\w.,-]*)?")
_PRESENCE = frozenset(
    {"required", "not_empty", "notempty", "non_empty", "nonempty", "not_blank", "not_null", "present"}
)
_FOREIGN = _PRESENCE | {"min", "max", "length", "numeric", "alpha", "alphanumeric", "string", "nullable", *NAMED_CHECKS}
"""Names of checks in other languages."""

_NUMBER, _DATE, _TIME = r"-?\d+(?:\.\d+)?", r"\d{4}-\d{2}-\d{2}", r"\d{2}:\d{2}"
_ONE = f"{_DATE}|{_TIME}|{_NUMBER}"
_TWO_BOUNDS = re.compile(rf"\s*({_ONE})\s*(?:\.\.|to|[-\u2013])\s*({_ONE})\s*")
_OPEN = re.compile(rf"\s*(?:({_ONE})\s*\.\.|\.\.\s*({_ONE}))\s*")
_COMPARED = re.compile(rf"\s*([<>]=?)\s*({_ONE})\s*")
_KINDS = tuple(re.compile(one) for one in (_DATE, _TIME))


@dataclass(frozen=True, slots=True)
class Range:
    """Two bounds, of which one may be missing: numbers, dates (`2026-05-01`) or times of day (`08:30`).

    Attributes:
        low: The lower bound as it is written, empty without one.
        high: The upper bound, empty without one.
        excludes: Whether a value that equals the bound lies outside; for `<` and `>`.
    """

    low: str = ""
    high: str = ""
    excludes: bool = False

    def holds(self, value: object) -> bool:
        """Return whether a value lies between the bounds; what cannot be compared with them does not."""
        low, high, found = (_comparable(one, self.low or self.high) for one in (self.low, self.high, value))
        if found is None:
            return False
        if self.excludes and found in (low, high):
            return False
        return (low is None or low <= found) and (high is None or found <= high)

    @property
    def is_empty(self) -> bool:
        """Whether no value lies between the bounds."""
        low, high = _comparable(self.low, self.low), _comparable(self.high, self.low)
        return low is not None and high is not None and low > high


def read_range(rule: str) -> Range | None:
    """Return what a range says, None when it is none.

    >>> read_range("1..10"), read_range(">= 3"), read_range("heavy")
    (Range(low='1', high='10', excludes=False), Range(low='3', high='', excludes=False), None)
    """
    found: Range | None = None
    if (two := _TWO_BOUNDS.fullmatch(rule)) is not None:
        found = Range(two[1], two[2])
    elif (half := _OPEN.fullmatch(rule)) is not None:
        found = Range(half[1] or "", half[2] or "")
    elif (compared := _COMPARED.fullmatch(rule)) is not None:
        sign, bound = compared[1], compared[2]
        is_low, excludes = sign[0] == ">", len(sign) == 1
        found = Range(low=bound, excludes=excludes) if is_low else Range(high=bound, excludes=excludes)
    is_mixed = found is not None and bool(found.low and found.high) and _form(found.low) != _form(found.high)
    return None if is_mixed else found


def _form(bound: str) -> int:
    return next((at for at, pattern in enumerate(_KINDS) if pattern.fullmatch(bound)), len(_KINDS))


def _comparable(value: object, like: str) -> tuple[float, str] | None:
    """Return what is compared of a value, in the form of the bound `like`; None when it has not that form."""
    form = _form(like)
    if form < len(_KINDS):
        begins = _KINDS[form].match(str(value))
        return (0.0, begins[0]) if begins is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return (number, "") if number == number else None


def problem_of_word(rule: str) -> str:
    """Return why a rule without a type can be no pattern, as a part of a sentence; empty when it may be one.

    A rule of plain words, such as `not_empty`, `emial` or `required|min:5`, is meant as a check that is not there: as a
    pattern it would refuse every answer but the word itself. Decision: 0087.

    >>> problem_of_word("emial")[-14:], problem_of_word("red|green"), problem_of_word("^red$")
    ('write `email`)', '', '')
    """
    parts = [_WORD_RULE.fullmatch(one.strip()) for one in rule.strip().split("|")]
    words = [one[1].lower() for one in parts if one is not None]
    is_list = len(words) > 1 and not (set(words) & _FOREIGN or any(one is not None and one[2] for one in parts))
    if len(words) < len(parts) or is_list:
        return ""
    near = closest(words[0], NAMED_CHECKS)
    if len(words) == 1 and near is not None:
        better = f"write `{near}`"
    elif set(words) & _PRESENCE and len(words) == 1:
        better = "a required field takes no empty answer: leave the check out"
    else:
        better = (
            "write a check such as `email`, a pattern such as `^.{5,}$`, or a condition such as `LENGTH(value) >= 5`"
        )
    return f"as a pattern `{rule.strip()}` would refuse nearly every answer, and there is no such check ({better})"


def options_of(rule: str) -> list[str]:
    """Return the values that the rule of an `enum` lists."""
    return [part for one in rule.strip().strip("[]").split(",") if (part := one.strip().strip("\"'"))]


def problem_of(kind: str, rule: str) -> str:
    """Return why a check cannot be used, as a part of a sentence; empty when it can.

    Ranges and patterns have findings of their own where they are written wrong.
    """
    if kind in ("pattern", "enum", "custom", "llm") and not (rule.strip() and (kind != "enum" or options_of(rule))):
        return "it has no rule, so it would let every answer pass"
    if kind == "custom":
        found = read_check(rule)
        return found.problem or ("a sentence is judged by `type: llm`" if found.sentence else "")
    if kind == "intrinsic" and rule.strip().lower() not in NAMED_CHECKS:
        return "there is no built-in check of this name"
    known = ("pattern", "range", "enum", "custom", "llm", "intrinsic")
    return "" if kind in known else f"there is no check of type {kind}"
