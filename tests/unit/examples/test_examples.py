"""The example projects are what they say: clean, and the older one tolerated."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from abl.folders import is_project_file
from abl.project import Project, check_project
from cli.main import app
from tests.support.repository import ROOT

EXAMPLES = ROOT / "examples"
OLDER = {"bank-branch-legacy"}
PROJECTS = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())


def findings(folder: Path, *, strict: bool):
    paths = sorted(path for path in folder.rglob("*") if is_project_file(path.name))
    files = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    assert files
    return [
        f"{one.severity} {one.code} {one.file}:{one.line} {one.message}"
        for one in check_project(Project.from_files(files, strict=strict))
        if one.is_error or (one.severity == "warning" and strict)
    ]


@pytest.mark.parametrize("folder", [one for one in PROJECTS if one.name not in OLDER], ids=lambda path: path.name)
def test_a_modern_project_is_clean_under_strict(folder):
    assert findings(folder, strict=True) == []


@pytest.mark.parametrize("name", sorted(OLDER))
def test_an_older_project_has_no_errors_unless_strict(name):
    assert findings(EXAMPLES / name, strict=False) == []
    assert findings(EXAMPLES / name, strict=True) != []


def test_there_are_ten_projects_and_each_explains_itself():
    assert len(PROJECTS) >= 10
    assert all((folder / "README.md").is_file() for folder in PROJECTS)


def test_checking_all_examples_finds_no_errors():
    outcome = CliRunner().invoke(app, ["check", str(EXAMPLES)])
    assert outcome.exit_code == 0, outcome.output
    assert "files checked" in outcome.output
