"""Formats a text without changing what it says; comments and blank lines stay. Spec: abl-language 1, 2.

What a formatter must never do is guard itself: the documents before and after are compared, and where they differ the
author's own layout is kept, of the sections concerned or of the whole text.
"""

from __future__ import annotations

from abl.formatter.layout import laid_out
from abl.formatter.sayings import Sayings, sayings
from abl.formatter.tidy import tidied, tidied_yaml
from abl.outline import outline
from abl.parser import parse_text
from abl.parser.bounds import most_lines
from abl.parser.detect import detect, is_legacy, split_documents
from abl.source import Source, normalise

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
    if kind is None or is_legacy(text) or text.count("\n") > most_lines(len(text)):
        return plain
    kept: frozenset[str] = frozenset()
    for _ in range(2):
        shown = _stable(plain, kept)
        if shown is None or shown == plain:
            return plain
        differing = _differing(text, shown)
        if differing is None:
            return plain
        if not differing:
            return shown
        kept = differing
    return plain


def _stable(text: str, kept: frozenset[str]) -> str | None:
    """Return the layout of `text` if laying it out again changes nothing."""
    once = laid_out(outline(Source(text)), kept)
    return once if once == text or laid_out(outline(Source(once)), kept) == once else None


def _differing(text: str, shown: str) -> frozenset[str] | None:
    """Return the fields of documents that a layout has changed, None when the two cannot be compared.

    Agents pasted together are read one at a time; a first one that is not read to its end is not laid out.
    """
    before, after = split_documents(text), split_documents(shown)
    if len(after) != len(before):
        return None
    found: set[str] = set()
    for at, (old_text, new_text) in enumerate(zip(before, after, strict=True)):
        if at and old_text == new_text:
            continue
        old = _said_in(old_text)
        new = _said_in(new_text) if old is not None else None
        if old is None or new is None:
            if at == 0 or old_text.strip() != new_text.strip():
                return None
            continue
        found.update(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return frozenset(found)


def _said_in(text: str) -> Sayings | None:
    """Return what one agent of a text says; None when it is not read, or not to its end."""
    result = parse_text(text)
    if result.document is None or any(one.code == "TEXT_TOO_LARGE" for one in result.errors):
        return None
    return sayings(result.document)
