"""Lines of the numbered grammar and the small values that stand on them. Spec: abl-language 10.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from abl.diagnostics.suggest import closest
from abl.parser.faults import Fault, one_edit
from abl.parser.values import QUOTES, STRAIGHT, cut_comment
from abl.source import Pos

Locate: TypeAlias = Callable[[int], Pos]
"""Offset -> place, for the `pos` of nodes."""
MAX_SHOWN_CHARS = 60
MAX_FAULTS = 2000
MAX_SUGGESTIONS = 200
"""Unknown words of one section for which near spellings are looked for."""

ARROW = re.compile(r"(?:(?<!\s)\s++)?+(?:->|→|=>|—>|–>|⇒)\s*+")
_TARGET = re.compile(r"(?:(?:GOTO|STEP|TO)\b[\s:]*+(?=\S)|->\s*+)*+", re.IGNORECASE)
_PIECE = re.compile(r""""(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(?<!\w)'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|[][(){}]""", re.DOTALL)
_TARGET_FORM = re.compile(r"[\w.\- ]+")


class Line(NamedTuple):
    """One significant line: its indent, its trimmed text and the offset of the first character."""

    indent: int
    text: str
    offset: int


class Block(NamedTuple):
    """A run of lines with what is needed to read them.

    Attributes:
        lines: The lines.
        faults: What is wrong with them; grows.
        block_text: Index of a line -> the text of the `|` block under it.
        locate: Offset -> place, if places are wanted.
    """

    lines: list[Line]
    faults: list[Fault]
    block_text: Callable[[int], str] | None = None
    locate: Locate | None = None

    def add(self, fault: Fault) -> None:
        """Record a finding."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)

    def pos(self, offset: int) -> Pos | None:
        """Return the place of `offset`, if places are wanted."""
        return self.locate(offset) if self.locate else None

    def end(self, at: int) -> int:
        """Return the index of the first line after `at` that is not nested under it."""
        lines = self.lines
        indent = lines[at].indent
        at += 1
        while at < len(lines) and lines[at].indent > indent:
            at += 1
        return at

    def invalid(
        self, offset: int, text: str, detail: str = "", edit: tuple[str, int, int, str] | None = None, **more: str
    ) -> None:
        """Record a line that cannot be read; `edit` is the title, start, length and text of what mends it."""
        fix = one_edit(*edit) if edit else None
        arguments = {"value": clipped(text), "detail": detail, **more}
        self.add(Fault("LEGACY_INVALID_LINE", offset, max(len(text), 1), arguments, fix))

    def unknown(self, offset: int, text: str, word: str, known: Iterable[str]) -> str:
        """Record a line with an unknown first word; return the word that was probably meant, or nothing."""
        names = list(known)
        meant = closest(word, names) if len(self.faults) < MAX_SUGGESTIONS else None
        edit = (f"write `{meant}`", offset, len(word), meant) if meant else None
        self.invalid(offset, text, edit=edit, known=", ".join(names), suggestion=meant or "")
        return meant or ""

    def text(self, value: str, offset: int) -> tuple[str, int]:
        """Return a text without its comment and the quotes around it, and the offset of its first character."""
        value = cut_comment(value).rstrip()
        if not value:
            return "", offset
        if not value.isascii() and (value[0] in QUOTES or value[-1] in QUOTES):
            plain = value.translate(STRAIGHT)
            fix = one_edit("use straight quotes", offset, len(value), plain)
            self.add(Fault("TYPOGRAPHIC_QUOTE", offset, len(value), {"value": clipped(value)}, fix))
            value = plain
        if value[0] in "\"'":
            if len(value) > 1 and value[-1] == value[0]:
                return value[1:-1].strip(), offset + 1
            if value.count(value[0]) == 1 and value[0] == '"':
                fix = one_edit('add the closing `"`', offset + len(value), 0, '"')
                arguments = {"value": clipped(value), "expected": '"'}
                self.add(Fault("UNCLOSED_STRING", offset, len(value), arguments, fix))
                return value[1:].strip(), offset + 1
        elif value[-1] == '"' and value.count('"') == 1:
            return value[:-1].strip(), offset
        return value, offset

    def target(self, value: str, offset: int, line: str) -> tuple[str, int]:
        """Return the step that a value names, COMPLETE and ESCALATE in capitals; `line` is said when there is none."""
        found = _TARGET.match(value)
        begin = found.end() if found else 0
        name, place = self.text(value[begin:], offset + begin)
        name = name.rstrip(".:")
        if not _TARGET_FORM.fullmatch(name):
            detail = "The step to go to is missing" if not name else f"{clipped(name)} is not a step to go to"
            self.invalid(offset if value else offset - 1, value or line[-1:], detail)
            return (name if _TARGET_FORM.fullmatch(name) else ""), place
        return (name.upper() if name.upper() in ("COMPLETE", "ESCALATE") else name), place


def as_lines(lines: Iterable[tuple[int, str, int]]) -> list[Line]:
    """Return triples of indent, text and offset as lines."""
    return [Line(*one) for one in lines]


def rest_of(text: str, begin: int, offset: int) -> tuple[str, int]:
    """Return what follows position `begin` of a line, without the colon and space before it, and its offset."""
    rest = text[begin:].lstrip()
    if rest[:1] == ":":
        rest = rest[1:].lstrip()
    return rest, offset + len(text) - len(rest)


def closing(text: str) -> int:
    """Return where the bracket that `text` begins with is closed, -1 when it never is."""
    depth = 0
    for found in _PIECE.finditer(text):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
            if depth == 0:
                return found.start()
    return -1


def clipped(text: str) -> str:
    """Return the beginning of `text`, for messages."""
    return text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 1] + "…"
