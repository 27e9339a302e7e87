"""Where the assertions of a test stand: `assert` statements and `pytest.raises`, in the test and in its helpers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

Place: TypeAlias = tuple[Path, int]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _functions(path: Path) -> Mapping[str, Function]:
    """Return the functions and methods of a file by name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def _own(function: Function) -> Iterator[int]:
    """Yield the lines of the assertions that a function itself holds."""
    for node in ast.walk(function):
        match node:
            case ast.Assert(lineno=line):
                yield line
            case ast.Call(func=ast.Attribute(attr="raises" | "fail"), lineno=line):
                yield line


@cache
def helpers_that_assert(folder: Path) -> Mapping[str, Path]:
    """Return the helpers below a folder that hold assertions, by name."""
    return {
        name: path
        for path in sorted(folder.rglob("*.py"))
        for name, function in _functions(path).items()
        if any(_own(function))
    }


def assertions(path: Path, name: str, shared: Mapping[str, Path]) -> frozenset[Place]:
    """Return where the assertions of a test stand.

    Args:
        path: The file of the test.
        name: Its function.
        shared: Helpers of other files that assert, by name.

    Returns:
        Places of assertions in the function and in every function that it names, itself or through others of its file.
    """
    found: set[Place] = set()
    own = _functions(path)
    open_names, seen = [name], set[str]()
    while open_names:
        one = open_names.pop()
        if one in seen:
            continue
        seen.add(one)
        if function := own.get(one):
            found |= {(path, line) for line in _own(function)}
            open_names += _named(function)
        elif place := shared.get(one):
            found |= {(place, line) for line in _own(_functions(place)[one])}
    return frozenset(found)


def _named(function: Function) -> list[str]:
    """Return the names that a function uses, and those of its parameters, which may be fixtures."""
    used = [node.id for node in ast.walk(function) if isinstance(node, ast.Name)]
    attributes = [node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)]
    return [*used, *attributes, *(argument.arg for argument in function.args.args)]
