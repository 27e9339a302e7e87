"""The token stream of the older, numbered grammar: `tokenize`. Spec: abl-language 10.1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from abl.diagnostics.reporter import finding
from abl.source import normalise

MAX_ERRORS = 1000
"""Errors that are kept; the tokens go on to the end of the text in any case."""
MAX_LINE_CHARS = 120

SECTION_WORDS = {
    "SUPERVISOR:": "SupervisorKeyword",
    "AGENT:": "AgentKeyword",
    "STATE:": "StateKeyword",
    "AGENTS:": "AgentsKeyword",
    "INTENTS:": "IntentsKeyword",
    "POLICIES:": "PoliciesKeyword",
    "COMMUNICATION:": "CommunicationKeyword",
    "BEHAVIOR:": "BehaviorKeyword",
    "IDENTITY:": "IdentityKeyword",
    "CONTRACT:": "ContractKeyword",
    "TOOLS:": "ToolsKeyword",
    "STEPS:": "StepsKeyword",
    "GUARDRAILS:": "GuardrailsKeyword",
    "TESTS:": "TestsKeyword",
}
UPPERCASE_WORDS = {
    "AND": "And",
    "OR": "Or",
    "NOT": "Not",
    "IS": "Is",
    "SET": "Set",
    "INTENT": "Intent",
    "IN": "In",
    "CONTAINS": "Contains",
    "MATCHES": "Matches",
    "CALL": "Call",
    "RESPOND": "Respond",
    "WAIT_INPUT": "WaitInput",
    "GOTO": "Goto",
    "SIGNAL": "Signal",
    "CLASSIFY": "Classify",
    "PATTERN": "Pattern",
    "ON_SUCCESS": "OnSuccess",
    "ON_FAILURE": "OnFailure",
    "MAX_ATTEMPTS": "MaxAttempts",
    "DEFAULT": "Default",
    "POSITIVE": "Positive",
    "NEGATIVE": "Negative",
}
LOWERCASE_WORDS = {
    "true": "True",
    "false": "False",
    "null": "Null",
    "string": "StringType",
    "number": "NumberType",
    "boolean": "BooleanType",
    "datetime": "DatetimeType",
    "date": "DateType",
    "array": "ArrayType",
    "enum": "EnumType",
}
SIGNS = {
    "=>": "FatArrow",
    "->": "Arrow",
    "→": "Arrow",
    "==": "Equals",
    "!=": "NotEquals",
    ">=": "GreaterThanOrEqual",
    "<=": "LessThanOrEqual",
    ">": "GreaterThan",
    "<": "LessThan",
    "=": "Assignment",
    ":": "Colon",
    ",": "Comma",
    ".": "Dot",
    "(": "LParen",
    ")": "RParen",
    "[": "LBracket",
    "]": "RBracket",
    "{": "LBrace",
    "}": "RBrace",
    "@": "At",
    "?": "Question",
    "*": "Asterisk",
}
_IMAGES = {"\n": "NewLine", "|": "Pipe"} | SECTION_WORDS | UPPERCASE_WORDS | LOWERCASE_WORDS | SIGNS
"""Image -> type, for every token whose image says it all."""
_PATTERNS = {
    "NumberLiteral": r"-?[0-9]+(?:\.[0-9]+)?",
    "StepNumber": r"[0-9]++\.(?![0-9])",
    "StringLiteral": r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""",
    "RegexLiteral": r"/(?:[^/\\\n]|\\.)++/[a-z]*+",
    "TableSeparator": r"\|(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++",
    "Identifier": r"[A-Za-z_][A-Za-z0-9_]*+",
}
TOKEN_TYPES = frozenset(_IMAGES.values()) | frozenset(_PATTERNS)

HINTS = (
    ("“”„‟«»″", 'Typographic quote, often from copying out of a word processor; write ".'),
    ("‘’‚‛‹›′`´", "Typographic apostrophe or quote, often from copying; write ' or \"."),
    ("—–‒―−‐‑", "Long dash, often from copying; write - (and -> for an arrow)."),
    ("⇒⟶➔➜➝➞⟹↦←↔", "Unicode arrow; write ->."),
    ("\u00a0\u2002\u2003\u2009\u200a\u202f\u3000", "Special space, often from copying; write an ordinary space."),
    ("\u200b\u200c\u200d\u2060\ufeff", "Invisible character, often from copying; delete it."),
    ("…", "One character for three dots; write ... or leave it out."),
)  # fmt: skip
"""Characters -> what to write instead."""
_HINTS = {sign: hint for signs, hint in HINTS for sign in signs}


class Token(NamedTuple):
    """One token; lines and columns count from 1, offsets from 0 in the text with plain line ends."""

    type: str
    image: str
    line: int
    column: int
    offset: int
    end_offset: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class TokenizeError:
    """A character that begins no token; `message` shows the line with a caret under it."""

    message: str
    line: int = 1
    column: int = 1
    offset: int = 0
    length: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


