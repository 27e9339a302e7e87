"""Is a text that is no expression a sentence in natural language? Spec: abl-language 6.1."""

from __future__ import annotations

import re

MIN_WORDS = 2
MIN_WORDS_BESIDE_SIGNS = 4
"""Adjacent plain words that make a sentence of a text that also holds operators."""

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_SHOUTED = frozenset({"AND", "OR", "NOT", "IN", "IS", "SET", "EMPTY", "NULL", "CONTAINS", "MATCHES"})
_SIGNS = re.compile(r"[=<>]|&&|\|\||[\w\"']\(|\[|\"")


def is_prose(text: str) -> bool:
    """Whether `text` reads as a sentence: some plain words in a row, more of them when it holds operators too."""
    longest = run = 0
    for chunk in text.split():
        word = chunk.strip("\"'()[]{}.,;:!?\u201c\u201d\u2018\u2019\u2026")
        if word not in _SHOUTED and _WORD.fullmatch(word):
            run += 1
            longest = max(longest, run)
        else:
            run = 0
        if chunk[-1:] in '()"':
            run = 0
    return longest >= (MIN_WORDS_BESIDE_SIGNS if _SIGNS.search(text) else MIN_WORDS)
