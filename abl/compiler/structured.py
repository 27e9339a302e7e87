"""Reads a text that may be JSON or YAML data, without ever raising. Spec: abl-language 4.2."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from abl.compiler.plain import MAX_NESTING, plain

MAX_YAML_CHARS = 50_000

_LOOKS_LIKE_YAML = re.compile(r"^\s*+(?:- |[\w\"'-]+\s*+:(?:\s|$))", re.MULTILINE)


class _Loader(yaml.SafeLoader):
    """A safe loader without aliases (they can grow without bound) and with bounded nesting."""

    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose one node, refusing aliases and nesting beyond the bound."""
        if self.check_event(yaml.events.AliasEvent) or self._depth >= MAX_NESTING:
            raise yaml.YAMLError("aliases and deep nesting are not read")
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def structured(text: str) -> Any:
    """Return the data that `text` writes in JSON or YAML; the text itself when it is neither."""
    body = text.strip()
    if body[:1] in ("{", "["):
        data = _json(body)
        if data is not None:
            return data
    if len(body) > MAX_YAML_CHARS or not (body[:1] in ("{", "[") or _LOOKS_LIKE_YAML.search(body)):
        return text
    try:
        data = yaml.load(body, Loader=_Loader)  # noqa: S506 - a subclass of the safe loader
    except (yaml.YAMLError, ValueError):
        return text
    return plain(data) if isinstance(data, dict | list) else text


def _json(body: str) -> Any:
    if _nesting(body) > MAX_NESTING:
        return None
    try:
        return plain(json.loads(body))
    except ValueError:
        return None


def _nesting(body: str) -> int:
    """Return at least how deep the brackets of `body` are nested."""
    depth = deepest = 0
    for sign in re.findall(r"[\[{}\]]", body):
        depth += 1 if sign in "[{" else -1
        deepest = max(deepest, depth)
    return deepest
