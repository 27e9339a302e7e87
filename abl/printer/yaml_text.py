"""JSON values as YAML text that every reader of YAML understands alike: quotes wherever a word could be taken wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from abl.printer.page import STEP
from abl.printer.scalars import number

MAX_FLOW_LINE = 100
"""Characters of a list or map that is written on one line."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-/]*(?: [A-Za-z0-9_(][A-Za-z0-9_.\-/()]*)*\Z")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*\Z")
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


class Verbatim(str):
    """YAML text of a list or map that is written as it stands."""

    __slots__ = ()


def yaml_lines(value: Any, indent: int = 0) -> Iterator[str]:
    """Yield the lines of a list or map in block form, `indent` columns deep."""
    pad = " " * indent
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _entry(f"{pad}{yaml_key(key)}:", one, indent)
    else:
        for one in value:
            yield from _item(pad, one, indent)


def inline(value: Any) -> str | None:
    """Return the value on one line, or None when it needs several: a list or map that is long or has long texts."""
    if isinstance(value, Verbatim):
        return None
    if isinstance(value, dict):
        return "{}" if not value else None
    if isinstance(value, list):
        if any(isinstance(one, list | dict | Verbatim) for one in value):
            return None
        parts = [scalar(one) for one in value]
        text = f"[{', '.join(parts)}]"
        return text if len(text) <= MAX_FLOW_LINE and not any("\n" in part for part in parts) else None
    return scalar(value)


def scalar(value: Any) -> str:
    """Return a scalar on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value) if isfinite(value) else double_quoted(str(value))
    text = str(value)
    return text if is_plain(text) else quoted(text)


def is_plain(text: str) -> bool:
    """Return whether `text` is the same text to every reader of YAML without quotes."""
    return _PLAIN.match(text) is not None and text.lower() not in _RESERVED


def quoted(text: str) -> str:
    """Return `text` in the quotes that need no escapes, double ones where both would do."""
    if ('"' in text or "\\" in text) and "'" not in text and "\n" not in text and not _CONTROL.search(text):
        return f"'{text}'"
    return double_quoted(text)


def double_quoted(text: str) -> str:
    """Return `text` in double quotes with escapes."""
    return _UNSAFE.sub(_escape, json.dumps(text, ensure_ascii=False))


def yaml_key(key: str) -> str:
    """Return a key, in quotes unless it is a plain word to every reader."""
    return key if _KEY.match(key) and key.lower() not in _RESERVED else quoted(key)


def is_block_text(value: Any) -> bool:
    """Return whether a text has several lines that can stand as they are under `|-`."""
    if not isinstance(value, str) or "\n" not in value or isinstance(value, Verbatim):
        return False
    return value == value.strip() and not _ODD.search(value)


def _entry(head: str, value: Any, indent: int) -> Iterator[str]:
    if isinstance(value, Verbatim):
        yield head
        yield from _indented(value, indent + STEP)
    elif is_block_text(value):
        yield f"{head} |-"
        yield from _indented(value, indent + STEP)
    elif (line := inline(value)) is not None:
        yield f"{head} {line}"
    else:
        yield head
        yield from yaml_lines(value, indent + STEP)


def _item(pad: str, value: Any, indent: int) -> Iterator[str]:
    if isinstance(value, str) or (inline(value) is not None):
        yield from _entry(f"{pad}-", value, indent)
        return
    for at, line in enumerate(yaml_lines(value, indent + STEP)):
        yield line if at else f"{pad}- {line[indent + STEP :]}"


def _indented(text: str, indent: int) -> Iterator[str]:
    pad = " " * indent
    for line in text.split("\n"):
        yield pad + line if line else ""


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
