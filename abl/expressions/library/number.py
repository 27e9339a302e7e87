"""Number functions and conversions. Spec: abl-language 6.6."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from abl.expressions.environment import JsonValue
from abl.expressions.library.entry import ANY, Entry, entry
from abl.expressions.limits import MAX_STEPS
from abl.expressions.values import add, divide, is_list, multiply, number_of, subtract, text_of, tidy

MAX_DIGITS = 15


def round_to(number: JsonValue, digits: JsonValue = 0) -> JsonValue:
    """The number rounded to so many digits, halves away from zero."""
    value, places = number_of(number), number_of(digits)
    if value is None or places is None:
        return None
    exponent = int(max(-MAX_DIGITS, min(MAX_DIGITS, places)))
    try:
        rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-exponent), ROUND_HALF_UP)
    except InvalidOperation:
        return value
    return int(rounded) if exponent <= 0 else tidy(float(rounded))


def absolute(number: JsonValue) -> JsonValue:
    """The number without its sign."""
    value = number_of(number)
    return None if value is None else abs(value)


def floor(number: JsonValue) -> JsonValue:
    """The greatest integer that is not above the number."""
    value = number_of(number)
    return None if value is None else tidy(math.floor(value))


def ceil(number: JsonValue) -> JsonValue:
    """The smallest integer that is not below the number."""
    value = number_of(number)
    return None if value is None else tidy(math.ceil(value))


def least(*values: JsonValue) -> JsonValue:
    """The smallest of the numbers, given one by one or as one list; null when there is none."""
    numbers = _numbers(values)
    return min(numbers) if numbers else None


def greatest(*values: JsonValue) -> JsonValue:
    """The greatest of the numbers, given one by one or as one list; null when there is none."""
    numbers = _numbers(values)
    return max(numbers) if numbers else None


def plus(left: JsonValue, right: JsonValue) -> JsonValue:
    """The sum of two numbers."""
    first, second = number_of(left), number_of(right)
    return None if first is None or second is None else add(first, second)


def minus(left: JsonValue, right: JsonValue) -> JsonValue:
    """The first number less the second."""
    return subtract(left, right)


def times(left: JsonValue, right: JsonValue) -> JsonValue:
    """The product of two numbers."""
    return multiply(left, right)


def over(left: JsonValue, right: JsonValue) -> JsonValue:
    """The first number divided by the second, null when that is zero."""
    return divide(left, right)


def to_number(value: JsonValue) -> JsonValue:
    """The number that the value is or spells, null when that is impossible."""
    if isinstance(value, bool):
        return int(value)
    return number_of(value)


def to_string(value: JsonValue) -> JsonValue:
    """The value as text; lists and maps as JSON, null as empty text."""
    return text_of(value)


def is_array(value: JsonValue) -> JsonValue:
    """Whether the value is a list."""
    return is_list(value)


def is_number(value: JsonValue) -> JsonValue:
    """Whether the value is a number (a text of digits is not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_string(value: JsonValue) -> JsonValue:
    """Whether the value is a text."""
    return isinstance(value, str)


def _numbers(values: tuple[JsonValue, ...]) -> list[int | float]:
    given = values[0] if len(values) == 1 and is_list(values[0]) else values
    return [number for one in given[:MAX_STEPS] if (number := number_of(one)) is not None]


ENTRIES: tuple[Entry, ...] = (
    entry("ROUND(number, digits?)", 1, 2, round_to),
    entry("ABS(number)", 1, 1, absolute),
    entry("FLOOR(number)", 1, 1, floor),
    entry("CEIL(number)", 1, 1, ceil),
    entry("MIN(a, b, ...)", 1, ANY, least),
    entry("MAX(a, b, ...)", 1, ANY, greatest),
    entry("ADD(a, b)", 2, 2, plus),
    entry("SUB(a, b)", 2, 2, minus),
    entry("MUL(a, b)", 2, 2, times),
    entry("DIV(a, b)", 2, 2, over),
    entry("TO_NUMBER(value)", 1, 1, to_number),
    entry("TO_STRING(value)", 1, 1, to_string),
    entry("IS_ARRAY(value)", 1, 1, is_array),
    entry("IS_NUMBER(value)", 1, 1, is_number),
    entry("IS_STRING(value)", 1, 1, is_string),
)
