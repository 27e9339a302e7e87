"""What may stand as the value of a property: choices, names of the project, words of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from abl.editor.cursor import Cursor
from abl.editor.describe import summary_of, symbol_text
from abl.editor.formulas import tools
from abl.editor.names import Symbol, mentioned_by
from abl.editor.suggestion import Sort, Suggestion
from abl.editor.workspace import Workspace
from abl.syntax.coordination import HISTORY_MODES
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rules import FAIL_ACTIONS, GUARDRAIL_ACTIONS
from abl.syntax.steps import Assignment
from abl.syntax.tools import BASE_TYPES

_SORTS = {Symbol.AGENT: Sort.AGENT, Symbol.TOOL: Sort.TOOL, Symbol.STEP: Sort.STEP, Symbol.VARIABLE: Sort.VARIABLE}
_SIMPLE = {
    Kind.BOOL: ("true", "false"), Kind.FLAG: ("true", "false"), Kind.LITERAL: ("true", "false", "null"),
    Kind.HISTORY: (*(mode for mode in HISTORY_MODES if mode != "last_n"), "last_4"), Kind.TYPE: BASE_TYPES,
}  # fmt: skip


def values(workspace: Workspace, path: str, offset: int, cursor: Cursor) -> Iterator[Suggestion]:
    """Yield what the property at the cursor may have as its value."""
    row, cls = cursor.row, cursor.cls
    if cls is Assignment:
        yield from _names(workspace, path, offset, Symbol.VARIABLE)
        return
    if row is None:
        return
    if row.kind is Kind.CALL:
        yield from tools(workspace, path, offset)
        return
    for word in (*row.choices, *_SIMPLE.get(row.kind, ())):
        yield Suggestion(word, Sort.VALUE, detail=row.doc)
    if row.kind is Kind.ACTION:
        yield from _actions(row)
    yield from _mentioned(workspace, path, offset, cls, row)
    if row.kind in (Kind.RESPOND, Kind.TEXT):
        for one in workspace.names(path, offset, Symbol.TEMPLATE).values():
            yield Suggestion(f"TEMPLATE({one.name})", Sort.NAME, documentation=symbol_text(one))


def _mentioned(workspace: Workspace, path: str, offset: int, cls: type[Node] | None, row: Prop) -> Iterator[Suggestion]:
    symbol = Symbol.STEP if row.kind is Kind.TARGET else mentioned_by(cls, row.field)
    if row.kind is Kind.STEP_GATHER:
        symbol = Symbol.VARIABLE
    if symbol is not None:
        yield from _names(workspace, path, offset, symbol)
    if symbol is Symbol.STEP:
        for word in ("COMPLETE", "ESCALATE"):
            yield Suggestion(word, Sort.KEYWORD)


def _names(workspace: Workspace, path: str, offset: int, symbol: Symbol) -> Iterator[Suggestion]:
    for name, one in workspace.names(path, offset, symbol).items():
        yield Suggestion(name, _SORTS.get(symbol, Sort.NAME), detail=summary_of(one), documentation=symbol_text(one))


def _actions(row: Prop) -> Iterator[Suggestion]:
    for word in GUARDRAIL_ACTIONS if row.field == "action" else FAIL_ACTIONS:
        shown = word if row.field == "action" else word.upper()
        snippet = f'{shown} "$1"$0' if word in ("respond", "escalate") and row.field != "action" else shown
        yield Suggestion(shown, Sort.KEYWORD, snippet=snippet)
