"""What the editor package says, in the words of the language server protocol."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from abl.diagnostics.model import Diagnostic, Edit
from abl.editor import Heading, Sort, Suggestion
from abl.editor.positions import Range, range_of
from abl.source import Source

SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_ITEMS = {
    Sort.SECTION: types.CompletionItemKind.Module,
    Sort.PROPERTY: types.CompletionItemKind.Property,
    Sort.VALUE: types.CompletionItemKind.EnumMember,
    Sort.KEYWORD: types.CompletionItemKind.Keyword,
    Sort.FUNCTION: types.CompletionItemKind.Function,
    Sort.AGENT: types.CompletionItemKind.Class,
    Sort.TOOL: types.CompletionItemKind.Method,
    Sort.STEP: types.CompletionItemKind.Event,
    Sort.VARIABLE: types.CompletionItemKind.Variable,
    Sort.NAME: types.CompletionItemKind.Reference,
}
_HEADINGS = {
    Sort.SECTION: types.SymbolKind.Namespace,
    Sort.AGENT: types.SymbolKind.Class,
    Sort.TOOL: types.SymbolKind.Method,
    Sort.STEP: types.SymbolKind.Event,
}
DEPRECATED = frozenset({"MODE_DEPRECATED", "LAMBDA_DEPRECATED", "LEGACY_ROUTING", "LEGACY_RECALL_EVENT_ALIAS"})
"""Codes that editors show struck through."""


def lsp_range(found: Range) -> types.Range:
    """Return a range of the protocol."""
    return types.Range(types.Position(*found.start), types.Position(*found.end))


def edits(source: Source, changes: Iterable[Edit], encoding: str) -> list[types.TextEdit]:
    """Return changes of a text."""
    return [types.TextEdit(lsp_range(range_of(source, one.offset, one.length, encoding)), one.text) for one in changes]


def diagnostic(source: Source, one: Diagnostic, encoding: str) -> types.Diagnostic:
    """Return a finding; one without a place is said of the first character."""
    offset = one.offset if one.offset is not None else source.starts[min((one.line or 1), len(source.starts)) - 1]
    tags = [types.DiagnosticTag.Deprecated] if one.code in DEPRECATED else None
    return types.Diagnostic(
        range=lsp_range(range_of(source, offset, max(one.length, 1), encoding)),
        message=one.message,
        severity=SEVERITIES[one.severity],
        code=one.code,
        source="abl",
        tags=tags,
    )


def completion_item(source: Source, one: Suggestion, order: int, encoding: str, *, stops: bool) -> types.CompletionItem:
    """Return a suggestion; with `stops` the editor knows tab stops."""
    is_snippet = stops and "$" in one.snippet
    text = (one.snippet or one.label) if is_snippet else one.text
    return types.CompletionItem(
        label=one.label,
        kind=_ITEMS[one.sort],
        detail=one.detail or None,
        documentation=markdown(one.documentation) if one.documentation else None,
        sort_text=f"{order:04d}",
        filter_text=one.label,
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AdjustIndentation,
        text_edit=types.TextEdit(lsp_range(range_of(source, one.offset, one.length, encoding)), text),
    )


def markdown(text: str) -> types.MarkupContent:
    """Return text with markup."""
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def document_symbol(source: Source, one: Heading, encoding: str) -> types.DocumentSymbol:
    """Return one entry of the outline with what it holds."""
    return types.DocumentSymbol(
        name=one.name,
        kind=_HEADINGS.get(one.sort, types.SymbolKind.Field),
        range=lsp_range(range_of(source, one.offset, one.length, encoding)),
        selection_range=lsp_range(range_of(source, one.name_offset, one.name_length, encoding)),
        detail=one.detail or None,
        children=[document_symbol(source, child, encoding) for child in one.children],
    )
