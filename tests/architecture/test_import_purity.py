"""The language does not touch the world: what `abl` may import and call."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cells import over
from tests.support.repository import ROOT

MODULES = sorted((ROOT / "abl").rglob("*.py"))

WORLD = frozenset(
    {
        *("asyncio", "concurrent", "multiprocessing", "queue", "sched", "signal", "threading", "_thread"),  # waiting
        *("random", "secrets", "time", "uuid"),  # chance and clocks
        *("ftplib", "http", "imaplib", "smtplib", "socket", "socketserver", "ssl", "telnetlib", "xmlrpc"),  # network
        *("ctypes", "os", "platform", "shutil", "subprocess", "sys", "tempfile"),  # the machine
        *("fileinput", "glob", "linecache", "pathlib", "pickle", "shelve", "sqlite3"),  # files
        *("getpass", "locale", "logging", "warnings"),  # the process
    }
)
FOREIGN = {"re2": frozenset({"abl/patterns.py"}), "yaml": None}  # third party -> its only modules, None for any
WORLDLY_CALLS = frozenset({"__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"})
CLOCK_READS = frozenset({"now", "today", "utcnow"})


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the first name of every module imported anywhere in `tree`, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def may_import(name: str, module: str) -> bool:
    if name in FOREIGN:
        homes = FOREIGN[name]
        return homes is None or module in homes
    return name == "abl" or (name in sys.stdlib_module_names and name not in WORLD)


def faults(text: str, module: str) -> list[str]:
    tree = ast.parse(text)
    found = [f"{module} imports {name}" for name in imported(tree) if not may_import(name, module)]
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in WORLDLY_CALLS:
                found.append(f"{module}:{node.lineno} calls {name}()")
            case ast.Call(func=ast.Attribute(value=ast.Name(id="date" | "datetime"), attr=name)) if name in CLOCK_READS:
                found.append(f"{module}:{node.lineno} reads the clock")
    return found


@over("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_language_stays_pure(path: Path) -> None:
    assert not faults(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())


@pytest.mark.parametrize(
    "text",
    [
        "import time",
        "import os.path",
        "from random import choice",
        "def late():\n    import asyncio",
        "import re2",
        "import typer",
        "import cli.main",
        "open('x')",
        "from datetime import datetime\ndatetime.now()",
    ],
)
def test_an_impurity_would_be_seen(text: str) -> None:
    assert faults(text, "abl/parser/agent.py")


@pytest.mark.parametrize("text", ["import re", "import yaml", "from abl.source import Pos", "from .source import Pos"])
def test_what_is_pure_is_allowed(text: str) -> None:
    assert not faults(text, "abl/parser/agent.py")


def test_patterns_is_the_home_of_re2() -> None:
    assert not faults("import re2", "abl/patterns.py")
