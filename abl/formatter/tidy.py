"""The least a formatter may do: line ends, trailing space, the final newline. Spec: abl-language 1.1, 9."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"(?:^|[:?-]\s++)(?:[!&]\S++\s++){0,2}[|>][-+0-9]*+\s*+(?:#.*)?\Z")
"""The end of a line under which a block text stands; a value has one tag and one anchor at most."""
_PIECE_CHARS = 65_536
"""How much is split into lines at a time: millions of short lines at once take ten times the memory of their text."""


def tidied(text: str) -> str:
    """Return a normalised text without trailing space and blank lines at its ends."""
    pieces, start = [], 0
    while start < len(text):
        end = text.find("\n", start + _PIECE_CHARS)
        end = len(text) if end < 0 else end
        pieces.append("\n".join([line.rstrip() for line in text[start:end].split("\n")]))
        start = end + 1
    bare = "\n".join(pieces).strip("\n")
    return f"{bare}\n" if bare else ""


def tidied_yaml(text: str) -> str:
    """Return YAML without trailing space, apart from block texts, where it belongs to the value."""
    lines = text.split("\n")
    inside = -1
    for number, line in enumerate(lines):
        bare = line.rstrip(" \t")
        indent = len(line) - len(line.lstrip(" "))
        if inside >= 0 and (not bare or indent > inside):
            continue
        inside = indent if _BLOCK.search(bare) else -1
        if not bare.endswith("\\"):
            lines[number] = bare
    if inside >= 0:
        return "\n".join(lines)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join([*lines, ""]) if lines else ""
