"""Functions over lists and maps. Spec: abl-language 6.6."""

from __future__ import annotations

from itertools import islice

from abl.expressions.environment import JsonValue
from abl.expressions.library.entry import ANY, Entry, entry
from abl.expressions.limits import MAX_STEPS
from abl.expressions.values import equal, is_list, is_map, member, number_of, text_of, tidy


def array_find(items: JsonValue, field: JsonValue, value: JsonValue) -> JsonValue:
    """The first element whose field has the value, null when there is none."""
    at = array_find_index(items, field, value)
    return items[at] if type(at) is int and at >= 0 else None


def array_find_index(items: JsonValue, field: JsonValue, value: JsonValue) -> JsonValue:
    """The index of the first element whose field has the value, -1 when there is none."""
    if not is_list(items):
        return -1
    name = text_of(field)
    for at, one in enumerate(islice(items, MAX_STEPS)):
        if equal(member(one, name), value):
            return at
    return -1


def object_keys(value: JsonValue) -> JsonValue:
    """The list of the keys of a map."""
    return [str(key) for key in islice(value, MAX_STEPS)] if is_map(value) else None


def object_values(value: JsonValue) -> JsonValue:
    """The list of the values of a map."""
    return list(islice(value.values(), MAX_STEPS)) if is_map(value) else None


def object_merge(*maps: JsonValue) -> JsonValue:
    """One map with the members of all maps; a later map wins."""
    merged: dict[str, JsonValue] = {}
    for one in maps:
        if is_map(one):
            merged.update(islice(one.items(), MAX_STEPS))
    return merged


def coalesce(*values: JsonValue) -> JsonValue:
    """The first value that is not null."""
    return next((value for value in values if value is not None), None)


def count(items: JsonValue) -> JsonValue:
    """How many elements a list or map has, 0 for null."""
    return len(items) if is_list(items) or is_map(items) else 0


def total(items: JsonValue, field: JsonValue = None) -> JsonValue:
    """The sum of the numbers in a list, or of one field of its elements."""
    if not is_list(items):
        return None
    result: int | float = 0
    for one in islice(items, MAX_STEPS):
        number = number_of(one if field is None else member(one, text_of(field)))
        result += number if number is not None else 0
    return tidy(result)


def first(items: JsonValue) -> JsonValue:
    """The first element of a list, null when it is empty."""
    return items[0] if is_list(items) and items else None


def last(items: JsonValue) -> JsonValue:
    """The last element of a list, null when it is empty."""
    return items[-1] if is_list(items) and items else None


def default(value: JsonValue, other: JsonValue) -> JsonValue:
    """The value, or the other one when it is null or an empty text."""
    return other if value is None or value == "" else value


ENTRIES: tuple[Entry, ...] = (
    entry("ARRAY_FIND(list, field, value)", 3, 3, array_find),
    entry("ARRAY_FIND_INDEX(list, field, value)", 3, 3, array_find_index),
    entry("OBJECT_KEYS(map)", 1, 1, object_keys),
    entry("OBJECT_VALUES(map)", 1, 1, object_values),
    entry("OBJECT_MERGE(a, b, c?)", 2, 3, object_merge),
    entry("COALESCE(a, b, ...)", 1, ANY, coalesce),
    entry("DEFAULT(value, other)", 2, 2, default),
    entry("COUNT(list)", 1, 1, count),
    entry("SUM(list, field?)", 1, 2, total),
    entry("FIRST(list)", 1, 1, first),
    entry("LAST(list)", 1, 1, last),
)
