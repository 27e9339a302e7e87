"""Expression text -> tokens, in one pass and linear time.

A dotted path is one token, and so is a pattern between slashes where no division can stand. Whether a name is a word
operator is decided by its place, in the parser.
Spec: abl-language 6.1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from abl.patterns import without_slashes

NUMBER, NAME, STRING, MEMBER, SYMBOL = "number", "name", "string", "member", "symbol"
PATTERN = "pattern"
UNCLOSED, BLOB, CURLY, OTHER, END = "unclosed", "blob", "curly", "other", "end"

_TOKEN = re.compile(
    r"""
      (?P<number>\d+(?:\.\d+)?(?!\w))
    | (?P<name>[@]?[^\W\d]\w*(?:\.\w+)*)
    | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')
    | (?P<pattern>(?:(?<=[^\w.][mM][aA][tT][cC][hH][eE][sS])|(?<=[~(,]))\s*+/(?=\S)(?:[^/\\\n]|\\.)++/[gimsuy]*+(?!\w))
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
    found = [
        Token(one.lastgroup or OTHER, one.group(), one.start()) if one.lastgroup != PATTERN else _pattern(one)
        for one in _TOKEN.finditer(text)
    ]
    found.append(Token(END, "", len(text.rstrip())))
    return found


def _pattern(found: re.Match[str]) -> Token:
    """Return a pattern between slashes as the text it is, without the space before it."""
    written = found.group().lstrip()
    return Token(STRING, written, found.end() - len(written))


def unquoted(literal: str) -> str:
    """Return the value of a string literal: only the quote itself is unescaped (6.1).

    A pattern between slashes gives the pattern.
    """
    quote = literal[0]
    if quote == "/":
        return without_slashes(literal)
    body = literal[1:-1]
    return body.replace("\\" + quote, quote) if "\\" in body else body
