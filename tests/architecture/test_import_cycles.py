"""Any module of the product can be the first that is imported: no module waits for one that waits for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.support.repository import ROOT

PACKAGES = sorted(path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name not in ("tests", "benchmarks"))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def run_at_import(body: Sequence[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that run when a module is imported: none in functions, none for type checkers."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from run_at_import(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from run_at_import(list(ast.iter_child_nodes(node)))


def imports_of(name: str, text: str, modules: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return the modules that `name` imports, and those of them that must be whole by then: it takes names of them.

    A module may be taken from its package before it is whole. A package that `name` itself is in has begun before it,
    and counts only where something of its own is imported.
    """
    found, whole = set(), set()
    for node in run_at_import(ast.parse(text).body):
        if isinstance(node, ast.Import):
            wanted = {one.name for one in node.names}
        else:
            inner = {f"{node.module}.{one.name}" for one in node.names}
            wanted = inner & modules
            if inner - modules:
                wanted.add(str(node.module))
                whole.add(str(node.module))
        for one in wanted:
            parts = one.split(".")
            above = {".".join(parts[:end]) for end in range(1, len(parts))}
            found |= {one} | {package for package in above if not name.startswith(f"{package}.")}
    return found & modules - {name}, whole & modules - {name}


def cycles_of(texts: dict[str, str]) -> list[str]:
    """Return which module takes names of one that imports it, perhaps by others."""
    modules = frozenset(texts)
    imports = {name: imports_of(name, text, modules) for name, text in texts.items()}

    @cache
    def reached(start: str) -> set[str]:
        seen, ahead = {start}, [start]
        while ahead:
            more = imports[ahead.pop()][0] - seen
            seen |= more
            ahead += more
        return seen

    return [f"{name} and {other}" for name, (_, whole) in imports.items() for other in whole if name in reached(other)]


def test_no_module_waits_for_one_that_waits_for_it() -> None:
    texts = {name_of(path): path.read_text(encoding="utf-8") for one in PACKAGES for path in one.rglob("*.py")}
    assert len(texts) > 900
    assert cycles_of(texts) == []


@pytest.mark.parametrize(
    ("texts", "is_found"),
    [
        ({"a": "from b import B", "b": "from a import A"}, True),
        ({"a": "from b import B", "b": "from c import C", "c": "class C:\n  import a"}, True),
        ({"a": "import b", "b": "import a"}, False),
        ({"p": "", "p.a": "from p import b", "p.b": "from p import a"}, False),
        ({"p": "from p.a import A", "p.a": "from p import A"}, True),
        ({"p": "from p.a import A", "p.a": "from p import b", "p.b": ""}, False),
        ({"a": "from b import B", "b": "def f():\n  import a"}, False),
        ({"a": "from b import B", "b": "if TYPE_CHECKING:\n  import a"}, False),
        ({"p": "import q", "p.a": "", "q": "from p.a import A"}, False),
        ({"p": "import q", "p.a": "", "q": "from p import P"}, True),
    ],
)
def test_a_cycle_is_found(texts: dict[str, str], is_found: bool) -> None:
    assert bool(cycles_of(texts)) is is_found
