"""The generated project is what the benchmark says it is: correct, and of the promised size."""

from __future__ import annotations

from abl.project import Project, check_project
from benchmarks.agents_project import LINES, agents_project


def test_every_agent_has_a_hundred_lines() -> None:
    files = agents_project(30)
    assert {text.count("\n") for path, text in files.items() if path.startswith("agents/")} == {LINES}


def test_the_project_is_clean() -> None:
    assert check_project(Project.from_files(agents_project(20))) == []


def test_the_same_number_gives_the_same_texts() -> None:
    assert agents_project(12) == agents_project(12)
