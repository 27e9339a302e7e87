"""Where the assertions of a test stand: `assert` statements and `pytest.raises`, in the test and in its helpers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[Path, int]
"""A file and a line."""
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Found(NamedTuple):
    """What stands in one function.

    Attributes:
        lines: Those of its assertions.
        names: All names that it uses, with those of its parameters, which may be fixtures.
    """

    lines: tuple[int, ...]
    names: frozenset[str]


@cache
def _functions(path: Path) -> Mapping[str, Function]:
    """Return the functions and methods of a file by name."""
    return {one.name: one for one in _defined(ast.parse(path.read_text(encoding="utf-8")).body)}


def _defined(body: Sequence[ast.stmt]) -> Iterator[Function]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node
            case ast.ClassDef():
                yield from _defined(node.body)


@cache
def _found(function: Function) -> Found:
    lines, names = list[int](), set[str]()
    for node in ast.walk(function):
        match node:
            case ast.Assert(lineno=line):
                lines.append(line)
            case ast.Call(func=ast.Attribute(attr="raises"), lineno=line):
                lines.append(line)
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                names.add(name)
    return Found(tuple(lines), frozenset(names))


@cache
def helpers_that_assert(folder: Path) -> Mapping[str, Path]:
    """Return the helpers below a folder that hold assertions, by name."""
    return {
        name: path
        for path in sorted(folder.rglob("*.py"))
        for name, function in _functions(path).items()
        if _found(function).lines
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
    waiting, seen = [name], set[str]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if function := own.get(one):
            lines, names = _found(function)
            found |= {(path, line) for line in lines}
            waiting += names
        elif place := shared.get(one):
            found |= {(place, line) for line in _found(_functions(place)[one]).lines}
    return frozenset(found)
