"""YAML text to a small tree with places, built from parser events: bounded, and safe by construction.

No tag is ever acted on and nothing is constructed, so there is no unsafe type and no YAML 1.1 surprise: a plain
scalar keeps its text, and whoever reads it decides what it is. Nesting and what aliases expand to are bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from abl.parser.bounds import UNBOUNDED
from abl.source import Source

MAX_NESTING = 64
"""Deepest nesting of lists and maps."""
MAX_ALIAS_NODES = 20_000
"""Nodes that all aliases of a text may stand for together."""
SCALAR_BYTES = 150
"""What a scalar takes in the tree, its text apart."""
COLLECTION_BYTES = 300
"""What a list or a map takes, in the tree and as a JSON value."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRING_TAG = "tag:yaml.org,2002:str"
_WHERE = re.compile(r"\s*\(?in \"<unicode string>\".*", re.DOTALL)


@dataclass(slots=True)
class Scalar:
    """One scalar; `plain` says that it stands without quotes, `block` that it is a `|` or `>` text."""

    text: str
    offset: int
    plain: bool = True
    block: bool = False


@dataclass(slots=True)
class Sequence:
    """A list."""

    offset: int
    items: list[Tree] = field(default_factory=list)
    end: int = 0
    size: int = 1
    height: int = 1


@dataclass(slots=True)
class Mapping:
    """A map; keys that are no scalars have no use here, but are kept to be reported."""

    offset: int
    pairs: list[tuple[Tree, Tree]] = field(default_factory=list)
    end: int = 0
    size: int = 1
    height: int = 1


Tree: TypeAlias = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class YamlFault:
    """Why a text is no YAML that can be read here: a code, its place, and a sentence."""

    code: str
    offset: int
    detail: str


class _Stop(Exception):
    """Ends the reading; is caught in this module."""

    def __init__(self, code: str, offset: int, detail: str) -> None:
        super().__init__(detail)
        self.fault = YamlFault(code, offset, detail)


@dataclass(slots=True)
class Composed:
    """What the reading of a YAML text gave.

    Attributes:
        root: The tree of its only document, None when the text is empty, or what is wrong with it.
        room: Bytes that are left of those that were given.
        left: Offset of what is not read because there is too much of it, or -1.
    """

    root: Tree | YamlFault | None
    room: int = UNBOUNDED
    left: int = -1


def compose(source: Source) -> Tree | YamlFault | None:
    """Return the tree of the only document of a YAML text, None when the text is empty, or what is wrong with it."""
    return compose_within(source, UNBOUNDED).root


def compose_within(source: Source, room: int) -> Composed:
    """Return the same, up to the place where the tree takes more than `room` bytes."""
    builder = _Builder(room)
    root = _built(builder, source)
    return Composed(root, builder.room, builder.left)


def _built(builder: _Builder, source: Source) -> Tree | YamlFault | None:
    try:
        for event in yaml.parse(source.text, Loader=_LOADER):
            builder.take(event)
            if builder.room < 0:
                builder.stop(_at(event))
                break
    except _Stop as stop:
        return stop.fault
    except yaml.MarkedYAMLError as error:
        return YamlFault("YAML_INVALID", _mark_offset(error, source), _sentence(error))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        return YamlFault("YAML_INVALID", _reader_offset(error), _WHERE.sub("", str(error).split("\n")[0]))
    return builder.root


