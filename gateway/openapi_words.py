"""What is said of each property and parameter in the OpenAPI document.

A property says it itself (`Field(description=...)`), or the docstring of its body does under `Attributes:`, or the
words of `api_words.toml` do: one meaning for each word, since a word is one thing everywhere, and for the few that are
not by `Form.property`. What nobody describes is told by its own words, so that a new body is never without.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from domain.json_values import JsonObject

WORDS: Final = Path(__file__).with_name("api_words.toml")
ATTRIBUTES: Final = "\n\nAttributes:\n"
_ENTRY: Final = re.compile(r"^(\w+(?:, \w+)*): (.*)$")
_PARTS: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@cache
def words() -> dict[str, str]:
    """Return word, or `Form.word`, -> what it means."""
    found: dict[str, str] = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    return found


def describe_all(document: JsonObject) -> None:
    """Give every property and every parameter of a document its description."""
    for name, schema in document["components"]["schemas"].items():
        told = _told_in(schema)
        form = name.rpartition("__")[2]
        for inner in properties_of(schema):
            for word, one in inner.items():
                _describe(one, form, word, told.get(_plain(word), ""))
    for operation in operations_of(document):
        for one in operation.get("parameters", ()):
            _describe(one, "parameter", one["name"], "")
        for inner in properties_of([operation.get("requestBody", {}), operation["responses"]]):
            for word, one in inner.items():
                _describe(one, operation["operationId"], word, "")


def operations_of(document: JsonObject) -> Iterator[JsonObject]:
    """Yield all operations of a document."""
    for path in document["paths"].values():
        yield from path.values()


def properties_of(value: Any) -> Iterator[JsonObject]:
    """Yield the properties of every object that a schema, or what holds schemas, describes."""
    match value:
        case {"properties": dict() as inner}:
            yield inner
            for name, one in value.items():
                yield from properties_of(list(one.values()) if name == "properties" else one)
        case dict():
            for name, one in value.items():
                if name not in ("example", "examples", "default", "const", "enum"):
                    yield from properties_of(one)
        case list():
            for one in value:
                yield from properties_of(one)


def meaning_of(form: str, word: str) -> str | None:
    """Return what the words say of a property, None where they say nothing."""
    known = words()
    return known.get(f"{form}.{word}") or known.get(word)


def spelt_out(word: str) -> str:
    """Return a name as words, for what nothing else is said of.

    >>> spelt_out("activeSessionCount"), spelt_out("by_model")
    ('Active session count', 'By model')
    """
    parts = [part if part.isupper() else part.lower() for part in _PARTS.findall(word)]
    return " ".join(parts).capitalize() if parts else word


def _describe(one: JsonObject, form: str, word: str, told: str) -> None:
    if not one.get("description"):
        one["description"] = told or meaning_of(form, word) or spelt_out(word)


def _told_in(schema: JsonObject) -> dict[str, str]:
    """Return what the docstring of a form says of its properties, and take it out of the form's own description."""
    said, _, listed = str(schema.get("description", "")).partition(ATTRIBUTES)
    if not listed:
        return {}
    schema["description"] = said
    told: dict[str, str] = {}
    names: list[str] = []
    for line in listed.splitlines():
        found = _ENTRY.match(line.strip())
        if found is not None:
            names = [_plain(name) for name in found[1].split(", ")]
            told |= dict.fromkeys(names, found[2])
        else:
            told |= {name: f"{told[name]} {line.strip()}".strip() for name in names}
    return told


def _plain(name: str) -> str:
    """Return a name without what tells snake_case and camelCase apart."""
    return name.replace("_", "").lower()
