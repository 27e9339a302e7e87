"""What a model says, in words that belong to no provider; `tests.fakes.protocols` puts them on each wire."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

MODEL = "fake-1"


@dataclass(frozen=True)
class Say:
    """A piece of text; `new_block` begins another part of the answer, where the wire has parts."""

    text: str
    new_block: bool = False


@dataclass(frozen=True)
class Think:
    """Thoughts that are no part of the answer."""

    text: str = "Let me see"
    signature: str = "c2lnbmVk"
    hidden: bool = False


@dataclass(frozen=True)
class Call:
    """A tool call; `pieces` of its arguments as JSON text."""

    id: str
    name: str
    pieces: tuple[str, ...] = ()
    signature: str = ""

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True)
class Ping:
    """Something that keeps the connection busy."""


@dataclass(frozen=True)
class Nothing:
    """A piece without any text."""


@dataclass(frozen=True)
class Tokens:
    """Counts: `input` in all, `cached` and `written` of it."""

    input: int = 20
    output: int = 8
    cached: int = 0
    written: int = 0
    thoughts: int = 0


@dataclass(frozen=True)
class End:
    """Why the model stopped: `stop`, `tool_calls`, `length`, `content_filter`, or a word that no adapter knows."""

    reason: str = "stop"


@dataclass(frozen=True)
class Fail:
    """An error inside the stream."""

    message: str = "Overloaded"


Word: TypeAlias = Say | Think | Call | Ping | Nothing | Tokens | End | Fail
Script: TypeAlias = tuple[Word, ...]


def said(*texts: str, tokens: Tokens = Tokens(), end: str = "stop") -> Script:
    return (*(Say(text) for text in texts), tokens, End(end))


def pieces(value: object, *cuts: int) -> tuple[str, ...]:
    """Return the JSON of a value in pieces cut at these places."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    edges = [0, *cuts, len(text)]
    return tuple(text[a:b] for a, b in pairwise(edges))


def tokens_of(script: Script) -> Tokens:
    return next((one for one in script if isinstance(one, Tokens)), Tokens())


def end_of(script: Script) -> str | None:
    return next((one.reason for one in script if isinstance(one, End)), None)
