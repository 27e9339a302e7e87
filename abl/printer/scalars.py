"""How one value is spelt on one line, so that the reader gets it back unchanged. Spec: abl-language 1.3, 1.4."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

MAX_INLINE_LIST = 80
"""Characters of a list on one line."""
MAX_INLINE_ITEM = 40

_WORD = re.compile(r"[A-Za-z_][\w.\-]*\Z", re.ASCII)
_ITEM = re.compile(r"[A-Za-z_][\w./\-]*\Z", re.ASCII)
_EVENT = re.compile(r"[A-Za-z_*][\w*]*(:[\w*.\-]+)*\Z", re.ASCII)
_PHRASE = re.compile(r"[A-Za-z_][\w.\-]*( [\w.\-]+)*\Z", re.ASCII)
_TEMPLATE_CALL = re.compile(r"TEMPLATE\([\w.\-]+\)\Z")
_BLOCK_MARK = re.compile(r"[:\-]\s*[|>][-+]?\s*#")


def is_word(text: str) -> bool:
    """Return whether `text` is one identifier or dotted path and needs no quotes."""
    return _WORD.match(text) is not None


def is_event(text: str) -> bool:
    """Return whether `text` is a name or an event such as `tool:find:after` and needs no quotes."""
    return _EVENT.match(text) is not None


def is_phrase(text: str) -> bool:
    """Return whether `text` is plain words and needs no quotes where a keyword is expected."""
    return _PHRASE.match(text) is not None


def is_template_call(text: str) -> bool:
    """Return whether `text` is `TEMPLATE(name)`."""
    return _TEMPLATE_CALL.match(text) is not None


def fits_quotes(text: str) -> bool:
    """Return whether `"text"` on one line is read as `text`: no line ends, nothing that looks like a comment."""
    if '"' in text and ("#" in text or "//" in text):
        return False
    return "\n" not in text and not ("#" in text and _BLOCK_MARK.search(text))


def quoted(text: str) -> str:
    """Return `text` in one pair of quotes; the reader takes away exactly that pair."""
    return f'"{text}"'


def word(text: str) -> str:
    """Return a name, quoted when it is no plain word."""
    return text if _WORD.match(text) else quoted(text)


def number(value: float) -> str:
    """Return a number without exponent."""
    text = str(value)
    return format(Decimal(text), "f") if "e" in text or "E" in text else text


def inline_list(items: list[str]) -> str | None:
    """Return `[a, b]` when all items are short words and the list is short, else None."""
    if any(len(one) > MAX_INLINE_ITEM or not _ITEM.match(one) for one in items):
        return None
    text = f"[{', '.join(items)}]"
    return text if len(text) <= MAX_INLINE_LIST else None


def literal(value: Any) -> str:
    """Return a JSON value as a literal: quotes around texts, brackets around lists and maps."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_element, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)}: {_element(one)}' for key, one in value.items())}}}"
    return quoted(str(value))


def _element(value: Any) -> str:
    """Return a value inside brackets, where a text may not hold the quotes that surround it."""
    if isinstance(value, str):
        return f"'{value}'" if '"' in value else quoted(value)
    return literal(value)


def _key(key: str) -> str:
    return key if _WORD.match(key) else quoted(key)
