"""How fast the language is: parsing, compiling a large project, conditions, formatting, checking, and starting up.

The parse is compared with a bare line scan of the same texts in the same run, which is the least that any lossless
reader of an indented language does: `splitlines(keepends=True)`, and for each line a tuple of its number, its offset,
its indent, its trimmed text, whether it is blank or a comment, and the line that encloses it by indentation (a stack).
The ratio to the barest loop (lines and indents, nothing kept) is printed as well; nothing was promised for it.
"""

from __future__ import annotations

import sys
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from abl.formatter import format_text
from abl.frontend import parse
from abl.project import Project, compile_project
from abl.validation import validate_abl
from benchmarks.agents_project import agents_project
from benchmarks.conditions import ARITHMETIC, ORDINARY, ratios
from benchmarks.report import Figure, publish
from benchmarks.timing import best_of, interleaved, piece_by_piece, start_ups

ROOT = Path(__file__).resolve().parent.parent
CORPUS_LINES = 20_000
ROUNDS = 15
PROJECT_AGENTS = 1000
STARTS = 9
RUN = "from cli.main import run; run()"
Row = tuple[int, int, int, str, bool, int]


def examples() -> list[str]:
    """Return the texts of all example agents, libraries and profiles in the text form."""
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*.abl"))]


def corpus(lines: int = CORPUS_LINES) -> list[str]:
    """Return example texts, repeated until they have at least `lines` lines."""
    texts = examples()
    each = sum(map(line_count, texts))
    return list(islice(cycle(texts), len(texts) * -(-lines // each)))


def line_count(text: str) -> int:
    """Return how many lines a text has."""
    return text.count("\n")


def bare_scan(text: str) -> list[Row]:
    """Return (number, offset, indent, trimmed text, blank or comment, enclosing line) of every line."""
    rows: list[Row] = []
    enclosing: list[tuple[int, int]] = []
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        body = line.strip()
        indent = len(line) - len(line.lstrip())
        says_nothing = not body or body[0] == "#"
        if not says_nothing:
            while enclosing and enclosing[-1][0] >= indent:
                enclosing.pop()
        rows.append((number, offset, indent, body, says_nothing, enclosing[-1][1] if enclosing else 0))
        if not says_nothing:
            enclosing.append((indent, number))
        offset += len(line)
    return rows


def barest_loop(text: str) -> None:
    """Look at the indent of every line, and keep nothing."""
    for line in text.splitlines():
        len(line) - len(line.lstrip())


def parsing() -> list[Figure]:
    """Measure the full parse, with all places, beside the bare scan."""
    texts = corpus()
    total = sum(map(line_count, texts))

    full, scan, barest = piece_by_piece([parse, bare_scan, barest_loop], texts, ROUNDS)
    speed = total / full / 1000
    return [
        Figure("corpus parsed", total, "lines", None, "at least 20,000", total >= CORPUS_LINES),
        Figure("full parse with places", speed, "lines/ms", total / scan / 1000, "at least 150", speed >= 150),
        Figure("full parse / bare scan", full / scan, "times the baseline", 1.0, "at most 8", full / scan <= 8),
        Figure("full parse / barest loop", full / barest, "times the baseline", 1.0),
    ]


def compiling() -> list[Figure]:
    """Measure reading and compiling a project of 1,000 agents."""
    files = agents_project(PROJECT_AGENTS)
    lines = sum(map(line_count, files.values()))
    broken = sum(one.is_error for one in compile_project(Project.from_files(files)).findings)
    seconds = best_of(lambda: compile_project(Project.from_files(files)), 3)
    return [
        Figure("parse and compile 1,000 agents", seconds, "s", None, "under 3", seconds < 3 and not broken),
        Figure("lines of those agents", lines, "lines"),
    ]


def conditions() -> list[Figure]:
    """Measure compiled conditions beside Python lambdas."""
    ordinary, computing = ratios(ORDINARY), ratios(ARITHMETIC)
    slowest = max(ordinary, key=lambda text: ordinary[text])
    most = max(computing, key=lambda text: computing[text])
    half, worst, unit = median(ordinary.values()), ordinary[slowest], "times the lambda"
    return [
        Figure(f"condition, median of {len(ordinary)}", half, unit, 1.0, "at most 3", half <= 3),
        Figure(f"condition, slowest: {slowest}", worst, unit, 1.0, "at most 3", worst <= 3),
        Figure(f"arithmetic, slowest: {most}", computing[most], unit, 1.0),
    ]


def tools() -> list[Figure]:
    """Measure formatting and checking of the example texts, each alone."""
    texts = examples()
    total = sum(map(line_count, texts))
    formatted, checked = interleaved(
        [lambda: [format_text(text) for text in texts], lambda: [validate_abl(text) for text in texts]], 3
    )
    return [
        Figure("format_text", total / formatted / 1000, "lines/ms"),
        Figure("validate_abl", total / checked / 1000, "lines/ms"),
    ]


def starting() -> list[Figure]:
    """Measure the command line from start to end, beside a Python that does nothing."""
    file = "examples/parcel-desk/agents/parcel_desk.agent.abl"
    run = [sys.executable, "-c", RUN]
    nothing, usage, one, everything = start_ups(
        [[sys.executable, "-c", "pass"], [*run, "--help"], [*run, "check", file], [*run, "check", "examples/"]],
        str(ROOT),
        STARTS,
    )
    return [
        Figure("abl --help", usage, "s", nothing, "under 0.2", usage < 0.2),
        Figure("abl check, one file", one, "s", nothing, "under 0.2", one < 0.2),
        Figure("abl check examples/", everything, "s", nothing, "under 1", everything < 1),
    ]


if __name__ == "__main__":
    made = [*parsing(), *compiling(), *conditions(), *tools(), *starting()]
    sys.exit(0 if publish("abl", made) else 1)
