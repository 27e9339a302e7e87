"""Finds words at the top level of a condition: outside quotes, parentheses, brackets and braces."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|[()\[\]{}]|(?<![\w.])(?:IMPLIES|WHEN|BEFORE)(?![\w.])""", re.IGNORECASE
)
_ANY = re.compile(r"\b(?:IMPLIES|WHEN|BEFORE)\b", re.IGNORECASE)
MAX_IMPLICATIONS = 16


def top_level_words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield IMPLIES, WHEN and BEFORE at the top level: the word in capitals, its start and end."""
    if _ANY.search(text) is None:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth = max(0, depth - 1)
        elif depth == 0 and sign[0] not in "\"'":
            yield sign.upper(), token.start(), token.end()


def split_modifiers(text: str) -> tuple[str, str, str]:
    """Return condition, WHEN part and BEFORE part of a text that may still hold the modifiers."""
    parts = {"": "", "WHEN": "", "BEFORE": ""}
    word, start = "", 0
    for found, at, end in top_level_words(text):
        if found == "IMPLIES" or parts.get(found):
            continue
        parts[word] = parts[word] or text[start:at].strip()
        word, start = found, end
    parts[word] = parts[word] or text[start:].strip()
    return parts[""], parts["WHEN"], parts["BEFORE"]


def without_implications(text: str) -> str:
    """Return the condition with every top-level `A IMPLIES B` written as `NOT (A) OR (B)`, from the right."""
    parts: list[str] = []
    start = 0
    for word, at, end in top_level_words(text):
        if word == "IMPLIES" and len(parts) < MAX_IMPLICATIONS:
            parts.append(text[start:at].strip())
            start = end
    if not parts:
        return text
    result = text[start:].strip()
    for part in reversed(parts):
        result = f"NOT ({part}) OR ({result})"
    return result
