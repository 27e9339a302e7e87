"""What a document says, without where it says it: one digest for each field, so that two need not be held at once."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from abl.syntax.document import Document
from abl.syntax.node import Node

Sayings = dict[str, bytes]
"""Field of a document -> digest of its value; what says no more than the default is left out."""

_PLACES = frozenset({"pos", "at"})
_BATCH = 4096
"""Pieces that are told together."""


def sayings(document: Document) -> Sayings:
    """Return the digests of what a document says; equal for two documents that are equal, in any layout."""
    return {name: _digest(value) for name, value in _written(document)}


def _written(node: Node) -> list[tuple[str, Any]]:
    """Return the fields of a node that differ from their defaults, by name."""
    defaults = node.DEFAULTS
    return [
        (name, value)
        for name, value in sorted(vars(node).items())
        if name not in _PLACES and (value != (default := defaults.get(name)) or type(value) is not type(default))
    ]


def _digest(value: Any) -> bytes:
    told = blake2b(digest_size=16)
    pieces: list[str] = []

    def say(piece: str) -> None:
        pieces.append(piece)
        if len(pieces) >= _BATCH:
            pass_on()

    def pass_on() -> None:
        told.update("\0".join([*pieces, ""]).encode("utf-8", "surrogatepass"))
        pieces.clear()

    _tell(value, say)
    pass_on()
    return told.digest()


def _tell(value: Any, say: Callable[[str], None]) -> None:
    """Tell a value piece by piece, so that no two different values are told alike."""
    if isinstance(value, Node):
        say(type(value).__name__)
        for name, one in _written(value):
            say(name)
            _tell(one, say)
        say(")")
    elif isinstance(value, list):
        say("[")
        for one in value:
            _tell(one, say)
        say("]")
    elif isinstance(value, dict):
        say("{")
        for key, one in value.items():
            say(repr(key))
            _tell(one, say)
        say("}")
    else:
        say(repr(value))
