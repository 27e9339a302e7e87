"""`docs/engine-map.md` names only functions and proofs that are there, and every conversation stands in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.support.turn_corpus import FILES

ROOT = Path(__file__).parents[3]
MAP = (ROOT / "docs" / "engine-map.md").read_text("utf-8")
ROWS = [line.strip("| ").split(" | ") for line in MAP.splitlines() if line.startswith("| ") and "`" in line]


def names_of(module: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / "engine" / f"{module}.py").read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def test_every_function_of_the_map_exists() -> None:
    wanted = re.findall(r"`([\w/]+):(\w+)`", MAP)
    assert len(wanted) > 100
    assert [f"{module}:{name}" for module, name in wanted if name not in names_of(module)] == []


def test_every_proof_of_the_map_exists() -> None:
    folder = Path(__file__).parent
    tests = {path.stem for path in folder.glob("test_*.py")}
    for path in folder.glob("test_*.py"):
        tests |= set(re.findall(r"def (test_\w+)", path.read_text("utf-8")))
    known = tests | {path.stem for path in FILES}
    proofs = {name for row in ROWS for name in re.split(r",\s*", row[-1])}
    assert sorted(proofs - known) == []


def test_every_conversation_is_a_proof_of_something() -> None:
    assert sorted(path.stem for path in FILES if path.stem not in MAP and "spec:" in path.read_text("utf-8")) == []
