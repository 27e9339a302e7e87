"""Formats a text without changing what it says; comments and blank lines stay. Spec: abl-language 1, 2.

What a formatter must never do is guard itself: the documents before and after are compared, and where they differ the
author's own layout is kept, of the sections concerned or of the whole text.
"""

from __future__ import annotations

from abl.formatter.layout import laid_out
from abl.formatter.tidy import tidied, tidied_yaml
from abl.outline import outline
from abl.parser import parse_text
from abl.parser.detect import detect, is_legacy, split_documents
from abl.source import Source, normalise
from abl.syntax.document import Document

__all__ = ["format_text"]

BOM = "\ufeff"


def format_text(text: str) -> str:
    """Return `text` in the layout of the language: two spaces a level, one space after a colon, one blank line.

    Parsing the result gives the same document, and formatting it again changes nothing.

    >>> format_text("Agent: Hub\\nGOAL:   find it   \\n\\n\\nLIMITATIONS:\\n- never guess")
    'AGENT: Hub\\nGOAL: find it\\n\\nLIMITATIONS:\\n  - never guess\\n'

    Raises:
        TypeError: `text` is no text.
    """
    made = _formatted(normalise(text))
    return BOM + made if made.startswith(BOM) else made  # a mark within the text must not become the mark before it


def _formatted(text: str) -> str:
    """Return the layout of a normalised text."""
    kind = detect(text)
    if kind == "yaml":
        return tidied_yaml(text)
    plain = tidied(text)
    if kind is None or is_legacy(text):
        return plain
    before = _documents(text)
    if not before or before[0] is None:
        return plain
    kept: frozenset[str] = frozenset()
    for _ in range(2):
        shown = _stable(plain, kept)
        if shown is None:
            return plain
        after = _documents(shown)
        if after == before:
            return shown
        if len(after) != len(before):
            return plain
        kept = _differing(before, after)
    return plain


def _documents(text: str) -> list[Document | None]:
    """Return what a text says, agents pasted together one by one; nothing when it is not read to its end."""
    found = []
    for piece in split_documents(text):
        result = parse_text(piece)
        if any(one.code == "TEXT_TOO_LARGE" for one in result.errors):
            return []
        found.append(result.document)
    return found


def _stable(text: str, kept: frozenset[str]) -> str | None:
    """Return the layout of `text` if laying it out again changes nothing."""
    once = laid_out(outline(Source(text)), kept)
    return once if once == text or laid_out(outline(Source(once)), kept) == once else None


def _differing(before: list[Document | None], after: list[Document | None]) -> frozenset[str]:
    """Return the fields of documents that the layout has changed."""
    return frozenset(
        name
        for old, new in zip(before, after, strict=True)
        for name in Document.FIELDS
        if getattr(old, name, None) != getattr(new, name, None)
    )