class _Builder:
    """Puts events together; all state is one stack, so depth costs no Python frames."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.left = -1
        self.root: Tree | None = None
        self.stack: list[Sequence | Mapping] = []
        self.keys: list[Tree | None] = []
        self.anchors: dict[str, Tree] = {}
        self.names: list[str | None] = []
        self.aliased = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event."""
        if isinstance(event, yaml.ScalarEvent):
            made = _scalar(event)
            self.room -= SCALAR_BYTES
            if event.anchor:
                self.anchors[event.anchor] = made
            self._add(made, 1, 0)
        elif isinstance(event, yaml.MappingStartEvent):
            self._open(Mapping(_at(event)), event.anchor)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._open(Sequence(_at(event)), event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(event.end_mark.index if event.end_mark else 0)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            raise _Stop("YAML_INVALID", _at(event), "there is more than one YAML document in the text")

    def stop(self, offset: int) -> None:
        """Close everything that is open: what follows is not read."""
        self.left = offset
        while self.stack:
            self._close(offset)

    def _open(self, made: Sequence | Mapping, anchor: str | None) -> None:
        self.room -= COLLECTION_BYTES
        if len(self.stack) >= MAX_NESTING:
            raise _Stop("NESTING_TOO_DEEP", made.offset, str(MAX_NESTING))
        self.stack.append(made)
        self.keys.append(None)
        self.names.append(anchor)

    def _close(self, end: int) -> None:
        made = self.stack.pop()
        self.keys.pop()
        made.end = end
        anchor = self.names.pop()
        if anchor:
            self.anchors[anchor] = made
        if isinstance(made, Mapping):
            _merge(made)
        self._add(made, made.size, made.height)

    def _alias(self, event: yaml.AliasEvent) -> None:
        known = self.anchors.get(event.anchor or "")
        place = _at(event)
        if known is None:
            raise _Stop("YAML_INVALID", place, f"*{event.anchor} refers to nothing that stands before it")
        size, height = (1, 0) if isinstance(known, Scalar) else (known.size, known.height)
        self.aliased += size
        if self.aliased > MAX_ALIAS_NODES:
            raise _Stop("YAML_INVALID", place, "the aliases of the text stand for too many values")
        if len(self.stack) + height > MAX_NESTING:
            raise _Stop("NESTING_TOO_DEEP", place, str(MAX_NESTING))
        self._add(known, size, height)

    def _add(self, made: Tree, size: int, height: int) -> None:
        if not self.stack:
            self.root = made
            return
        parent = self.stack[-1]
        parent.size += size
        parent.height = max(parent.height, height + 1)
        if isinstance(parent, Sequence):
            parent.items.append(made)
            return
        key = self.keys[-1]
        if key is None:
            self.keys[-1] = made
        else:
            parent.pairs.append((key, made))
            self.keys[-1] = None


def _at(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    plain = not event.style and event.tag != _STRING_TAG
    return Scalar(event.value, _at(event), plain, event.style in ("|", ">"))


def _merge(made: Mapping) -> None:
    """Put the pairs of `<<: *alias` in place of that key; keys of the map itself win."""
    if not any(isinstance(key, Scalar) and key.plain and key.text == "<<" for key, _ in made.pairs):
        return
    own: list[tuple[Tree, Tree]] = []
    merged: list[tuple[Tree, Tree]] = []
    for key, value in made.pairs:
        if not (isinstance(key, Scalar) and key.plain and key.text == "<<"):
            own.append((key, value))
            continue
        for source in value.items if isinstance(value, Sequence) else [value]:
            merged.extend(source.pairs if isinstance(source, Mapping) else [])
    known = {key.text for key, _ in own if isinstance(key, Scalar)}
    for key, value in merged:
        if isinstance(key, Scalar) and key.text not in known:
            known.add(key.text)
            own.append((key, value))
    made.pairs = own


def _mark_offset(error: yaml.MarkedYAMLError, source: Source) -> int:
    mark, opened = error.problem_mark or error.context_mark, error.context_mark
    if mark is not None and opened is not None and not source.text[mark.index :].strip():
        mark = opened  # the text ends within something: where that begins says more
    return min(mark.index, len(source.text)) if mark is not None else 0


def _reader_offset(error: Exception) -> int:
    position = getattr(error, "position", 0)
    return position if isinstance(position, int) else 0


def _sentence(error: yaml.MarkedYAMLError) -> str:
    return ", ".join(part for part in (error.context, error.problem) if part)
