"""A type that brings its options: `enum(red, green)`. Spec: abl-language 3.3."""

from __future__ import annotations

import re

from abl.parser.reader import Reader
from abl.syntax.node import Node

_ENUM = re.compile(r"enum\s*[(\[]([^()\[\]]*)[)\]]", re.IGNORECASE)


def read_enum(r: Reader, node: Node, k: int, value: str, off: int) -> bool:
    """Read `enum(red, green)`, a type with its options. False for any other value, or where none has options."""
    enum = _ENUM.fullmatch(value) if "options" in node.BY_FIELD else None
    if enum is None:
        return False
    r.line(node, k, k + 1, "type: enum", off - len("type: "))
    r.line(node, k, k + 1, f"options: [{enum[1]}]", off + enum.start(1) - len("options: ["))
    return True
