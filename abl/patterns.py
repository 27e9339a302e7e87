"""Regular expressions written by users: RE2 only, so a search takes linear time.

The only module that imports `re2`. Patterns and inputs have a length limit, compiled patterns a bounded cache.
Spec: abl-language 6.4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import re2

MAX_PATTERN_CHARS = 1_000
MAX_INPUT_CHARS = 1_048_576
MAX_CACHED_PATTERNS = 512
MIN_SLASHED_CHARS = 3
_SLASHED = re.compile(r"/(?:[^/\\\n]|\\.)++/[gimsuy]*")
_MAX_MEMORY_BYTES = 8 << 20

_PIECE = re.compile(
    r"""(?P<atom>\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\((?:\?(?:P?<\w+>|[imsU-]*:))?|.)
        (?P<quantifier>(?:[*+?]|\{\d*,?\d*\})\??)?""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = re.compile(
    r"(?P<inside>\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\])|\\\\(?P<sign>[dDwWsSbB.+*?()\[\]{}$|^/-])|\\.", re.DOTALL
)
_ESCAPES_INSIDE = re.compile(r"\\\\(?P<sign>[dDwWsS])|\\.", re.DOTALL)
_ANCHORS = frozenset({"^", "$", r"\b", r"\B", r"\A", r"\z"})
_REASONS = (
    ("(?=", "RE2 has no lookahead (?=...); test the parts with two conditions joined by AND"),
    ("(?!", "RE2 has no negative lookahead (?!...); test the parts with two conditions and NOT"),
    ("(?<=", "RE2 has no lookbehind (?<=...); match the text before it and use a group"),
    ("(?<!", "RE2 has no negative lookbehind (?<!...); test the parts with two conditions and NOT"),
    ("(?>", "RE2 has no atomic groups (?>...); an ordinary group (?:...) is as fast here"),
)


class Match(Protocol):
    """What a search gives back; the part of Python's match objects that is used here."""

    def group(self, group: int | str = 0) -> str | None:
        """Return one group."""

    def groups(self) -> tuple[str | None, ...]:
        """Return all groups but the whole match."""

    def groupdict(self) -> dict[str, str | None]:
        """Return the named groups."""

    def span(self, group: int = 0) -> tuple[int, int]:
        """Return where a group begins and ends."""


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: str) -> Match | None:
        """Return the first match anywhere in `text`."""

    def fullmatch(self, text: str) -> Match | None:
        """Return the match of the whole of `text`."""


@lru_cache(maxsize=MAX_CACHED_PATTERNS)
def compiled(pattern: str) -> Pattern | str:
    """Return the compiled pattern, or the reason why it is refused as a sentence fragment."""
    reason = _refused(pattern)
    if reason is not None:
        return reason
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY_BYTES
    try:
        made: Pattern = re2.compile(pattern, options)
    except re2.error as error:
        return _reason(pattern, error)
    return made


def without_slashes(text: str) -> str:
    """Return the pattern of `/pattern/flags`; other texts as they are. Flags that change what is found stand before it.

    >>> without_slashes("/^[a-z]+$/i")
    '(?i)^[a-z]+$'
    """
    if len(text) < MIN_SLASHED_CHARS or text[0] != "/" or not _SLASHED.fullmatch(text):
        return text
    body, _, flags = text[1:].rpartition("/")
    kept = "".join(dict.fromkeys(flag for flag in flags if flag in "ims"))
    return (f"(?{kept})" if kept else "") + body.replace("\\/", "/")


def check_pattern(text: str) -> str | None:
    r"""Return why `text` is refused as a pattern, None when it is good.

    A doubled backslash before a sign that one backslash makes special is refused here: it may be meant as in JSON, or
    as a real backslash, and a rule that took the wrong one would never match (decision 0087).

    >>> print(check_pattern(r"\\d{4}"))
    `\\d` is a real backslash and then `d`; write `\d` for what JSON writes so, or `\x5Cd` for the real backslash
    """
    made = compiled(text)
    return made if isinstance(made, str) else _doubled(text)


