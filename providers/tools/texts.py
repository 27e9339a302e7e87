"""Texts of bindings -> bytes of a request: what is inserted is escaped for the place it stands in.

Templates are those of the language; an inserted value is data and never read again. Spec: abl-language 3.2, 6.8.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping
from functools import lru_cache
from typing import Any, Final, Protocol
from urllib.parse import quote
from xml.sax.saxutils import escape as escape_xml

import msgspec

from abl.expressions.closures import compile_condition, compile_expression
from abl.expressions.lookups import lookup
from abl.expressions.tree import Function
from abl.expressions.values import is_list, is_map, text_of
from abl.templates import analyse_template
from abl.templates.parts import Choice, Each, Part, Plain, Value
from abl.templates.read import TemplateReader
from domain.json_values import JsonObject, JsonValue
from providers.tools.results import ToolFault

MAX_TEXT_CHARS: Final = 1_000_000
MAX_CACHED_TEXTS: Final = 2_048
MAX_CACHED_TREES: Final = 512
MAX_STEPS: Final = 100_000

_BRACES = re.compile(r"(?<!\{)\{([^\W\d]\w*(?:\.\w+)*)\}(?!\})")
_ENCODER = msgspec.json.Encoder()


class Place(Protocol):
    """Where a text stands: what its own words become, and how a value is written there."""

    def plain(self, text: str) -> str:
        """Return the author's own words."""

    def value(self, value: JsonValue, *, encoded: bool) -> str:
        """Return an inserted value; `encoded` when it already is JSON text by the `json` filter."""


class PlainPlace:
    """A header, a text body, a credential: values as they are."""

    def plain(self, text: str) -> str:
        """Return the words."""
        return text

    def value(self, value: JsonValue, *, encoded: bool) -> str:
        """Return the value's text."""
        return text_of(value)


class FormPlace(PlainPlace):
    """A body of type form written as text."""

    def value(self, value: JsonValue, *, encoded: bool) -> str:
        """Return the value's text, percent-encoded."""
        return quote(text_of(value), safe="")


class XmlPlace(PlainPlace):
    """A body of type xml."""

    def value(self, value: JsonValue, *, encoded: bool) -> str:
        """Return the value's text, safe in content and in quoted attributes."""
        return escape_xml(text_of(value), {'"': "&quot;", "'": "&apos;"})


class JsonPlace:
    """A body of type json written as text: inside quotes a piece of a string, outside a whole JSON value."""

    def __init__(self) -> None:
        self._in_string = False

    def plain(self, text: str) -> str:
        """Return the words, having noted whether they leave a string open."""
        skip = False
        for char in text:
            if skip:
                skip = False
            elif char == "\\" and self._in_string:
                skip = True
            elif char == '"':
                self._in_string = not self._in_string
        return text

    def value(self, value: JsonValue, *, encoded: bool) -> str:
        """Return the value as JSON."""
        if self._in_string:
            return _ENCODER.encode(text_of(value)).decode()[1:-1]
        return text_of(value) if encoded else _ENCODER.encode(value).decode()


class AddressPlace:
    """An endpoint: `{name}` and `{{ }}` percent-encoded, but for a value that begins the address."""

    def __init__(self, variables: Mapping[str, JsonValue]) -> None:
        self._variables = variables
        self._begun = False

    def plain(self, text: str) -> str:
        """Return the words with every `{name}` filled in.

        Raises:
            ToolFault: A name has no value.
        """
        self._begun = self._begun or bool(text)
        return _BRACES.sub(self._filled, text)

    def value(self, value: JsonValue, *, encoded: bool) -> str:
        """Return the value as a part of an address."""
        text = text_of(value)
        if not self._begun:
            self._begun = True
            return text
        return _segment(text)

    def _filled(self, found: re.Match[str]) -> str:
        value = lookup(tuple(found[1].split(".")))(self._variables)
        if value is None or value == "":
            raise ToolFault("invalid_input", "MISSING_PARAMETER", f"The tool's address needs a value for {found[1]!r}")
        return _segment(text_of(value))


