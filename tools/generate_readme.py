"""Puts the real output of commands into README.md; with `--check` only says whether it is current.

A block that begins with `$ .venv/bin/abl ...` is replaced by what the command prints, one of "abl FILE" by the file.
Figures between `<!-- figures NAME -->` and `<!-- end -->` come from `benchmarks/results/NAME.json`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from typer.testing import CliRunner

from benchmarks.report import rounded
from cli.main import app
from tools.pages import write_or_check

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
_BLOCK = re.compile(r"(```console\n)\$ \.venv/bin/abl ([^\n]*)\n.*?(```)", re.DOTALL)
_FILE = re.compile(r"(```abl (\S+)\n).*?(```)", re.DOTALL)
_FIGURES = re.compile(r"(<!-- figures ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def output(arguments: str) -> str:
    """Return what `abl <arguments>` prints, run from the root of the repository."""
    return CliRunner().invoke(app, arguments.split()).output.rstrip("\n")


def figures(name: str) -> str:
    """Return the figures of one benchmark as a table."""
    path = ROOT / "benchmarks" / "results" / f"{name}.json"
    if not path.is_file():
        return f"Not measured yet: run `make bench-{name}`.\n"
    rows = ["| figure | value | baseline | target | met |", "|---|---|---|---|---|"]
    for one in json.loads(path.read_text(encoding="utf-8")):
        met = ("yes" if one["met"] else "**no**") if one["target"] else "-"
        unit = f" {one['unit']}" if one["unit"] else ""
        value = f"{rounded(one['value'])}{unit}"
        rows.append(f"| {one['figure']} | {value} | {rounded(one['baseline'])} | {one['target'] or '-'} | {met} |")
    return "\n".join(rows) + "\n"


def current(text: str) -> str:
    """Return the README with every block as it is now."""
    text = _BLOCK.sub(lambda found: f"{found[1]}$ .venv/bin/abl {found[2]}\n{output(found[2])}\n{found[3]}", text)
    text = _FILE.sub(lambda found: f"{found[1]}{(ROOT / found[2]).read_text(encoding='utf-8')}{found[3]}", text)
    return _FIGURES.sub(lambda found: f"{found[1]}{figures(found[2])}{found[3]}", text)


def main() -> int:
    """Write the README, or with `--check` return 1 when it is not current."""
    return write_or_check(README, current, "README.md is not current: run `python -m tools.generate_readme`")


if __name__ == "__main__":
    sys.exit(main())
