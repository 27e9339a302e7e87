"""`abl models`: what it prints and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli import models
from cli.environment import models_folder
from domain.errors import Unavailable
from providers.embedded.sources import Stopped
from providers.embedded.weights import known_weights, unfinished_file

SMALL = known_weights()[0]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ABL_MODELS_DIR", str(tmp_path))
    return tmp_path


def test_the_list_says_how_much_of_each_file_is_here(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with unfinished_file(folder, SMALL).open("wb") as file:
        file.truncate(SMALL.size_bytes // 4)
    assert models.list_models() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[1:3]] == [
        ["0.5b", "embedded/qwen2.5-0.5b", "491"],
        ["1.5b", "embedded/qwen2.5-1.5b", "1,117"],
    ]
    assert "unfinished (25 %)" in lines[1]
    assert "not here" in lines[2]
    assert any(str(folder) in line for line in lines)


def test_a_pull_shows_its_way_and_says_where_the_file_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pulled(where, weights, *, report, stop):
        report(weights.size_bytes, weights.size_bytes)
        return where / weights.file

    monkeypatch.setattr(models, "pull", pulled)
    assert models.pull_model("0.5b") == 0
    printed = capsys.readouterr()
    assert f"{folder / SMALL.file} (491 MB, SHA-256 verified, licence Apache-2.0)" in printed.out
    assert "491.4" in printed.err


@pytest.mark.parametrize(("error", "words"), [(Unavailable("no room"), "no room"), (Stopped(), "goes on from there")])
def test_a_pull_that_fails_says_why(monkeypatch, capsys, error, words):
    def fails(*_given, **_named):
        raise error

    monkeypatch.setattr(models, "pull", fails)
    assert models.pull_model("0.5b") == 1
    assert words in capsys.readouterr().err


def test_an_unknown_size_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert models.pull_model("7b") == 1
    assert models.remove_model("7b") == 1
    assert "take 0.5b or 1.5b" in capsys.readouterr().err


def test_removing_says_what_was_freed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / SMALL.file).open("wb") as file:
        file.truncate(5_000_000)
    assert models.remove_model("0.5b") == 0
    assert models.remove_model("0.5b") == 0
    assert capsys.readouterr().out.splitlines() == [f"{SMALL.file}: 5 MB freed", f"{SMALL.file} is not here"]


def test_files_are_kept_in_the_cache_of_the_user(tmp_path: Path) -> None:
    assert models_folder({"ABL_MODELS_DIR": "/a"}) == Path("/a")
    assert models_folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/abl/models")
    assert models_folder({}) == Path.home() / ".cache/abl/models"
