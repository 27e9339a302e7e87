"""What the update of the corpus writes, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus import BY_HAND, cases, expected, results, written
from tools.update_corpus import update


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "identity").mkdir()
    (tmp_path / "identity" / "one.abl").write_text('AGENT: One\nGOAL: "x"\n', encoding="utf-8")
    return tmp_path


def test_a_new_case_is_written_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (case,) = cases(root)
    assert update(case, dry_run=False)
    assert expected(case) == results(case)
    assert "new: identity/one" in capsys.readouterr().out
    assert not update(case, dry_run=False)


def test_a_dry_run_only_tells(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (case,) = cases(root)
    assert update(case, dry_run=True)
    assert not case.sidecar.exists()
    assert "document" in capsys.readouterr().out


def test_what_was_corrected_by_hand_is_left_alone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (case,) = cases(root)
    wanted = {BY_HAND: "the parser is wrong"} | results(case) | {"parse": [["GOAL_REQUIRED", 1, "error"]]}
    case.sidecar.write_text(written(wanted), encoding="utf-8")
    assert not update(case, dry_run=False)
    assert expected(case) == wanted
    assert "by hand: identity/one differs in parse (the parser is wrong)" in capsys.readouterr().out


def test_the_note_goes_when_the_language_gives_what_was_written(root: Path) -> None:
    (case,) = cases(root)
    case.sidecar.write_text(written({BY_HAND: "the parser was wrong"} | results(case)), encoding="utf-8")
    assert update(case, dry_run=False)
    assert BY_HAND not in expected(case)
