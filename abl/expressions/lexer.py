"""Expression text -> tokens, in one pass and linear time.

A dotted path is one token; whether a name is a word operator is decided by its place, in the parser.
Spec: abl-language 6.1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NUMBER, NAME, STRING, MEMBER, SYMBOL = "number", "name", "string", "member", "symbol"
UNCLOSED, BLOB, CURLY, OTHER, END = "unclosed", "blob", "curly", "other", "end"

_TOKEN = re.compile(
    r"""
      (?P<number>\d+(?:\.\d+)?(?!\w))
    | (?P<name>[@]?[^\W\d]\w*(?:\.\w+)*)
    | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')
    | (?P<symbol>===|!==|==|!=|>=|<=|=>|=<|<>|=!|=~|~=|&&|\|\||\{\{|\}\}|[-+*/%()\[\]{},?:<>=!|&~])
    | (?P<member>\.\w+)
    | (?P<unclosed>["'].*)
    | (?P<curly>\u201c[^\u201d]{0,500}\u201d|\u2018[^\u2019]{0,500}\u2019
                |\u201e[^\u201c\u201d]{0,500}[\u201c\u201d]|«[^»]{0,500}»)
    | (?P<blob>\d\w*)
    | (?P<other>\S)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One token: its kind, its text as written and its 0-based offset."""

    kind: str
    text: str
    start: int

    @property
    def stop(self) -> int:
        """Offset behind the token."""
        return self.start + len(self.text)


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of `text`, the last one of kind `end`."""
    found = [Token(one.lastgroup or OTHER, one.group(), one.start()) for one in _TOKEN.finditer(text)]
    found.append(Token(END, "", len(text.rstrip())))
    return found


def unquoted(literal: str) -> str:
    """Return the value of a string literal: only the quote itself is unescaped (6.1)."""
    quote = literal[0]
    body = literal[1:-1]
    return body.replace("\\" + quote, quote) if "\\" in body else body
