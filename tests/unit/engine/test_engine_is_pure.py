from __future__ import annotations

import ast
from pathlib import Path

from tests.support.cells import over

ROOT = Path(__file__).parents[3]
FORBIDDEN = {"asyncio", "random", "time", "uuid", "socket", "os", "pathlib", "secrets", "threading", "subprocess"}
SOURCES = sorted([*(ROOT / "engine").rglob("*.py"), *(ROOT / "domain").rglob("*.py")])


@over("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_neither_waits_nor_touches_the_world(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        assert not isinstance(node, ast.Await | ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith)
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {name.split(".")[0] for name in names} & FORBIDDEN
