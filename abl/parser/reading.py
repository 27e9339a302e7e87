"""A place in a text that is being read: passing over space, quotes and brackets, and saying what is wrong there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from abl.diagnostics.model import Fix
from abl.parser.faults import Fault, one_edit

MAX_SHOWN_CHARS = 80
MAX_FAULTS = 20
"""Findings that are recorded for one text; what comes after them follows from them."""
PAIRS = {"(": ")", "{": "}", "[": "]", "<": ">"}

_INK = frozenset(map(chr, range(ord("!"), ord("~") + 1))) - {"#", "/"}
"""Characters that are no space and begin no comment."""
SPACE = re.compile(r"(?:\s++|\#[^\n]*+|//[^\n]*+)*+")
_PIECE = re.compile(
    r""""(?:[^"\\\n]|\\.)*+(?:"|\\?(?:$|(?=\n)))|(?<![\w])'(?:[^'\\\n]|\\.)*+(?:'|\\?(?:$|(?=\n)))|->|→|[][(){}<>,]"""
)


@dataclass(slots=True)
class Reading:
    """A place in a text that is being read, and the faults found so far.

    Attributes:
        text: The text; line ends in it are space.
        base: Offset of its first character in the normalised source.
        at: Where reading goes on.
        tool: Name of the tool, for messages.
        nullable: Whether the type read last was `T | null` or `T?`.
    """

    text: str
    base: int = 0
    at: int = 0
    tool: str = ""
    nullable: bool = False
    faults: list[Fault] = field(default_factory=list)

    def space(self) -> str:
        """Pass over space and comments; return the next character, empty at the end."""
        sign = self.text[self.at : self.at + 1]
        if sign in _INK:
            return sign
        found = SPACE.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return self.text[self.at : self.at + 1]

    def fault(self, code: str, start: int, length: int, fix: Fix | None = None, **arguments: str) -> None:
        """Record a finding at a place of this text."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(code, self.base + start, length, arguments, fix))

    def wrong(self, start: int, length: int, detail: str, fix: tuple[str, int, int, str] | None = None) -> None:
        """Record that the signature cannot be read as it stands; `fix` is title, start, length, new text."""
        shown = self.text[: 4 * MAX_SHOWN_CHARS].strip().split("\n", 1)[0]
        if len(shown) > MAX_SHOWN_CHARS:
            shown = shown[: MAX_SHOWN_CHARS - 1] + "…"
        edit = one_edit(fix[0], self.base + fix[1], fix[2], fix[3]) if fix else None
        self.fault("INVALID_TOOL_SIGNATURE", start, length, edit, value=shown, detail=detail)

    def last_ink(self, stop: int) -> int:
        """Return the place after the last character before `stop` that is not space."""
        while stop > 0 and self.text[stop - 1].isspace():
            stop -= 1
        return stop


def skip(reading: Reading, closer: str) -> None:
    """Pass over text up to the next comma, `closer` or arrow that is in no quotes and no brackets."""
    depth = 0
    for found in _PIECE.finditer(reading.text, reading.at):
        piece = found[0]
        if piece in PAIRS:
            depth += 1
        elif depth == 0 and (piece in (",", "->", "→") or piece in ")}]"):
            reading.at = found.start()
            return
        elif piece in PAIRS.values():
            depth -= depth > 0
    reading.at = len(reading.text)


def unclosed(reading: Reading, closer: str) -> bool:
    """Record that `closer` is missing here; a bracket of another kind in its place is passed over."""
    at = reading.at
    other = reading.text[at : at + 1]
    if other and other in ")}]>" and (closer == ")" or other == "]"):
        reading.at += 1
        if reading.space() == closer:
            reading.at += 1
            reading.wrong(at, 1, f"{other} is one too many", (f"remove `{other}`", at, 1, ""))
            return False
        reading.wrong(at, 1, f"{other} stands where {closer} is needed", (f"write `{closer}`", at, 1, closer))
    else:
        end = reading.last_ink(at)
        if end and reading.text[end - 1] == ",":
            end -= 1
        reading.wrong(end, 0, f"{closer} is missing", (f"write `{closer}`", end, 0, closer))
    return False


def group_end(reading: Reading) -> None:
    """Pass over a bracketed group, its brackets included."""
    depth = 0
    for found in _PIECE.finditer(reading.text, reading.at):
        if found[0] in PAIRS:
            depth += 1
        elif found[0] in PAIRS.values():
            depth -= 1
            if depth == 0:
                reading.at = found.end()
                return
    reading.at = len(reading.text)


def good_name(text: str) -> str:
    """Return the identifier nearest to `text`."""
    better = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "name"
    return "_" + better if better[0].isdigit() else better


def clipped(text: str) -> str:
    """Return the beginning of `text` on one line, for messages."""
    text = " ".join(text[:MAX_SHOWN_CHARS].split())
    return text if len(text) < 40 else text[:39] + "…"
