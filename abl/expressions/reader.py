"""What every reader of tokens needs: where it stands, how it stops, and how it notes what it can read nevertheless.

Spec: abl-language 6.1, 6.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from abl import patterns
from abl.diagnostics.suggest import closest
from abl.expressions.faults import Fault
from abl.expressions.interpolation import FILTERS
from abl.expressions.lexer import END, OTHER, SYMBOL, UNCLOSED, Token, tokens_of
from abl.expressions.library import FUNCTIONS, SYNONYMS, find
from abl.expressions.tree import Node, String

_CALLABLE = frozenset({*FUNCTIONS, "HAS", "CONTAINS"})
_FUNCTION_NAMES = ", ".join(one.name for one in FUNCTIONS.values())
_METHODS = ("contains", "startsWith", "endsWith", "matches", "size")
MAX_GUESSES = 50
"""Faults of one text, for which the word that is meant is looked for."""
MAX_MENDED_CHARS = 500
"""Longest call that is shown written in another way: in a chain of calls each holds all before it."""


class UnreadableError(Exception):
    """The text is no expression; raised and caught inside this package only.

    Attributes:
        detail: What was expected, as a sentence.
        token: Where it went wrong.
        wanted: What was expected there: `value`, `operator`, or the sign that is missing.
    """

    def __init__(self, detail: str, token: Token, wanted: str) -> None:
        """Say what was expected and where."""
        super().__init__(detail)
        self.detail = detail
        self.token = token
        self.wanted = wanted


class Reader:
    """The tokens of one text and the faults found in it; `base` is added to the places of nodes and faults."""

    __slots__ = ("_at", "_base", "_interpolate", "_level", "_noted", "_tokens", "faults", "text")

    def __init__(self, text: str, base: int = 0, *, interpolate: bool = True, noted: int = 0) -> None:
        """Start in front of the first token of `text`; `noted` faults were found before it."""
        self.text = text
        self.faults: list[Fault] = []
        self._tokens = tokens_of(text)
        self._at = 0
        self._base = base
        self._level = 0
        self._interpolate = interpolate
        self._noted = noted

    # -- faults that do not stop -------------------------------------------------------------------------------

    def _note(self, code: str, start: int, length: int, fix: str | None = None, title: str = "", **said: str) -> None:
        place = self._base + start
        edit = (place, length, fix) if fix is not None else None
        self.faults.append(Fault(code, place, length, said, edit, title))

    def _note_spelling(self, token: Token) -> None:
        if token.text == "=":
            self._note("SINGLE_EQUALS", token.start, 1, "==", "write `==`", name="=", expected="==", value=self.text)
        elif len(token.text) == 3:
            right = token.text[:2]
            title = f"write `{right}`"
            said = {"name": token.text, "expected": right, "value": self.text}
            self._note("TRIPLE_EQUALS", token.start, 3, right, title, **said)

    def _pattern(self, node: Node) -> Node:
        """Return the checked right side of a search; of a text `"/acme/i"` it is the pattern between the slashes."""
        if type(node) is not String:
            return node
        if (bare := patterns.without_slashes(node.value)) != node.value:
            node = replace(node, value=bare)
        reason = patterns.check_pattern(node.value)
        if reason is not None:
            place = node.start - self._base
            self._note("INVALID_REGEX", place, node.length, name=node.value, value=node.value, detail=reason)
        return node

    def _with_pattern(self, name: str, arguments: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return the arguments of a call; the last one of `matches_pattern` is a pattern."""
        if not arguments or name.lower().rpartition(".")[2] != "matches_pattern":
            return arguments
        return (*arguments[:-1], self._pattern(arguments[-1]))

    def _check_function(self, name: str, count: int, start: int, length: int) -> None:
        known = find(name)
        if known is None:
            near = SYNONYMS.get(name.upper()) or self._guess(name.upper(), FUNCTIONS)
            fix = near if near and near.upper() in _CALLABLE else None
            title = f"write `{near}`" if fix else ""
            said = {"name": name, "suggestion": near or "", "known": _FUNCTION_NAMES}
            self._note("FUNCTION_UNKNOWN", start, length, fix, title, **said)
        elif not known.least <= count <= known.most:
            detail = f"{known.signature} takes {known.arity}, {count} {'is' if count == 1 else 'are'} given"
            said = {"name": name, "expected": known.arity, "value": str(count), "detail": detail}
            self._note("FUNCTION_ARITY", start, length, **said)

    def _unknown_method(self, value: Node, name: str, arguments: tuple[Node, ...], start: int) -> None:
        """Say that `value.name()` is no call of this language, and how it is written when there is a function."""
        known = find(name) or find(SYNONYMS.get(name.upper(), ""))
        near = known.name if known else SYNONYMS.get(name.upper()) or self._guess(name, _METHODS)
        fix, title, at, length = None, "", start, len(name)
        first = value.start - self._base
        if known and self._tokens[self._at - 1].stop - first <= MAX_MENDED_CHARS:
            at = first
            length = self._tokens[self._at - 1].stop - at
            inside = [self.text[one.start - self._base :][: one.length] for one in (value, *arguments)]
            fix = f"{known.name}({', '.join(inside)})"
            title = f"write `{fix}`"
        elif near and not known:
            fix, title = near, f"write `{near}`"
        said = {"name": name, "suggestion": near or "", "known": ", ".join(_METHODS)}
        self._note("FUNCTION_UNKNOWN", at, length, fix, title, **said)

    def _unknown_filter(self, token: Token) -> None:
        near = self._guess(token.text.lower(), FILTERS)
        title = f"write `{near}`" if near else ""
        said = {"name": token.text, "suggestion": near or "", "known": ", ".join(FILTERS)}
        self._note("TEMPLATE_UNKNOWN_FILTER", token.start, len(token.text), near, title, **said)

    def _guess(self, word: str, known: Iterable[str]) -> str | None:
        """Return the known word that is probably meant; where there are many faults, they are no slips."""
        return closest(word, known) if self._noted + len(self.faults) < MAX_GUESSES else None

    # -- tokens and stops --------------------------------------------------------------------------------------

    def _is_symbol(self, text: str) -> bool:
        token = self._tokens[self._at]
        return token.kind == SYMBOL and token.text == text

    def _is_call(self, at: int) -> bool:
        token = self._tokens[at]
        return token.kind == SYMBOL and token.text == "("

    def _expect(self, sign: str, detail: str) -> None:
        token = self._tokens[self._at]
        if token.kind == SYMBOL and token.text == sign:
            self._at += 1
            return
        if token.kind == END or (token.kind == SYMBOL and token.text in (")", "]", "}}", ",", ":")):
            self._stop(detail, token, sign)
        self._stop_at_operator(token)

    def _length_from(self, token: Token) -> int:
        return self._tokens[self._at - 1].stop - token.start

    def _stop_at_operator(self, token: Token) -> NoReturn:
        if token.kind == UNCLOSED:
            self._stop("a closing quote is missing", token, "quote")
        if token.kind == SYMBOL and token.text in (")", "]", "}}"):
            self._stop(f"`{token.text}` closes nothing that is open", token, "operator")
        said = token.text if len(token.text) <= 40 else token.text[:39] + "…"
        self._stop(f"an operator such as ==, AND or IN is expected before `{said}`", token, "operator")

    def _stop_at_value(self, token: Token) -> NoReturn:
        before = self._tokens[self._at - 1].text if self._at else ""
        if token.kind == UNCLOSED:
            self._stop("a closing quote is missing", token, "quote")
        if token.kind == END:
            where = f" after `{before}`" if before else ""
            self._stop(f"a value is missing{where} at the end", token, "value")
        where = f"after `{before}`" if before else "at the start"
        what = f"character `{token.text}`" if token.kind == OTHER else f"`{token.text}`"
        self._stop(f"a value is expected {where}, not the {what}".replace("the `", "`"), token, "value")

    def _stop(self, detail: str, token: Token, wanted: str) -> NoReturn:
        raise UnreadableError(detail, token, wanted)
