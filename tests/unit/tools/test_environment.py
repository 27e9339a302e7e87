"""When the environment has to be made again, and when it only grows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.environment import can_grow, fingerprint, is_current, main


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "requirements").mkdir()
    for size in ("base", "test", "all", "embedded", "generator"):
        (tmp_path / "requirements" / f"{size}.txt").write_text(size, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[project]", encoding="utf-8")
    return tmp_path


def test_an_unchanged_environment_is_current(root: Path) -> None:
    assert is_current(fingerprint(root, "test"), root, "test")


def test_a_larger_environment_serves_for_a_smaller_size(root: Path) -> None:
    assert is_current(fingerprint(root, "all"), root, "test")
    assert not is_current(fingerprint(root, "test"), root, "all")


@pytest.mark.parametrize("file", ["requirements/test.txt", "pyproject.toml"])
def test_a_changed_file_makes_it_stale(root: Path, file: str) -> None:
    stamp = fingerprint(root, "test")
    (root / file).write_text("changed", encoding="utf-8")
    assert not is_current(stamp, root, "test")


def test_a_lock_of_another_size_does_not_matter(root: Path) -> None:
    stamp = fingerprint(root, "test")
    (root / "requirements" / "all.txt").write_text("changed", encoding="utf-8")
    assert is_current(stamp, root, "test")


def test_a_stale_project_file_lets_it_grow_but_a_stale_lock_does_not(root: Path) -> None:
    stamp = fingerprint(root, "test")
    (root / "pyproject.toml").write_text("changed", encoding="utf-8")
    assert can_grow(stamp, root)
    (root / "requirements" / "test.txt").write_text("changed", encoding="utf-8")
    assert not can_grow(stamp, root)


@pytest.mark.parametrize("key", ["python", "root"])
def test_another_interpreter_or_folder_starts_afresh(root: Path, key: str) -> None:
    stamp = fingerprint(root, "test") | {key: "other"}
    assert not is_current(stamp, root, "test")
    assert not can_grow(stamp, root)


@pytest.mark.parametrize("stamp", [{}, {"size": "huge"}])
def test_a_missing_or_foreign_stamp_starts_afresh(root: Path, stamp: dict[str, str]) -> None:
    assert not is_current(stamp, root, "test")
    assert not can_grow(stamp, root)


@pytest.mark.parametrize("arguments", [[], ["everything"], ["test", "all"]])
def test_an_unknown_size_is_a_usage_error(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="usage"):
        main(arguments)