@dataclass(slots=True)
class TokenizeResult:
    """All tokens of a text, and the characters that are none."""

    tokens: list[Token] = field(default_factory=list)
    errors: list[TokenizeError] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"tokens": [one.to_dict() for one in self.tokens], "errors": [one.to_dict() for one in self.errors]}


def _alternatives(*, regexes: bool) -> str:
    """Return the pattern of one piece of text: a token, space, or something that begins none.

    Without `regexes` a slash is no beginning of a RegexLiteral; that reads the rest of a line with a single slash.
    """
    signs = sorted(SIGNS, key=len, reverse=True)
    words = "|".join(map(re.escape, SECTION_WORDS))
    slashes = [rf"(?P<RegexLiteral>{_PATTERNS['RegexLiteral']})", r"(?P<slash>/[^\n]*+)"]
    return "|".join(
        [
            r"(?P<space>[ \t]++|\#[^\n]*+)",
            rf"(?P<image>\n|{words})",
            rf"(?P<TableSeparator>{_PATTERNS['TableSeparator']})",
            rf"(?P<sign>\||{'|'.join(map(re.escape, signs))})",
            rf"(?P<word>{_PATTERNS['Identifier']})",
            *[rf"(?P<{name}>{_PATTERNS[name]})" for name in ("StepNumber", "NumberLiteral", "StringLiteral")],
            *(slashes if regexes else []),
            r"""(?P<quote>["'][^\n]*+)""",
            r"(?P<other>(?s:(?P<one>.)(?P=one)*+))",
        ]
    )


_PIECES = re.compile(_alternatives(regexes=True))
_PIECES_WITHOUT_REGEXES = re.compile(_alternatives(regexes=False))


def tokenize(text: str) -> TokenizeResult:
    """Return the tokens of `text`, and one error for every place where none begins (spec 10.1).

    Never raises and never stops early; a value that is no text gives one error. A quote that is not closed on its
    line is one error, and the rest of that line gives no tokens.

    >>> [token.type for token in tokenize("GOTO 2").tokens]
    ['Goto', 'NumberLiteral']
    """
    result = TokenizeResult()
    value: object = text
    if not isinstance(value, str):
        result.errors.append(TokenizeError(finding("NOT_TEXT", name=type(value).__name__).message))
        return result
    text = normalise(text)
    _read(text, _PIECES.finditer(text), 1, 0, result)
    return result


def _read(text: str, pieces: Iterator[re.Match[str]], line: int, begin: int, result: TokenizeResult) -> None:
    """Add the tokens of `pieces`; `begin` is the offset at which `line` begins."""
    add, images = result.tokens.append, _IMAGES
    for match in pieces:
        kind = match.lastgroup
        if kind == "space":
            continue
        at, end = match.span()
        if kind == "word":
            image = match[0]
            add(Token(images.get(image, "Identifier"), image, line, at - begin + 1, at, end))
        elif kind == "sign" or kind == "image":
            image = match[0]
            add(Token(images[image], image, line, at - begin + 1, at, end))
            if image == "\n":
                line, begin = line + 1, end
        elif kind == "slash":
            _read(text, _PIECES_WITHOUT_REGEXES.finditer(text, at, end), line, begin, result)
        elif kind == "quote" or kind == "other":
            _unexpected(text, line, begin, at, 1 if kind == "quote" else end - at, result)
        else:
            add(Token(kind or "", match[0], line, at - begin + 1, at, end))


def _unexpected(text: str, line: int, begin: int, at: int, length: int, result: TokenizeResult) -> None:
    """Add the error for the `length` equal characters at `at`."""
    if len(result.errors) >= MAX_ERRORS:
        return
    column = at - begin + 1
    sign = text[at]
    shown = sign if sign.isprintable() else f"U+{ord(sign):04X}"
    left = max(begin, at - MAX_LINE_CHARS // 2)
    right = text.find("\n", at, left + MAX_LINE_CHARS)
    excerpt = text[left : right if right >= 0 else left + MAX_LINE_CHARS].rstrip()
    caret = "".join("\t" if one == "\t" else " " for one in text[left:at]) + "^" * min(length, MAX_LINE_CHARS)
    parts = [f"Line {line}, Column {column}: Unexpected character '{shown}'", excerpt, caret]
    hint = _hint(sign)
    if hint:
        parts.append(f"Hint: {hint}")
    result.errors.append(TokenizeError("\n".join(parts), line, column, at, length))


def _hint(sign: str) -> str:
    if sign in "\"'":
        return f"The quote is never closed on this line; add {sign} at the end of the text."
    hint = _HINTS.get(sign, "")
    if not hint and not sign.isascii():
        return "Not an ASCII character; put text in quotes, or write the plain form."
    return hint
