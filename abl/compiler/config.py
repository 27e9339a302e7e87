"""Replaces `{{config.X}}` in all texts of an agent, and `config.X` in its expressions. Spec: abl-language 6.8."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from abl.compiler.codes import BRACES, CODE_KEYS, key_below, key_of
from abl.compiler.plain import MAX_NESTING, Json, text

MAX_VARIABLES = 200
MAX_KEY_CHARS = 100
MAX_VALUE_CHARS = 4096

_REFERENCE = re.compile(r"\{\{\s*+config\.([A-Za-z_][\w.-]*+)\s*+\}\}")
_NAME = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?<![\w.])config\.([A-Za-z_]\w*(?:\.\w+)*)")
"""A name in an expression; without group 1, a quoted text, in which names are no names."""
_WRITTEN = re.compile(r"(?<![\w.])config\.([A-Za-z_]\w*(?:\.\w+)*)")
_SURE = re.compile(
    r"\A\s*config\.[\w.]+\s*\Z|config\.[\w.]+\s*(?:[=!<>+*/),]|(?i:is|and|or|in)\b)|(?:[=<>+*/(,]|\b(?i:and|or|not|in))\s*config\."
)
"""An expression in which the name is one: alone, or beside an operator; a sentence may speak of a file `config.md`."""


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
        walk.value(agent, agent, "", 0)
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
    places = [(one[1], one.start(1)) for one in _REFERENCE.finditer(text)]
    places += [(one[1], one.start(1)) for one in _WRITTEN.finditer(text)]
    for name, at in sorted(places, key=lambda place: place[1]):
        found.setdefault(name, (at - len("config."), len("config.") + len(name)))
    return found


class _Walk:
    """One pass through an agent's texts."""

    __slots__ = ("missing", "used", "values")

    def __init__(self, values: dict[str, str], used: dict[str, str], missing: dict[str, Json]) -> None:
        self.values = values
        self.used = used
        self.missing = missing

    def value(self, value: Any, owner: Json, key: str, depth: int) -> Any:
        """Return `value` with its references replaced; lists and objects are changed in place."""
        if isinstance(value, str):
            return self.text(value, owner, key) if "config." in value else value
        if depth > MAX_NESTING * 2:
            return value
        if isinstance(value, dict):
            above = key_of(key, value)
            for name, one in value.items():
                if isinstance(one, str | dict | list):
                    value[name] = self.value(one, value, key_below(above, str(name)), depth + 1)
        elif isinstance(value, list):
            for at, one in enumerate(value):
                if isinstance(one, str | dict | list):
                    value[at] = self.value(one, owner, key, depth + 1)
        return value

    def text(self, words: str, owner: Json, key: str) -> str:
        """Return a text with its references replaced; in an expression, and beside a filter, by a quoted text."""

        def replaced(found: re.Match[str]) -> str:
            known = self._known(found[1], owner)
            return found[0] if known is None or "{{" in known else known

        def in_tag(found: re.Match[str]) -> str:
            return "{{" + self._code(found[1], owner) + "}}"

        parts = _REFERENCE.sub(replaced, words)
        if "config." not in parts:
            return parts
        parts = BRACES.sub(in_tag, parts)
        return self._code(parts, owner, is_sure=_SURE.search(parts) is not None) if key in CODE_KEYS else parts

    def _known(self, name: str, owner: Json, *, is_sure: bool = True) -> str | None:
        """Return the value of a variable, and note that it is used; None, when it is `sure` to be one, is noted too."""
        known = self.values.get(name)
        if known is not None:
            self.used[name] = known
        elif is_sure:
            self.missing.setdefault(name, owner)
        return known

    def _code(self, code: str, owner: Json, *, is_sure: bool = True) -> str:
        """Return an expression with its references replaced by quoted texts.

        What only looks like a name, as a file `config.md` within a sentence, is left: it is not `sure` to be one.
        """

        def quoted(found: re.Match[str]) -> str:
            if found[1] is None:
                return found[0]
            known = self._known(found[1], owner, is_sure=is_sure)
            return (
                found[0] if known is None or "{{" in known or "}}" in known else json.dumps(known, ensure_ascii=False)
            )

        return _NAME.sub(quoted, code)
