"""Which texts of a compiled agent are code, in which names are names. Spec: abl-language 6, 12."""

from __future__ import annotations

import re
from typing import Any, Final

CODE_KEYS: Final = frozenset(
    {
        "when", "condition", "check", "expression", "exit_when", "complete_when", "success_when", "applies_when",
        "filter", "with", "input", "map", "args", "fix_expression", "value", "items", "source",
    }
)  # fmt: skip
"""Keys whose texts are conditions and expressions: names in them need no braces."""

BRACES: Final = re.compile(
    r"\{\{((?:(?!\}\}|\{\{).)*)\}\}", re.DOTALL
)  # possessive, Python before 3.11.5 finds nothing
"""A tag of a template; group 1 is what it says."""


def key_of(key: str, value: dict[str, Any]) -> str:
    """Return the key under which the texts of an object are read: SET in its short form maps names to expressions."""
    return "expression" if key == "set" and "variable" not in value else key


def key_below(key: str, name: str) -> str:
    """Return the key under which what stands at `name` in an object of `key` is read."""
    return key if key in CODE_KEYS else name
