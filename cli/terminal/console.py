"""The terminal of a conversation: streamed text out, lines in; without a terminal it is two plain streams."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TextIO

DIM, RED, BOLD, PLAIN = "\x1b[2m", "\x1b[31m", "\x1b[1m", "\x1b[0m"
_KEPT = "\n\t"
_DELETE, _FIRST_PRINTED, _LAST_CONTROL = 0x7F, 0x20, 0x9F


@dataclass(slots=True)
class Console:
    """Where a conversation is held.

    Attributes:
        is_live: Somebody sits at it: lines are asked for with a prompt and can be edited, and notes are printed.
    """

    source: TextIO
    out: TextIO
    err: TextIO
    color: bool = False
    is_live: bool = False

    @classmethod
    def of_process(cls, *, no_color: bool = False) -> Console:
        """Return that of this process; what is piped in is read as UTF-8, whatever else is in it."""
        is_live = sys.stdin.isatty() and sys.stdout.isatty()
        plain = no_color or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        if is_live:
            import readline  # noqa: F401 - gives `input` its editing and history
        else:
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        return cls(sys.stdin, sys.stdout, sys.stderr, color=is_live and not plain, is_live=is_live)

    def ask(self, prompt: str) -> str | None:
        """Return the next line without its end; None when there are no more."""
        if self.is_live:
            try:
                return input(prompt)
            except EOFError:
                self.line()
                return None
        line = self.source.readline()
        return line.rstrip("\r\n") if line else None

    def write(self, text: str) -> None:
        """Print a piece of text at once; what would steer the terminal is left out."""
        self.out.write(clean(text))
        self.out.flush()

    def line(self, text: str = "") -> None:
        """Print a line."""
        self.write(f"{text}\n")

    def heading(self, text: str) -> None:
        """Print a line that stands out."""
        self._styled(self.out, BOLD, text)

    def aside(self, text: str) -> None:
        """Print a line that is not of the conversation itself."""
        self._styled(self.out, DIM, text)

    def hint(self, text: str) -> None:
        """Print a line that helps whoever sits there, and nobody else."""
        if self.is_live:
            self.aside(text)

    def fault(self, text: str) -> None:
        """Print what went wrong, to standard error."""
        self.out.flush()
        self._styled(self.err, RED, text)

    def _styled(self, stream: TextIO, style: str, text: str) -> None:
        stream.write(f"{style}{clean(text)}{PLAIN}\n" if self.color else f"{clean(text)}\n")
        stream.flush()


def clean(text: str) -> str:
    r"""Return a text without control characters: what a model or a tool says must not steer the terminal.

    >>> clean("a\x1b[2Jb\tc\n")
    'a[2Jb\tc\n'
    """
    if text.isprintable():
        return text
    return "".join(sign for sign in text if sign in _KEPT or not _steers(ord(sign)))


def _steers(code: int) -> bool:
    return code < _FIRST_PRINTED or _DELETE <= code <= _LAST_CONTROL
