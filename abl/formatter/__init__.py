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
from abl.syntax.node import Node

__all__ = ["format_text"]

BOM = "\ufeff"
_NOWHERE: dict[str, int] = {}


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
    pieces = split_documents(text)
    first = _document(pieces[0]) if pieces else None
    kept: frozenset[str] = frozenset()
    for _ in range(2):
        shown = _stable(plain, kept) if first is not None else None
        differing = _differing(first, pieces, shown) if shown is not None else None
        if differing is None or shown is None:
            return plain
        if not differing:
            return shown
        kept = differing
    return plain


def _document(text: str) -> Document | None:
    """Return what one agent of a text says, without places; None when it is not read, or not to its end."""
    result = parse_text(text)
    if any(one.code == "TEXT_TOO_LARGE" for one in result.errors):
        return None
    return _without_places(result.document)


def _without_places(document: Document | None) -> Document | None:
    """Take the places out of a document: they are not compared, and take a third of its memory."""
    pending: list[Node] = [] if document is None else [document]
    while pending:
        node = pending.pop()
        node.pos, node.at = None, _NOWHERE
        for value in vars(node).values():
            if isinstance(value, Node):
                pending.append(value)
            elif isinstance(value, list):
                pending.extend(one for one in value if isinstance(one, Node))
    return document


def _stable(text: str, kept: frozenset[str]) -> str | None:
    """Return the layout of `text` if laying it out again changes nothing."""
    once = laid_out(outline(Source(text)), kept)
    return once if once == text or laid_out(outline(Source(once)), kept) == once else None


def _differing(first: Document | None, pieces: list[str], shown: str) -> frozenset[str] | None:
    """Return the fields of documents that a layout has changed, None when the two cannot be compared.

    Agents pasted together are read one pair at a time; `first` is the first of `pieces`.
    """
    after = split_documents(shown)
    if len(after) != len(pieces):
        return None
    found: set[str] = set()
    for at, (old_text, new_text) in enumerate(zip(pieces, after, strict=True)):
        old, new = _document(old_text) if at else first, _document(new_text)
        if old is None or new is None:
            if old_text.strip() != new_text.strip():
                return None
            continue
        found.update(name for name, default in Document.DEFAULTS.items() if not _same_field(name, default, old, new))
    return frozenset(found)


def _same_field(name: str, default: object, old: Node, new: Node) -> bool:
    """Compare one field; lists and maps that were never written are not made to be compared."""
    return _same(vars(old).get(name, default), vars(new).get(name, default))


def _same(old: object, new: object) -> bool:
    if isinstance(old, Node) and isinstance(new, Node):
        return type(old) is type(new) and all(_same_field(*row, old, new) for row in type(old).DEFAULTS.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    return old == new
