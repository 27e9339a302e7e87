"""Objects written as nested lines where a value is an expression: `note:` and deeper `text: title`. Spec: 1.4, 5.4."""

from __future__ import annotations

import re

from abl.parser.scribe import Scribe
from abl.parser.values import bare_formula

MAX_NESTING = 32
_MEMBER = re.compile(r"(?P<key>[A-Za-z_]\w*|\"[^\"]*\"|'[^']*')\s*:(?:\s+(?P<value>.*))?\Z")


def object_text(r: Scribe, k: int, end: int, depth: int = 0) -> str | None:
    """Return the lines `k` to `end` as an object or list in one line; None when they are neither."""
    if k >= end or depth > MAX_NESTING:
        return None
    is_list = r.texts[k].startswith("- ")
    parts: list[str] = []
    while k < end:
        stop = min(r.ends[k], end)
        if k in r.lines.blocks:
            return None
        part = _element(r, k, stop, depth) if is_list else _member(r, k, stop, depth)
        if part is None:
            return None
        parts.append(part)
        k = stop
    return f"[{', '.join(parts)}]" if is_list else f"{{{', '.join(parts)}}}"


def _member(r: Scribe, k: int, stop: int, depth: int) -> str | None:
    found = _MEMBER.match(r.texts[k])
    if found is None:
        return None
    value = bare_formula(found["value"] or "")
    if stop > k + 1:
        nested = object_text(r, k + 1, stop, depth + 1) if not value else None
        return None if nested is None else f"{found['key']}: {nested}"
    return f"{found['key']}: {value}" if value else None


def _element(r: Scribe, k: int, stop: int, depth: int) -> str | None:
    if not r.texts[k].startswith("- ") or stop > k + 1:
        return None
    value = bare_formula(r.texts[k][2:].strip())
    found = _MEMBER.match(value)
    return f"{{{value}}}" if found is not None and found["value"] else value
