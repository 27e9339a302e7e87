"""What values mean: truth, equality, order, membership, text and number forms.

Only plain values are looked into (None, bool, numbers, text, lists, mappings); anything else counts as null.
Every walk over nested data has a bounded depth and a bounded number of steps. Spec: abl-language 6.4.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from itertools import islice

from abl.expressions.environment import JsonValue
from abl.expressions.limits import MAX_DATA_DEPTH, MAX_INT_BITS, MAX_STEPS, MAX_TEXT_CHARS

_BIG = 1 << MAX_INT_BITS
_NUMERIC = re.compile(r"\s*[+-]?\d{1,300}(?:\.\d{1,300})?\s*", re.ASCII)


def number_of(value: JsonValue) -> int | float | None:
    """Return the number that `value` is or spells, None when it is neither (booleans are no numbers)."""
    kind = type(value)
    if kind is int:
        return value if -_BIG < value < _BIG else tidy(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is str and len(value) <= MAX_STEPS and _NUMERIC.fullmatch(value):
        return tidy(float(value) if "." in value else int(value))
    return None


def tidy(number: int | float) -> int | float | None:
    """Return `number` with huge integers as floats; None for infinities and not-a-number."""
    if type(number) is int:
        if number.bit_length() <= MAX_INT_BITS:
            return number
        try:
            return float(number)
        except OverflowError:
            return None
    return number if math.isfinite(number) else None


def is_list(value: JsonValue) -> bool:
    """Whether `value` is a list."""
    return isinstance(value, list | tuple)


def is_map(value: JsonValue) -> bool:
    """Whether `value` is a map."""
    return type(value) is dict or isinstance(value, Mapping)


def truthy(value: JsonValue) -> bool:
    """Whether `value` counts as true: not null, false, 0, empty text, empty list or map."""
    if value is None or value is False or value is True:
        return value is True
    if isinstance(value, str | int | float | list | tuple | dict):
        return bool(value)
    return isinstance(value, Mapping) and len(value) > 0


def is_empty(value: JsonValue) -> bool:
    """Whether `value` is null or has no elements; numbers and booleans are never empty."""
    if value is None:
        return True
    if isinstance(value, str | list | tuple) or is_map(value):
        return len(value) == 0
    return False


def equal(left: JsonValue, right: JsonValue) -> bool:
    """Whether the two are equal: numbers by value (numeric text beside a number too), texts exactly, data deeply."""
    kind, other = type(left), type(right)
    if kind is str and other is str:
        return bool(left == right)
    if left is None or right is None or kind is bool or other is bool:
        return left is right
    if kind is not str and (is_list(left) or is_map(left)):
        return _same_data(left, right)
    first, second = number_of(left), number_of(right)
    return first is not None and first == second


def _same_data(left: JsonValue, right: JsonValue) -> bool:
    """Compare nested lists and maps without recursion; too deep or too large is not equal."""
    waiting = [(left, right, 0)]
    steps = 0
    while waiting:
        one, other, depth = waiting.pop()
        steps += 1
        if depth > MAX_DATA_DEPTH or steps > MAX_STEPS:
            return False
        if is_list(one) and is_list(other):
            if len(one) != len(other):
                return False
            waiting.extend((a, b, depth + 1) for a, b in islice(zip(one, other, strict=True), MAX_STEPS))
        elif is_map(one) and is_map(other):
            if len(one) != len(other) or any(key not in other for key in islice(one, MAX_STEPS)):
                return False
            waiting.extend((one.get(key), other.get(key), depth + 1) for key in islice(one, MAX_STEPS))
        elif is_list(one) or is_map(one) or not equal(one, other):
            return False
    return True


def order(left: JsonValue, right: JsonValue) -> int | None:
    """Return -1, 0 or 1; None when the two have no order (null, booleans, lists, a number beside a word)."""
    first, second = number_of(left), number_of(right)
    if first is not None and second is not None:
        return (first > second) - (first < second)
    if type(left) is str and type(right) is str:
        return (left > right) - (left < right)
    return None


def contains(container: JsonValue, item: JsonValue) -> bool:
    """Whether `item` is an element of a list, a key of a map or a part of a text; of a list of parts any will do."""
    if type(container) is str:
        if is_list(item):
            return any(not is_list(one) and contains(container, one) for one in islice(item, MAX_STEPS))
        return item is not None and not is_map(item) and text_of(item) in container
    if is_list(container):
        return any(equal(one, item) for one in islice(container, MAX_STEPS))
    if is_map(container):
        return item is not None and text_of(item) in container
    return False


def starts_with(text: JsonValue, start: JsonValue) -> bool:
    """Whether the text begins with `start`; false when either is null."""
    return text is not None and start is not None and text_of(text).startswith(text_of(start))


def ends_with(text: JsonValue, end: JsonValue) -> bool:
    """Whether the text ends with `end`; false when either is null."""
    return text is not None and end is not None and text_of(text).endswith(text_of(end))


def member(value: JsonValue, name: str) -> JsonValue:
    """Return the member `name` of a map or the element of a list at that index, None when there is none.

    `length` of a list is the number of its elements, of a text that of its characters.
    """
    if value is None:
        return None
    if type(value) is dict or isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list | tuple) and len(name) < 10 and name.isdecimal() and name.isascii():
        index = int(name)
        return value[index] if index < len(value) else None
    if name == "length" and isinstance(value, list | tuple | str):
        return len(value)
    return None


def text_of(value: JsonValue) -> str:
    """Return how `value` reads in a text: null is empty, lists and maps are JSON."""
    kind = type(value)
    if kind is str:
        return str(value)
    if value is None:
        return ""
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return _digits(value)
    if isinstance(value, str):
        return str(value)
    return json_of(value) if is_list(value) or is_map(value) else ""


def _digits(number: int | float) -> str:
    plain = tidy(number)
    if plain is None:
        return ""
    if type(plain) is float and plain.is_integer() and abs(plain) < 1e15:
        return str(int(plain))
    return str(plain)


def json_of(value: JsonValue) -> str:
    """Return `value` as JSON text (cut at the text limit); what is nested too deep or no plain value is null."""
    return clip(json.dumps(_plain(value, 0, [MAX_STEPS]), ensure_ascii=False))


def _plain(value: JsonValue, depth: int, budget: list[int]) -> JsonValue:
    budget[0] -= 1
    if budget[0] < 0 or depth > MAX_DATA_DEPTH:
        return None
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return tidy(value)
    if is_list(value):
        return [_plain(one, depth + 1, budget) for one in islice(value, max(budget[0], 0))]
    if is_map(value):
        return {str(key): _plain(one, depth + 1, budget) for key, one in islice(value.items(), max(budget[0], 0))}
    return None


def clip(text: str) -> str:
    """Return `text` cut at the text limit."""
    return text if len(text) <= MAX_TEXT_CHARS else text[:MAX_TEXT_CHARS]


def add(left: JsonValue, right: JsonValue) -> JsonValue:
    """Return the sum; the joined text when one side is a word or both are text; null without a meaning."""
    if type(left) is not str or type(right) is not str:
        first, second = number_of(left), number_of(right)
        if first is not None and second is not None:
            return tidy(first + second)
    if isinstance(left, str) or isinstance(right, str):
        return clip(text_of(left) + text_of(right))
    if is_list(left) and is_list(right):
        return [*islice(left, MAX_STEPS), *islice(right, MAX_STEPS)][:MAX_STEPS]
    return None


def subtract(left: JsonValue, right: JsonValue) -> JsonValue:
    """Return the difference, null unless both are numbers."""
    first, second = number_of(left), number_of(right)
    return None if first is None or second is None else tidy(first - second)


def multiply(left: JsonValue, right: JsonValue) -> JsonValue:
    """Return the product, null unless both are numbers."""
    first, second = number_of(left), number_of(right)
    return None if first is None or second is None else tidy(first * second)


def divide(left: JsonValue, right: JsonValue) -> JsonValue:
    """Return the quotient (an integer when it is exact); null when dividing by zero or by no number."""
    first, second = number_of(left), number_of(right)
    if first is None or second is None or second == 0:
        return None
    if type(first) is int and type(second) is int and first % second == 0:
        return first // second
    return tidy(first / second)


def remainder(left: JsonValue, right: JsonValue) -> JsonValue:
    """Return the remainder with the sign of the divisor; null when dividing by zero or by no number."""
    first, second = number_of(left), number_of(right)
    return None if first is None or second is None or second == 0 else tidy(first % second)


def negative(value: JsonValue) -> JsonValue:
    """Return the number with its sign changed, null when it is no number."""
    number = number_of(value)
    return None if number is None else -number
