"""How a benchmark says what it measured: figures against a baseline and a target, as a table and as JSON.

The JSON files under `benchmarks/results/` are the source of every number that the documentation claims.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"
HEADINGS = ("figure", "value", "unit", "baseline", "target", "met")
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number.

    Attributes:
        figure: What was measured, in words.
        value: The measurement, in `unit`.
        unit: Such as `lines/ms`, `s`, `%`, or `times the baseline`.
        baseline: What it is compared with, measured in the same run and unit; None where nothing compares.
        target: The promise, as a sentence: `at least 150`. Empty where none was made.
        met: Whether `value` keeps the promise; True where none was made, which the JSON says as null.
    """

    figure: str
    value: float
    unit: str
    baseline: float | None = None
    target: str = ""
    met: bool = True


def rounded(number: float | None) -> str:
    """Return a number for people: four significant digits, thousands grouped, `-` for none."""
    if number is None:
        return "-"
    if abs(number) >= 10 ** (DIGITS - 1):
        return f"{number:,.0f}"
    return f"{number:.{DIGITS}g}"


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as aligned plain text, one line each under a line of headings."""
    rows = [HEADINGS] + [
        (one.figure, rounded(one.value), one.unit, rounded(one.baseline), one.target or "-", _verdict(one))
        for one in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _verdict(one: Figure) -> str:
    if not one.target:
        return "-"
    return "yes" if one.met else "NO"


def publish(name: str, figures: Sequence[Figure], folder: Path = RESULTS) -> bool:
    """Print the table, write `<folder>/<name>.json`, and return whether every promise was kept."""
    print(f"{name}\n{table(figures)}\n")
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{**asdict(one), "met": one.met if one.target else None} for one in figures]
    text = json.dumps(rows, indent=1) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return all(one.met for one in figures)
