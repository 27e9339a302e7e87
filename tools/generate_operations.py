"""Puts measured figures into docs/operations.md; with `--check` only says whether they are current.

Between `<!-- sizing -->` and `<!-- end -->` stands a table; each row of `ROWS` is one figure of one benchmark, in words
that plan a machine. Nothing in it is typed by hand.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from actors.hosting import sizing_of
from actors.settings import Settings
from benchmarks.report import rounded
from tools.pages import write_or_check

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "operations.md"
_REGION = re.compile(r"(<!-- sizing -->\n).*?(<!-- end -->)", re.DOTALL)
ROWS = (
    (
        "turns",
        "turns/s, 0 ms model, everything on this machine",
        "turns a second, gateway, host and database on 2 cores",
    ),
    ("turns", "CPU per text turn", "processor time of a turn with a model, gateway and host"),
    ("turns", "CPU per FLOW turn without a model", "of a FLOW turn without one"),
    ("turns", "CPU per text turn, database server", "of a turn, in the database"),
    ("gateway", "gateway CPU of a streamed event", "of a piece of a stream, in the gateway"),
    ("activation", "waking one of 100,000, p50", "waking a session that sleeps, p50"),
    ("activation", "waking one of 100,000, p99", "waking a session that sleeps, p99"),
    ("sessions", "memory of 1,000 idle sessions, awake", "memory of 1,000 sessions awake and idle"),
    ("hosts", "ray: memory of a dedicated session", "memory of a dedicated session on Ray"),
    ("sessions", "disk for a Text turn", "disk of a turn with a model"),
    ("sessions", "disk for a Flow turn", "disk of a FLOW turn"),
    ("journal", "log of a turn (WAL), later overwritten", "write-ahead log of a turn"),
    ("start_up", "local: start to first answer", "start to first answer, `local`"),
    ("start_up", "ray: start to first answer", "start to first answer, `ray` of its own"),
)
"""Benchmark, its figure, and what it is called here."""


def sizing() -> str:
    """Return the table of figures.

    Raises:
        KeyError: A benchmark has no such figure any more.
    """
    lines = ["| what | measured | by |", "|---|---|---|"]
    for bench, figure, words in ROWS:
        path = ROOT / "benchmarks" / "results" / f"{bench}.json"
        found = {one["figure"]: one for one in json.loads(path.read_text(encoding="utf-8"))}
        one = found[figure]
        lines.append(f"| {words} | {rounded(one['value'])} {one['unit']} | `make bench-{bench.replace('_', '-')}` |")
    bounds = sizing_of(Settings(), 1)
    lines.append(
        f"| sessions awake in a host before another is asked for | {full(bounds.sessions_per_host)} | setting |"
    )
    lines.append(f"| turns at once in a host before another is asked for | {full(bounds.turns_per_host)} | setting |")
    return "\n".join(lines) + "\n"


def full(number: int) -> str:
    """Return at how many hosts are taken to be full."""
    return f"{int(number * sizing_of(Settings(), 1).full_at):,}"


def current(text: str) -> str:
    """Return the page with its figures as they are now."""
    return _REGION.sub(lambda found: f"{found[1]}{sizing()}{found[2]}", text)


def main() -> int:
    """Write the page, or with `--check` return 1 when it is not current."""
    return write_or_check(PAGE, current, "docs/operations.md is not current: run `python -m tools.generate_operations`")


if __name__ == "__main__":
    sys.exit(main())
