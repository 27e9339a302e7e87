"""Reads a text that may be JSON or YAML data, without ever raising. Spec: abl-language 4.2."""

from __future__ import annotations

import json
import re
from typing import Any

from abl.compiler.plain import MAX_NESTING, plain

MAX_YAML_CHARS = 50_000

_LOOKS_LIKE_YAML = re.compile(r"^[^\S\n]*+(?:- |[\w\"'-]++\s*+:(?:\s|$))", re.MULTILINE)


def structured(text: str) -> Any:
    """Return the data that `text` writes in JSON or YAML; the text itself when it is neither."""
    body = text.strip()
    if body[:1] in ("{", "["):
        data = _json(body)
        if data is not None:
            return data
    if len(body) > MAX_YAML_CHARS or not (body[:1] in ("{", "[") or _LOOKS_LIKE_YAML.search(body)):
        return text
    from abl.compiler.yaml_data import yaml_data  # noqa: PLC0415 - PyYAML is loaded for texts that may be YAML only

    data = yaml_data(body)
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