def _doubled(pattern: str) -> str | None:
    """Return what to write for the first doubled backslash of which nobody can say what is meant."""
    if "\\\\" not in pattern:
        return None
    for found in _ESCAPES.finditer(pattern):
        inside = found["inside"]
        signs = [one["sign"] for one in _ESCAPES_INSIDE.finditer(inside)] if inside else [found["sign"]]
        sign = next((one for one in signs if one), "")
        if sign:
            meant = f"write `\\{sign}` for what JSON writes so, or `\\x5C{sign}` for the real backslash"
            return f"`\\\\{sign}` is a real backslash and then `{sign}`; {meant}"
    return None


def search(pattern: str, text: str) -> Match | None:
    """Return the first match of `pattern` in `text`; None also for a refused pattern."""
    made = compiled(pattern)
    return None if isinstance(made, str) else made.search(readable(text))


def full_match(pattern: str, text: str) -> Match | None:
    """Return the match of `pattern` with the whole of `text`; None also for a refused pattern or an over-long text."""
    made = compiled(pattern)
    if isinstance(made, str) or len(text) > MAX_INPUT_CHARS:
        return None
    return made.fullmatch(readable(text))


def groups_of(match: Match) -> dict[str, str | None]:
    """Return the groups by number (as text, "0" is the whole match) and by name."""
    groups: dict[str, str | None] = {"0": match.group(0)}
    for number, group in enumerate(match.groups(), 1):
        groups[str(number)] = group
    groups.update(match.groupdict())
    return groups


def readable(text: str) -> str:
    """Return `text` cut to the input limit, with lone surrogates (not UTF-8) replaced."""
    if len(text) > MAX_INPUT_CHARS:
        text = text[:MAX_INPUT_CHARS]
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def _refused(pattern: str) -> str | None:
    if len(pattern) > MAX_PATTERN_CHARS:
        return f"a pattern may have at most {MAX_PATTERN_CHARS} characters, this one has {len(pattern)}"
    if any("\ud800" <= sign <= "\udfff" for sign in pattern):
        return "the pattern holds a character that is not valid text"
    nested = _nested_quantifier(pattern)
    if nested:
        return f"`{nested}` repeats a group that is itself only repetition; write the repetition once"
    return None


@dataclass(slots=True)
class _Group:
    """A group that is being read: what its current alternative holds, and whether one was only repetitions."""

    start: int
    fixed: bool = False
    repeated: bool = False
    loose: bool = False

    def end_alternative(self) -> None:
        self.loose = self.loose or (self.repeated and not self.fixed)
        self.fixed = self.repeated = False


def _nested_quantifier(pattern: str) -> str | None:
    """Return a group such as `(a+)+`: repeated without bound, and so is all of one alternative in it."""
    groups = [_Group(0)]
    for piece in _PIECE.finditer(pattern):
        atom, quantifier = piece["atom"], piece["quantifier"] or ""
        if atom == "|":
            groups[-1].end_alternative()
        elif atom.startswith("("):
            groups.append(_Group(piece.start()))
        elif atom == ")" and len(groups) > 1:
            group = groups.pop()
            group.end_alternative()
            if group.loose and _is_unbounded(quantifier):
                return pattern[group.start : piece.end()]
            _count(groups[-1], quantifier, loose=group.loose)
        elif atom not in _ANCHORS:
            _count(groups[-1], quantifier, loose=False)
    return None


def _count(group: _Group, quantifier: str, *, loose: bool) -> None:
    if loose or _is_unbounded(quantifier):
        group.repeated = True
    elif not quantifier.startswith(("?", "{0,", "{,")):
        group.fixed = True


def _is_unbounded(quantifier: str) -> bool:
    return quantifier[:1] in ("*", "+") or ",}" in quantifier if quantifier else False


def _reason(pattern: str, error: re2.error) -> str:
    plain = re.sub(r"\\.", "ee", pattern, flags=re.DOTALL)
    for construct, reason in _REASONS:
        if construct in plain:
            return reason
    if re.search(r"\\[1-9]", pattern):
        return "RE2 has no back references such as \\1"
    if re.search(r"\(\?P[=>]", plain):
        return "RE2 has no back references by name"
    said = error.args[0] if error.args else "invalid pattern"
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
