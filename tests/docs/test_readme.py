"""What the README shows is what happens."""

import contextlib
import io
import re

from tests.support.repository import ROOT
from tools import generate_readme

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_begins_with_the_two_commands():
    first_block = re.search(r"```\n(.*?)```", README, re.DOTALL)[1]
    assert [line.split("#")[0].strip() for line in first_block.splitlines()] == ["make serve", "make test"]


def test_every_command_prints_what_the_readme_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert generate_readme.current(README) == README, "run `python -m tools.generate_readme`"


def test_the_python_of_the_readme_runs():
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - the README is ours
        assert "Help people" in printed.getvalue()


def test_the_broken_files_of_the_readme_are_answered_with_fixes(monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = re.findall(r"\$ \.venv/bin/abl check (docs/first-errors/\S+)\n(.*?)```", README, re.DOTALL)
    assert len(shown) == 5
    assert all("help: " in output and "error[" in output for _, output in shown)
