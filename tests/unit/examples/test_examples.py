"""The example projects are what they say: clean, and the older one tolerated."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from abl.checks.tool_references import CANNOT_RUN
from abl.folders import is_project_file
from abl.project import Project, check_project, compile_project
from cli.main import app
from tests.support.repository import PROJECTS, ROOT

EXAMPLES = ROOT / "examples"
OLDER = ROOT / "docs" / "older-files" / "bank-branch"


def project_of(folder: Path, *, strict: bool = False) -> Project:
    paths = sorted(path for path in folder.rglob("*") if is_project_file(path.name))
    files = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    assert files
    return Project.from_files(files, strict=strict)


def findings(folder: Path, *, strict: bool):
    return [
        f"{one.severity} {one.code} {one.file}:{one.line} {one.message}"
        for one in check_project(project_of(folder, strict=strict))
        if one.is_error or (one.severity == "warning" and strict)
    ]


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda path: path.name)
def test_a_modern_project_is_clean_under_strict(folder):
    assert findings(folder, strict=True) == []


def test_an_older_project_has_no_errors_unless_strict():
    assert findings(OLDER, strict=False) == []
    assert findings(OLDER, strict=True) != []


def test_there_are_ten_projects_and_each_example_explains_itself():
    assert len(PROJECTS) >= 10
    folders = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
    assert {path.name for path in folders} - {path.name for path in PROJECTS} == {"web-page", "web-react"}
    assert all((folder / "README.md").is_file() for folder in folders)
    listed = re.findall(r"(?m)^\| \[([\w-]+)\]\(\1/\) \|", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [folder.name for folder in folders]


def test_checking_all_examples_finds_nothing():
    outcome = CliRunner().invoke(app, ["check", str(EXAMPLES)])
    assert outcome.exit_code == 0, outcome.output
    assert len(outcome.output.splitlines()) == 1, outcome.output


def test_all_examples_are_laid_out():
    outcome = CliRunner().invoke(app, ["fmt", "--check", str(EXAMPLES), str(ROOT / "docs" / "older-files")])
    assert outcome.exit_code == 0, outcome.output


@pytest.mark.parametrize("folder", [*PROJECTS, OLDER], ids=lambda path: path.name)
def test_no_project_has_a_tool_of_a_kind_that_cannot_run(folder):
    agents = compile_project(project_of(folder)).output["agents"]
    kinds = {tool["name"]: tool.get("tool_type") for one in agents.values() for tool in one["tools"]}
    assert not [name for name, kind in kinds.items() if kind in CANNOT_RUN]
    texts = "\n".join(path.read_text("utf-8") for path in folder.rglob("*") if is_project_file(path.name))
    assert not re.findall(rf"(?im)^\s*type:\s*(?:{'|'.join(sorted(CANNOT_RUN))})\b", texts)


def test_every_tool_of_the_modern_projects_leads_somewhere():
    for folder in PROJECTS:
        agents = compile_project(project_of(folder)).output["agents"]
        tools = [tool for one in agents.values() for tool in one["tools"] if not tool.get("system")]
        assert not [tool["name"] for tool in tools if not tool.get("tool_type")], folder.name
