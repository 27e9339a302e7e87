"""What may be typed within a condition, an expression or a template: variables, functions, operators, filters."""

from __future__ import annotations

from collections.abc import Iterator

from abl.editor.cursor import Cursor, Stage
from abl.editor.describe import function_text, result_fields, summary_of, symbol_text
from abl.editor.names import Symbol
from abl.editor.suggestion import Sort, Suggestion, escaped
from abl.editor.workspace import Workspace
from abl.expressions.interpolation import FILTERS
from abl.expressions.library import FUNCTIONS, Entry
from abl.expressions.words import CONSTANTS, STATE_WORDS, WORD_OPERATORS
from abl.syntax.node import Kind
from abl.syntax.steps import Call
from abl.syntax.tools import Tool

INPUT_WORDS = ("input", "intent", "channel", "result")
"""Names that the runtime provides."""


def formula(workspace: Workspace, path: str, offset: int, cursor: Cursor) -> Iterator[Suggestion]:
    """Yield what a formula at the cursor may go on with."""
    head, dot, _ = cursor.word.rpartition(".")
    if dot:
        yield from _members(workspace, path, offset, head)
        return
    known = workspace.names(path, offset, Symbol.VARIABLE)
    for name, one in known.items():
        yield Suggestion(name, Sort.VARIABLE, detail=summary_of(one), documentation=symbol_text(one))
    if cursor.row is not None and cursor.row.kind is Kind.CALL:
        yield from tools(workspace, path, offset)
    for name in INPUT_WORDS:
        yield Suggestion(name, Sort.VARIABLE, detail="given by the runtime")
    for entry in FUNCTIONS.values():
        yield _function(entry)
    if cursor.stage is Stage.FORMULA:
        for word in (*WORD_OPERATORS, *(f"IS {state}" for state in STATE_WORDS), *CONSTANTS):
            yield Suggestion(word, Sort.KEYWORD)


def filters() -> Iterator[Suggestion]:
    """Yield the filters of templates."""
    for name, function in FILTERS.items():
        entry = FUNCTIONS.get(function)
        yield Suggestion(name, Sort.FUNCTION, detail=entry.summary if entry is not None else "")


def tools(workspace: Workspace, path: str, offset: int) -> Iterator[Suggestion]:
    """Yield the tools that may be called, each with its parameters."""
    for name, one in workspace.names(path, offset, Symbol.TOOL).items():
        if not isinstance(one.node, Tool):
            continue
        wanted = [parameter.name for parameter in one.node.parameters if parameter.optional is not True]
        stops = ", ".join(f"${{{number}:{escaped(word)}}}" for number, word in enumerate(wanted, 1))
        yield Suggestion(
            name, Sort.TOOL, snippet=f"{name}({stops})$0", detail=summary_of(one), documentation=symbol_text(one)
        )


def _function(entry: Entry) -> Suggestion:
    stops = ", ".join(
        f"${{{number}:{escaped(word.strip())}}}"
        for number, word in enumerate(entry.signature.partition("(")[2].rstrip(")").split(","), 1)
        if word.strip() and not word.strip().endswith(("?", "..."))
    )
    return Suggestion(
        entry.name, Sort.FUNCTION, snippet=f"{entry.name}({stops})$0", detail=entry.summary,
        documentation=function_text(entry),
    )  # fmt: skip


def _members(workspace: Workspace, path: str, offset: int, head: str) -> Iterator[Suggestion]:
    """Yield what stands behind a dot: fields of a tool's result, or the rest of a declared path."""
    for name in workspace.names(path, offset, Symbol.VARIABLE):
        if name.startswith(head + "."):
            yield Suggestion(name, Sort.VARIABLE)
    known = workspace.names(path, offset, Symbol.TOOL)
    for _, one in workspace.places(path, offset, Symbol.VARIABLE, head):
        call = one.node
        tool = known.get(call.tool) if isinstance(call, Call) and call.as_ == head else None
        if tool is not None and isinstance(tool.node, Tool):
            for field, kind in result_fields(tool.node).items():
                yield Suggestion(f"{head}.{field}", Sort.VARIABLE, detail=kind)
