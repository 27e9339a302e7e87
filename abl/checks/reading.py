"""Tolerant access to IR values: whatever was handed in, these give the expected type or something empty."""

from __future__ import annotations

from typing import Any

Subject = dict[str, Any]
"""One JSON object of the IR."""


def mapping(value: object) -> Subject:
    """Return `value` when it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """Return `value` when it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def rows(value: object) -> list[Subject]:
    """Return the objects of an array, everything else left out."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return `value` when it is a text, else the empty text."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """Return the texts of an array; a single text counts as an array of one."""
    if isinstance(value, str):
        return [value] if value else []
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def dig(value: object, *keys: str) -> Any:
    """Return what lies at `keys`, None when the way there breaks off."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def root(name: str) -> str:
    """Return the first name of a dotted path."""
    return name.partition(".")[0]
