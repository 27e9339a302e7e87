"""docs/operations.md: its figures are those of the benchmarks, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.environment import VARIABLES
from gateway.metrics import Metrics
from tools.generate_operations import PAGE, ROOT, ROWS, current

TEXT = PAGE.read_text(encoding="utf-8")


def test_its_figures_are_those_of_the_benchmarks() -> None:
    assert current(TEXT) == TEXT, "run `python -m tools.generate_operations`"
    assert all(words in TEXT for _, _, words in ROWS)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\bABL_[A-Z_]+\b", TEXT))))
def test_a_variable_that_it_names_is_read(name: str) -> None:
    assert name in VARIABLES


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\babl_[a-z_]+\b", TEXT)) - {"abl_runtime"}))
def test_a_number_that_it_watches_is_told(name: str) -> None:
    told = (
        Metrics().text([]).decode()
        + "".join(
            (ROOT / place).read_text(encoding="utf-8")
            for place in ("actors/session_runtime.py", "actors/host_numbers.py", "gateway/metrics.py")
        )
        + (ROOT / "actors" / "shared_counters.py").read_text(encoding="utf-8")
    )
    assert name in told or name.removesuffix("_total") in told


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", TEXT))))
def test_a_file_that_it_points_to_is_there(target: str) -> None:
    assert (PAGE.parent / target).resolve().is_relative_to(ROOT)
    assert (PAGE.parent / target).exists()


def test_a_path_of_a_test_that_it_names_is_there() -> None:
    named = re.findall(r"\b(?:tests|deploy)/[\w/]+\.py\b", TEXT)
    assert named
    assert all(Path(ROOT, one).is_file() for one in named)
