"""The table and the JSON file that a benchmark leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.report import Figure, publish, rounded, table

KEPT = Figure("full parse", 181.26, "lines/ms", baseline=1316.4, target="at least 150", met=True)
BROKEN = Figure("start of abl check", 0.31, "s", target="at most 0.2", met=False)


def test_the_file_holds_every_figure_with_all_its_members(tmp_path: Path) -> None:
    publish("abl", [KEPT, BROKEN], tmp_path)
    assert json.loads((tmp_path / "abl.json").read_text(encoding="utf-8")) == [
        {
            "figure": "full parse",
            "value": 181.26,
            "unit": "lines/ms",
            "baseline": 1316.4,
            "target": "at least 150",
            "met": True,
        },
        {
            "figure": "start of abl check",
            "value": 0.31,
            "unit": "s",
            "baseline": None,
            "target": "at most 0.2",
            "met": False,
        },
    ]


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    publish("abl", [KEPT], tmp_path / "deep" / "results")
    assert (tmp_path / "deep" / "results" / "abl.json").is_file()


def test_publish_says_whether_every_promise_was_kept(tmp_path: Path) -> None:
    assert publish("kept", [KEPT], tmp_path)
    assert not publish("broken", [KEPT, BROKEN], tmp_path)


def test_the_table_is_printed_under_the_name_of_the_benchmark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish("abl", [KEPT], tmp_path)
    assert capsys.readouterr().out == f"abl\n{table([KEPT])}\n\n"


def test_columns_are_aligned_and_a_broken_promise_stands_out() -> None:
    assert table([KEPT, BROKEN]).splitlines() == [
        "figure              value  unit      baseline  target        met",
        "full parse          181.3  lines/ms  1,316     at least 150  yes",
        "start of abl check  0.31   s         -         at most 0.2   NO",
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [(None, "-"), (0, "0"), (0.00012345, "0.0001234"), (2.5, "2.5"), (999.96, "1000"), (12345678, "12,345,678")],
)
def test_numbers_are_rounded_for_people(number: float | None, text: str) -> None:
    assert rounded(number) == text
