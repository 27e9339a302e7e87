"""Scalars, strings, lists and maps of one line. Spec: abl-language 1.3, 1.4."""

from __future__ import annotations

import re
from typing import Any

MAX_NESTING = 64
"""Deepest nesting of lists, maps and blocks; deeper content is kept as text."""
MAX_JOINED_LINES = 200
"""Lines that are joined while a bracket or quote is open."""

_COMPLETE = re.compile(
    r"""(?:"[^"]*"|"(?:[^"\\]|\\.)*"|'[^']*'|\[.*\]|\{.*\}|-?\d+(?:\.\d+)?\s*(?:ms|s|m|h|d|%)?|[A-Za-z_][\w.:-]*|[a-z]+://\S+|[|>][-+]?)\Z""",
    re.DOTALL,
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")
_DURATION = re.compile(r"(-?\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\Z", re.IGNORECASE)
_MAP_KEY = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s:,{}\[\]"']+))\s*(?::|=(?!=))""")
_PLAIN_WORD = re.compile(r"[\w.\-]+")
_HIDES_COMMAS = re.compile(r"""["'(\[{]""")
_QUOTES_AND_BRACKETS = frozenset("\"'()[]{}")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
BOOLEANS = {"true": True, "false": False, "yes": True, "no": False}
QUOTES = "\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a"
"""Typographic quotes that copy-paste puts in place of `"` and `'`."""
STRAIGHT = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"') | dict.fromkeys("\u2018\u2019\u201a", "'")
)


def cut_comment(value: str) -> str:
    """Return `value` without a trailing ` # comment`, if what remains is a complete value (spec 1.3)."""
    if "#" not in value:
        return value
    if value[0] == "#" and value[1:2] in (" ", "!", ""):
        return ""
    if " #" not in value and "\t#" not in value:
        return value
    at = comment_start(value)
    if at < 0:
        return value
    rest = value[:at].rstrip()
    return rest if not rest or "->" in rest or is_complete(rest) else value


def is_complete(value: str) -> bool:
    """Return whether a value is whole as it stands: a quoted text, a list or map, a number, one word, an address."""
    return _COMPLETE.match(value) is not None


def without_comment(line: str) -> str:
    """Return one line of several that belong together without its trailing ` # comment`; only quotes hide a `#`."""
    if "#" not in line:
        return line
    quote = ""
    for at, sign in enumerate(line):
        if quote:
            if sign == quote:
                quote = ""
        elif sign == '"' or (sign == "'" and (at == 0 or not line[at - 1].isalnum())):
            quote = sign
        elif sign == "#" and (at == 0 or line[at - 1] in " \t"):
            return line[:at].rstrip()
    return line


def bare_formula(value: str) -> str:
    """Return a condition or expression without its trailing comment; `#` is no sign of the language (spec 1.3, 6.1).

    Only a number after it (`ticket #12`) keeps it, as that is a sentence for the model.
    """
    if "#" not in value:
        return value
    rest = without_comment(value)
    return value if value[len(rest) :].lstrip()[1:2].isdigit() else rest


def comment_start(value: str, mark: str = "#") -> int:
    """Return where a `mark` preceded by space stands outside quotes, braces and brackets, or -1."""
    first = mark[0]
    depth = 0
    quote = ""
    for at, sign in enumerate(value):
        if quote:
            if sign == quote:
                quote = ""
        elif sign == '"' or (sign == "'" and (at == 0 or not value[at - 1].isalnum())):
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == first and depth <= 0 and (at == 0 or value[at - 1] in " \t") and value.startswith(mark, at):
            return at
    return -1


def unquote(value: str) -> str:
    """Return a list element, literal or map value without its quotes, of either kind."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def split_top(text: str, separator: str = ",") -> list[tuple[str, int]]:
    """Return the parts of `text` between top-level separators with the offset of each part's first character."""
    if separator not in text or _HIDES_COMMAS.search(text) is None:
        return plain_parts(text, separator)
    parts: list[tuple[str, int]] = []
    depth = 0
    quote = ""
    begin = 0
    for at, sign in enumerate(text):
        if quote:
            if sign == quote and text[at - 1] != "\\":
                quote = ""
        elif sign == separator:
            if depth == 0:
                _add_part(parts, text, begin, at)
                begin = at + 1
        elif sign not in _QUOTES_AND_BRACKETS:
            continue
        elif sign in "\"'":
            if sign == '"' or at == 0 or not text[at - 1].isalnum():
                quote = sign
        elif sign in "([{":
            depth += 1
        else:
            depth -= depth > 0
    _add_part(parts, text, begin, len(text))
    return parts


