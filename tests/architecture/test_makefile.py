"""The words a developer types can all be read by make, and each says what it does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = next(line for line in TEXT.splitlines() if line.startswith(".PHONY:")).split()[1:]


@pytest.mark.parametrize("target", TARGETS)
def test_make_can_read_every_target(target: str) -> None:
    plan = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert plan.returncode == 0, plan.stderr
    assert plan.stdout.strip()


@pytest.mark.parametrize("target", [one for one in TARGETS if one != "help"])
def test_help_lists_every_target(target: str) -> None:
    assert re.search(rf"^{target}:.*## \w+", TEXT, re.MULTILINE)


def test_bench_runs_every_benchmark() -> None:
    plan = subprocess.run(["make", "-n", "bench"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    reporting = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "publish(" in path.read_text("utf-8")}
    assert reporting - {"report"} <= set(re.findall(r"[a-z_]+", plan.stdout))
