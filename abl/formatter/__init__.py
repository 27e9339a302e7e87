"""Formats a text without changing what it says; comments and blank lines stay. Spec: abl-language 1, 2.

What a formatter must never do is guard itself: the documents before and after are compared, and where they differ the
author's own layout is kept, of the sections concerned or of the whole text.
"""

from __future__ import annotations

from abl.formatter.layout import laid_out
from abl.formatter.tidy import tidied, tidied_yaml
from abl.outline import outline
from abl.parser import parse_text
from abl.parser.detect import detect, is_legacy
from abl.source import Source, normalise
from abl.syntax.document import Document

__all__ = ["format_text"]


def format_text(text: str) -> str:
    """Return `text` in the layout of the language: two spaces a level, one space after a colon, one blank line.

    Parsing the result gives the same document, and formatting it again changes nothing.

    >>> format_text("Agent: Hub\\nGOAL:   find it   \\n\\n\\nLIMITATIONS:\\n- never guess")
    'AGENT: Hub\\nGOAL:   find it\\n\\nLIMITATIONS:\\n  - never guess\\n'
    """
    text = normalise(text)
    kind = detect(text)
    if kind == "yaml":
        return tidied_yaml(text)
    plain = tidied(text)
    if kind is None or is_legacy(text):
        return plain
    document = parse_text(text).document
    if document is None:
        return plain
    kept: frozenset[str] = frozenset()
    for _ in range(2):
        shown = _stable(plain, kept)
        if shown is None:
            return plain
        after = parse_text(shown).document
        if after == document:
            return shown
        kept = _differing(document, after)
    return plain


def _stable(text: str, kept: frozenset[str]) -> str | None:
    """Return the layout of `text` if laying it out again changes nothing."""
    once = laid_out(outline(Source(text)), kept)
    return once if once == text or laid_out(outline(Source(once)), kept) == once else None


def _differing(document: Document, after: Document | None) -> frozenset[str]:
    """Return the fields of a document that the layout has changed."""
    return frozenset(name for name in Document.FIELDS if getattr(document, name) != getattr(after, name, None))