def render(text: str, variables: Mapping[str, JsonValue], place: Place) -> str:
    """Return the text with its tags filled in for its place.

    Raises:
        ToolFault: It grows too long.
    """
    pieces: list[str] = []
    room, steps = MAX_TEXT_CHARS, MAX_STEPS
    for piece in _walk(_parts(text), variables, place):
        pieces.append(piece)
        room -= len(piece)
        steps -= 1
        if room < 0 or steps < 0:
            raise ToolFault("invalid_input", "REQUEST_TOO_LARGE", f"A text is longer than {MAX_TEXT_CHARS} characters")
    return "".join(pieces)


def render_value(text: str, variables: Mapping[str, JsonValue]) -> JsonValue:
    """Return what a single tag is worth with its type kept; any other text rendered."""
    parts = _parts(text)
    if len(parts) == 1 and isinstance(parts[0], Value):
        return compile_expression(parts[0].node)(variables)
    return render(text, variables, PlainPlace())


def render_tree(tree: JsonValue, variables: Mapping[str, JsonValue]) -> JsonValue:
    """Return `tree` with the texts in it filled in; types of single tags are kept."""
    if isinstance(tree, str):
        return render_value(tree, variables)
    if isinstance(tree, Mapping):
        return {str(key): render_tree(value, variables) for key, value in tree.items()}
    return [render_tree(value, variables) for value in tree] if isinstance(tree, list) else tree


def paths_in(tree: JsonValue) -> frozenset[str]:
    """Return the dotted paths that the texts of `tree` mention, those in single braces included."""
    return _paths_in(_ENCODER.encode(tree))


@lru_cache(maxsize=MAX_CACHED_TREES)
def _paths_in(encoded: bytes) -> frozenset[str]:
    return frozenset(_collected(msgspec.json.decode(encoded)))


def _collected(tree: JsonValue) -> Iterator[str]:
    if isinstance(tree, str):
        yield from _paths(tree) if "{" in tree else ()
    elif isinstance(tree, Mapping):
        for value in tree.values():
            yield from _collected(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _collected(value)


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def _paths(text: str) -> tuple[str, ...]:
    return (*analyse_template(text).paths, *_BRACES.findall(text))


@lru_cache(maxsize=MAX_CACHED_TEXTS)
def _parts(text: str) -> tuple[Part, ...]:
    return TemplateReader(text).parts()


def _walk(parts: tuple[Part, ...], variables: Mapping[str, JsonValue], place: Place) -> Iterator[str]:
    for part in parts:
        match part:
            case Plain():
                yield place.plain(part.text)
            case Value():
                yield place.value(compile_expression(part.node)(variables), encoded=_is_json(part))
            case Choice():
                chosen = part.then if compile_condition(part.test)(variables) else part.otherwise
                yield from _walk(chosen, variables, place)
            case Each():
                for key, item in _items(compile_expression(part.items)(variables)):
                    yield from _walk(part.body, _inner(variables, key, item), place)


def _is_json(part: Value) -> bool:
    return isinstance(part.node, Function) and part.node.name.upper() == "JSON"


def _items(value: JsonValue) -> Iterator[tuple[JsonValue, JsonValue]]:
    if is_list(value):
        yield from enumerate(value)
    elif is_map(value):
        yield from value.items()


def _inner(variables: Mapping[str, JsonValue], key: JsonValue, item: JsonValue) -> Mapping[str, JsonValue]:
    own: JsonObject = {"this": item, "@index": key, "@key": key}
    outer: Any = variables  # ChainMap reads it only; its type asks for a mapping that can be written
    outer_map: MutableMapping[str, JsonValue] = outer
    return ChainMap(own, outer_map)


def _segment(text: str) -> str:
    return quote(text, safe="")
