"""Unindented sentences between or after the sections: notes of people and chat windows. Spec: abl-language 1.2."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from abl.parser.lines import unindented
from abl.parser.scribe import Scribe
from abl.syntax.document import HEADERS, SECTIONS

FEWEST_WORDS = 3
"""Shorter unindented lines may be a header without its colon, or a step."""

_OPENING = frozenset({*SECTIONS, *HEADERS})
_NO_PROSE = re.compile(r"->|\u2192|^\w+\s*\(|^(?:USE|FROM|TEMPLATE|STEP|IF|ELSE)\b|^\w+\s*=", re.IGNORECASE)
_LABELLED = re.compile(r"[\w.-]+(?: [A-Z_]+)?\s*:")


def drop_prose(r: Scribe) -> list[int]:
    """Take unindented sentences out of the parse, with one warning for each run; return the other unindented lines."""
    texts = r.texts
    roots = unindented(r.ends)
    unwanted = {k for k in roots if texts[k].partition(":")[0] not in _OPENING and is_prose(texts[k])}
    if len(r.lines.fences) > 1:
        unwanted.update(_beside_fences(r, roots))
    if not unwanted or len(unwanted) == len(r.texts):
        return roots
    for k in sorted(unwanted):
        if k - 1 not in unwanted:
            r.report_line("TEXT_OUTSIDE_SECTION", k, value=r.texts[k])
        unwanted.update(range(k, r.ends[k]))
    r.drop(unwanted)
    return unindented(r.ends)


def _beside_fences(r: Scribe, roots: list[int]) -> Iterator[int]:
    """Yield the unindented lines before, between and after fenced pieces, where no section stands among them."""
    text = r.source.text
    fences = [at for at in r.lines.fences if at == 0 or text[at - 1] == "\n"]
    for begin, stop in zip([0, *fences[1::2]], [*fences[::2], len(text)], strict=False):
        first, last = (bisect_left(roots, at, key=r.offsets.__getitem__) for at in (begin, stop))
        outside = roots[first:last]
        if not any(r.texts[k].partition(":")[0] in _OPENING for k in outside):
            yield from outside


def is_prose(text: str) -> bool:
    """Return whether an unindented line can only be a sentence.

    >>> is_prose("Let me know if you need changes."), is_prose("GOAL help people"), is_prose("ask_code:")
    (True, False, False)
    """
    if text.partition(":")[0] in SECTIONS and ":" in text:
        return False
    if not (text[0].isalpha() or text.startswith("--")) or _LABELLED.match(text) or _NO_PROSE.search(text):
        return False
    words = text.split()
    first = words[0].upper()
    return len(words) >= FEWEST_WORDS and first not in SECTIONS and first not in HEADERS
