"""What the commands print: colour and width of the terminal, findings, faults of the call."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from abl.diagnostics.model import Diagnostic

CLEAN = 0
FAULTY = 1
USAGE = 2
PIPED_WIDTH = 100
MAX_WIDTH = 160
MAX_SHOWN = 200
"""Findings printed in one run; the summary counts all of them."""


@dataclass(frozen=True, slots=True)
class Screen:
    """How to print: in colour or not, how wide."""

    color: bool
    width: int

    @classmethod
    def of_terminal(cls, *, no_color: bool = False) -> Screen:
        """Return what suits standard output; colour needs a terminal that wants it."""
        if not sys.stdout.isatty():
            return cls(color=False, width=PIPED_WIDTH)
        plain = no_color or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        return cls(color=not plain, width=min(shutil.get_terminal_size().columns, MAX_WIDTH))


def print_findings(findings: Iterable[Diagnostic], texts: Mapping[str, str], screen: Screen) -> None:
    """Print findings with the lines they are about; `texts` maps files to their text."""
    from abl.diagnostics.render import render

    shown = list(findings)
    for one in shown[:MAX_SHOWN]:
        print(render(one, texts.get(one.file or "", ""), color=screen.color, width=screen.width))
        print()
    if len(shown) > MAX_SHOWN:
        print(f"... and {len(shown) - MAX_SHOWN} more; --json lists all of them\n")


def command() -> str:
    """Return how to call this program in the shell at hand: `abl` where that finds it, else its path from here."""
    place = Path(sys.executable).with_name("abl")
    if (found := shutil.which("abl")) and Path(found).resolve() == place.resolve():
        return "abl"
    try:
        return str(place.relative_to(Path.cwd()))
    except ValueError:
        return str(place)


def complain(message: object) -> None:
    """Print a fault of the call, or of the machine, to standard error."""
    print(f"abl: {message}", file=sys.stderr)


def refuse(message: object) -> NoReturn:
    """Print a fault of the call and end the program."""
    complain(message)
    raise SystemExit(USAGE)
