"""Checks of a gathered value that need no model. Spec: abl-language 3.3, 12.7."""

from __future__ import annotations

from collections.abc import Callable

from abl.field_checks import options_of, read_range
from abl.patterns import search
from domain.json_values import JsonObject, JsonValue

_NAMED = {
    "email": r"^[\w.+%-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}$",
    "phone": r"^\+?[\d ()/.-]{6,22}$",
    "url": r"^https?://[^\s/]+\.[^\s]+$",
    "date": r"^\d{4}-\d{2}-\d{2}$",
    "datetime": r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}",
    "time": r"^\d{2}:\d{2}(:\d{2})?$",
    "number": r"^-?\d+(\.\d+)?$",
    "float": r"^-?\d+(\.\d+)?$",
    "currency": r"^-?\d+(\.\d+)?$",
    "integer": r"^-?\d+$",
    "boolean": r"^(?i:true|false)$",
    "postal_code": r"^[A-Za-z0-9][A-Za-z0-9 -]{2,9}$",
    "uuid": r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
    "ip_address": r"^(\d{1,3}\.){3}\d{1,3}$|^[0-9a-fA-F:]+:[0-9a-fA-F:]+$",
    "location": r"\S",
}


def is_valid(field: JsonObject, value: JsonValue, holds: Callable[[str], bool]) -> bool:
    """Return whether a value passes its field's check; `holds` tests a condition with the value in place.

    A rule in words (type `llm`) passes here: a model judges it, or without one
    nothing passes (`engine.gather`). By a rule that cannot be read no value passes, as by a
    guardrail that cannot be read (decision 0050); the compiler refuses such a rule.
    """
    validation = field.get("validation") or {}
    rule = str(validation.get("rule", ""))
    match validation.get("type"):
        case "pattern":
            return search(rule, _text(value)) is not None
        case "range":
            bounds = read_range(rule)
            return bounds is not None and bounds.holds(value)
        case "enum":
            return _text(value) in (options_of(rule) or field.get("enum_values") or ())
        case "custom":
            return bool(rule.strip()) and holds(rule)
        case "intrinsic":
            return rule == field.get("type") or _is_named(rule.strip().lower(), _text(value))
        case "llm" | None:
            return True
        case _:
            return False


def _text(value: JsonValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_named(name: str, text: str) -> bool:
    if name == "iban":
        return _is_iban(text)
    if name == "credit_card":
        return _is_luhn(text)
    pattern = _NAMED.get(name)
    return pattern is not None and search(pattern, text) is not None


def _is_iban(text: str) -> bool:
    bare = text.replace(" ", "").upper()
    if search(r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$", bare) is None:
        return False
    return int("".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])) % 97 == 1


def _is_luhn(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    if not 12 <= len(digits) <= 19:
        return False
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
