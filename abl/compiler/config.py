"""Replaces `{{config.X}}` in all texts of an agent. Spec: abl-language 6.8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from abl.compiler.plain import MAX_NESTING, Json, text

MAX_VARIABLES = 200
MAX_KEY_CHARS = 100
MAX_VALUE_CHARS = 4096

_REFERENCE = re.compile(r"\{\{\s*+config\.([A-Za-z_][\w.-]*+)\s*+\}\}")


class Config:
    """The configuration of a compile, and which of it the agents used.

    A variable beyond a limit counts as undefined; `refused` says why.
    """

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self.values: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.used: dict[str, str] = {}
        self.unresolved: dict[str, None] = {}
        for name, value in variables.items():
            key, written = str(name), text(value)
            if len(key) > MAX_KEY_CHARS:
                self.refused[key] = f"its name has more than {MAX_KEY_CHARS} characters"
            elif len(written) > MAX_VALUE_CHARS:
                self.refused[key] = f"its value has more than {MAX_VALUE_CHARS} characters"
            elif len(self.values) >= MAX_VARIABLES:
                self.refused[key] = f"there are more than {MAX_VARIABLES} variables"
            else:
                self.values[key] = written

    def apply(self, agent: Json) -> tuple[dict[str, str], dict[str, Json]]:
        """Replace the references in an agent, in place.

        Returns the variables used, and the undefined ones with the object in which each first stands. A value
        that itself holds `{{` is not inserted, as it would be read as a template; the runtime resolves it.
        """
        used: dict[str, str] = {}
        missing: dict[str, Json] = {}
        walk = _Walk(self.values, used, missing)
        walk.value(agent, agent, 0)
        self.used.update(used)
        self.unresolved.update(dict.fromkeys(missing))
        return used, missing

    def summary(self) -> Json:
        """Return `{resolved, unresolved, unused}` of all agents."""
        return {
            "resolved": {name: self.values[name] for name in sorted(self.used)},
            "unresolved": sorted(self.unresolved),
            "unused": sorted(name for name in self.values if name not in self.used),
        }


def references(text: str) -> dict[str, tuple[int, int]]:
    """Return variable -> offset and length of its first reference in a text."""
    found: dict[str, tuple[int, int]] = {}
    for one in _REFERENCE.finditer(text):
        found.setdefault(one[1], (one.start(1) - len("config."), len("config.") + len(one[1])))
    return found


class _Walk:
    """One pass through an agent's texts."""

    __slots__ = ("missing", "used", "values")

    def __init__(self, values: dict[str, str], used: dict[str, str], missing: dict[str, Json]) -> None:
        self.values = values
        self.used = used
        self.missing = missing

    def value(self, value: Any, owner: Json, depth: int) -> Any:
        """Return `value` with its references replaced; lists and objects are changed in place."""
        if isinstance(value, str):
            return self.text(value, owner) if "config." in value else value
        if depth > MAX_NESTING * 2:
            return value
        if isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, str | dict | list):
                    value[key] = self.value(one, value, depth + 1)
        elif isinstance(value, list):
            for at, one in enumerate(value):
                if isinstance(one, str | dict | list):
                    value[at] = self.value(one, owner, depth + 1)
        return value

    def text(self, words: str, owner: Json) -> str:
        """Return a text with its references replaced."""

        def replaced(found: re.Match[str]) -> str:
            name = found[1]
            known = self.values.get(name)
            if known is None:
                self.missing.setdefault(name, owner)
                return found[0]
            self.used[name] = known
            return found[0] if "{{" in known else known

        return _REFERENCE.sub(replaced, words)