def plain_parts(text: str, separator: str, at: int = 0) -> list[tuple[str, int]]:
    """Return the parts of a text in which no quote or bracket hides a separator; `at` is its place."""
    if separator not in text:
        bare = text.strip()
        return [(bare, at + len(text) - len(text.lstrip()))] if bare else []
    found = []
    for part in text.split(separator):
        bare = part.lstrip()
        if bare:
            found.append((bare.rstrip(), at + len(part) - len(bare)))
        at += len(part) + 1
    return found


def _add_part(parts: list[tuple[str, int]], text: str, begin: int, stop: int) -> None:
    part = text[begin:stop]
    bare = part.strip()
    if bare:
        parts.append((bare, begin + len(part) - len(part.lstrip())))


def inner(value: str, brackets: str) -> tuple[str, int]:
    """Return what stands between `brackets` (e.g. `[]`) and its offset; without them, the value itself."""
    if value[:1] != brackets[0]:
        return value, 0
    return (value[1:-1] if value[-1] == brackets[1] and len(value) > 1 else value[1:]), 1


def inline_list(value: str, offset: int = 0) -> list[tuple[str, int]]:
    """Return the elements of `[a, b]` or `a, b`, unquoted, and where each begins; `offset` is the place of `value`."""
    body, shift = inner(value, "[]")
    shift += offset
    if '"' not in body and "'" not in body and "(" not in body and "{" not in body and "[" not in body:
        return plain_parts(body, ",", shift)
    return [
        (unquote(part), shift + at + (len(part) > 1 and part[0] == part[-1] and part[0] in "\"'"))
        for part, at in split_top(body)
    ]


def inline_map(value: str) -> list[tuple[str, str, int]] | None:
    """Return (key, raw value, offset of the value) of `{k: v}` or `k: v`; a bare word stands for itself.

    None when the text is no map at all.
    """
    body, shift = inner(value, "{}")
    pairs: list[tuple[str, str, int]] = []
    for part, at in split_top(body):
        found = _MAP_KEY.match(part)
        if found:
            key = found[1] if found[1] is not None else found[2] if found[2] is not None else found[3]
            rest = part[found.end() :]
            bare = rest.strip()
            pairs.append((key, bare, shift + at + found.end() + len(rest) - len(rest.lstrip())))
        elif _PLAIN_WORD.fullmatch(part):
            pairs.append((part, part, shift + at))
        else:
            return None
    return pairs


def is_names(text: str) -> bool:
    """Return whether a text is a name, or names with commas between them."""
    return all(part.strip().isidentifier() for part in text.split(","))


MAX_WORD_CHARS = 60
"""Characters of a key; what is longer is text."""


def is_word(text: str) -> bool:
    """Return whether a text may be a key, perhaps misspelt: words and digits with blanks, `_` or `-` between them."""
    return text.replace("_", "").replace("-", "").replace(" ", "").isalnum() and len(text) <= MAX_WORD_CHARS


def open_brackets(text: str) -> int:
    """Return how many brackets opened outside quotes are still open, less those closed that were never opened."""
    if '"' in text:
        text = "".join(text.split('"')[::2])
    count = text.count
    opened = 0
    if "(" in text or ")" in text:
        opened = count("(") - count(")")
    if "[" in text or "]" in text:
        opened += count("[") - count("]")
    if "{" in text or "}" in text:
        opened += count("{") - count("}")
    return opened


def number(value: str) -> int | float | None:
    """Return the number that `value` is, or None."""
    if not _NUMBER.match(value) or len(value) > 300:
        return None
    return float(value) if "." in value else int(value)


def duration(value: str, unit: str) -> int | float | None:
    """Return `value` in `unit` (`ms` or `s`): a bare number is in that unit already. None if it is no duration."""
    found = _DURATION.match(unquote(value))
    if not found or len(value) > 300:
        return None
    amount = float(found[1])
    if found[2]:
        amount = amount * _SECONDS[found[2].lower()] / _SECONDS[unit]
        amount = round(amount, 6)
    return int(amount) if amount == int(amount) else amount


def literal(value: str, depth: int = 0) -> Any:
    """Return the JSON value of a literal: number, boolean, null, quoted string, `[…]`, `{…}`, else the text itself."""
    if not value:
        return ""
    head = value[0]
    if head in "\"'" and len(value) > 1 and value[-1] == head:
        return value[1:-1]
    if head == "[" and value[-1] == "]" and depth < MAX_NESTING:
        return [literal(part, depth + 1) for part, _ in split_top(value[1:-1])]
    if head == "{" and value[-1] == "}" and not value.startswith("{{") and depth < MAX_NESTING:
        pairs = inline_map(value)
        return value if pairs is None else {key: literal(part, depth + 1) for key, part, _ in pairs}
    lowered = value.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered == "null":
        return None
    found = None if head.isalpha() else number(value)
    return value if found is None else found
