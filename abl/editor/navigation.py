"""Definition, references and rename: exact places of names over the files of a project."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from abl.diagnostics.model import Edit
from abl.editor.names import TARGETS, Symbol
from abl.editor.symbols import MENTIONS, Occurrence
from abl.editor.workspace import Workspace
from abl.expressions.words import CONSTANTS, STATE_WORDS, WORD_OPERATORS
from abl.syntax.flow import Step

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
_DASHED = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_FORMS = {Symbol.PROFILE: _DASHED, Symbol.TEMPLATE: _DASHED}
_RESERVED = frozenset({*CONSTANTS, *(word.lower() for word in (*WORD_OPERATORS, *STATE_WORDS)), "this", "else", "if"})
FIXED = frozenset({Symbol.MESSAGE})
"""Names that are not the author's to choose."""


@dataclass(frozen=True, slots=True)
class Place:
    """`length` characters at `offset` of a file."""

    path: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Rename:
    """Edits by path, or the reason why there are none."""

    edits: dict[str, list[Edit]] = field(default_factory=dict)
    reason: str = ""


def _at(workspace: Workspace, path: str, offset: int) -> Occurrence | None:
    file = workspace.file(path)
    return file.occurrence(offset) if file is not None else None


def definition(workspace: Workspace, path: str, offset: int) -> list[Place]:
    """Return where the name at `offset` is declared."""
    one = _at(workspace, path, offset)
    if one is None:
        return []
    found = workspace.definitions(path, offset, one.symbol, one.name)
    return [Place(file.path, other.offset, other.length) for file, other in found]


def references(workspace: Workspace, path: str, offset: int, *, declarations: bool = True) -> list[Place]:
    """Return everywhere the name at `offset` stands."""
    one = _at(workspace, path, offset)
    if one is None:
        return []
    found = workspace.places(path, offset, one.symbol, one.name)
    return [
        Place(file.path, other.offset, other.length) for file, other in found if declarations or other.rank == MENTIONS
    ]


def renamable(workspace: Workspace, path: str, offset: int) -> tuple[Place | None, str]:
    """Return the name at `offset` that can be renamed, or None and the reason why not."""
    one = _at(workspace, path, offset)
    if one is None:
        return None, "There is no name here that can be changed."
    if one.symbol in FIXED:
        return None, f"{one.name} is a {one.symbol} of the platform."
    if not workspace.definitions(path, offset, one.symbol, one.name):
        return None, f"{one.name} is not declared in this project."
    return Place(path, one.offset, one.length), ""


def rename(workspace: Workspace, path: str, offset: int, new: str) -> Rename:
    """Return the edits that give the name at `offset` another spelling everywhere."""
    place, reason = renamable(workspace, path, offset)
    one = _at(workspace, path, offset)
    if place is None or one is None:
        return Rename(reason=reason)
    reason = _refusal(workspace, path, one, new)
    if reason:
        return Rename(reason=reason)
    edits: dict[str, list[Edit]] = {}
    for file, other in workspace.places(path, offset, one.symbol, one.name):
        edits.setdefault(file.path, []).append(Edit(other.offset, other.length, new))
    return Rename(edits)


def _refusal(workspace: Workspace, path: str, one: Occurrence, new: str) -> str:
    """Return why a name cannot be `new`, empty if it can."""
    form = _DOTTED if "." in one.name else _FORMS.get(one.symbol, _NAME)
    if not form.match(new):
        return f"{new!r} is not a name: letters, digits and _ only, and no digit at the start."
    if new == one.name:
        return f"It is called {new} already."
    if one.symbol is Symbol.TOOL and new.startswith("__"):
        return "Names of tools that begin with __ are reserved."
    if one.symbol is Symbol.STEP and (new.upper() in TARGETS or new.upper() in Step.BY_KEY):
        return f"{new} is a word of the language and cannot be the name of a step."
    if one.symbol is Symbol.VARIABLE and new.lower() in _RESERVED:
        return f"{new} is a word of the language and cannot be the name of a variable."
    if any(True for _ in workspace.places(path, one.offset, one.symbol, new)):
        article = "an" if one.symbol[0] in "aeiou" else "a"
        return f"There is already {article} {one.symbol} called {new}."
    return ""
