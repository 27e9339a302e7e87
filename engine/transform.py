"""TRANSFORM: a list filtered, mapped, sorted and cut. Spec: abl-language 5.2."""

from __future__ import annotations

from functools import cmp_to_key

from domain.json_values import JsonObject, JsonValue
from engine import variables
from engine.run import Run

MAX_ITEMS = 10_000


def transform(run: Run, ir: JsonObject) -> None:
    """Carry out one TRANSFORM; what is no list gives an empty one."""
    source = run.value(ir["source"])
    items = list(source)[:MAX_ITEMS] if isinstance(source, list) else []
    name = ir.get("item_var") or "item"
    if ir.get("filter"):
        items = [item for item in items if run.test(ir["filter"], run.local({name: item, "this": item}))]
    if ir.get("map"):
        items = [_mapped(run, ir["map"], name, item) for item in items]
    if ir.get("sort_by"):
        items = _sorted(items, ir["sort_by"])
    if (limit := _limit(run, ir.get("limit"))) is not None:
        items = items[: max(limit, 0)]
    variables.set_value(run, ir["target"], items)


def _limit(run: Run, written: JsonValue) -> int | None:
    """Return how many elements are kept: a number as it stands, else the value of an expression; none without one."""
    value = run.value(written) if isinstance(written, str) else written
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return None


def _mapped(run: Run, fields: JsonObject, name: str, item: JsonValue) -> JsonObject:
    scope = run.local({name: item, "this": item})
    return {key: run.value(expression, scope) for key, expression in fields.items()}


def _sorted(items: list[JsonValue], rule: JsonObject) -> list[JsonValue]:
    """Return the items by one field; numbers before texts, what has no value last in either direction."""
    path = str(rule.get("field", "")).split(".")
    present = [item for item in items if _at(item, path) is not None]
    absent = [item for item in items if _at(item, path) is None]
    ordered = sorted(present, key=cmp_to_key(lambda one, other: _compare(_at(one, path), _at(other, path))))
    if rule.get("order") == "desc":
        ordered = sorted(present, key=cmp_to_key(lambda one, other: _compare(_at(other, path), _at(one, path))))
    return [*ordered, *absent]


def _at(item: JsonValue, path: list[str]) -> JsonValue:
    for name in path:
        item = item.get(name) if isinstance(item, dict) else None
    return item


def _compare(one: JsonValue, other: JsonValue) -> int:
    left, right = _rank(one), _rank(other)
    return -1 if left < right else int(left > right)


def _rank(value: JsonValue) -> tuple[int, float, str]:
    if isinstance(value, bool | int | float):
        return 0, float(value), ""
    try:
        return 0, float(value), ""
    except (TypeError, ValueError):
        return 1, 0.0, str(value)
