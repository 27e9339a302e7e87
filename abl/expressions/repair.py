"""What the author most likely meant by a text that is no expression: one edit, kept only if the text then reads.

Spec: abl-language 6.1 (the spellings are ours).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from abl.diagnostics.suggest import closest
from abl.expressions import words
from abl.expressions.faults import Edit, apply
from abl.expressions.lexer import BLOB, CURLY, END, NAME, NUMBER, OTHER, STRING, SYMBOL, Token, tokens_of
from abl.expressions.reader import UnreadableError

MAX_TRIES = 12
_CONNECTIVE = re.compile(r"(?<!\s)\s++(?:AND|OR|\)|&&|\|\|)", re.IGNORECASE)
_LAST_WORD = re.compile(r"(?<![\w.-])[\w.-]++\Z")
_OPENERS = frozenset({*words.WORDS, *words.SYMBOLS, "(", "NOT"}) - {"%"}
_TERMS = (NAME, STRING, NUMBER)


class Repair(NamedTuple):
    """One edit: what it is called, and a more exact cause than the parser's where there is one."""

    edit: Edit
    title: str
    detail: str = ""
    typo: bool = False


def repair(text: str, stopped: UnreadableError, reads: Callable[[str], bool]) -> Repair | None:
    """Return the first plausible edit that makes `text` an expression, None when there is none."""
    for candidate in islice(_candidates(text, stopped), MAX_TRIES):
        if reads(apply(text, candidate.edit)):
            return candidate
    return None


def _candidates(text: str, stopped: UnreadableError) -> Iterator[Repair]:
    tokens = tokens_of(text)
    at = next((i for i, one in enumerate(tokens) if one.start >= stopped.token.start), len(tokens) - 1)
    token, before = stopped.token, tokens[at - 1] if at else None
    if stopped.wanted == "quote":
        yield from _quotes(text, token)
    elif stopped.wanted in (")", "]", "}}", ":"):
        yield from _closing(text, token, stopped.wanted)
    elif stopped.wanted == "state":
        yield from _states(text, tokens, at)
    elif stopped.wanted == "AND":
        yield from _chained(text, tokens, at)
    yield from _signs(token, before)
    yield from _leading(text, tokens)
    if token.kind in (NAME, NUMBER, BLOB) and before is not None:
        yield from _words(text, tokens, at)
    if token.kind == BLOB:
        yield Repair((token.start, len(token.text), f'"{token.text}"'), f'write `"{token.text}"`')
    if stopped.wanted == "operator" and token.kind in _TERMS and before is not None:
        yield from _missing_operator(token, before, tokens[at + 1])
    if token.text == ",":
        yield from _list_without_brackets(text, tokens, at)
    if token.kind == NAME and before is not None and before.text.startswith("'") and before.stop == token.start:
        yield from _apostrophe(text, before)
    yield from _superfluous(text, token, before)


def _quotes(text: str, token: Token) -> Iterator[Repair]:
    """Close or open a text: at the end, before the next AND, in place of the other quote, before the last word."""
    quote, end = token.text[0], len(text.rstrip())
    title = f"add the closing {quote}"
    if text[end - 1] in "\"'\u201d\u2019" and end - 1 > token.start:
        yield Repair((end - 1, 1, quote), title, "the text begins and ends with different quotes")
    for found in _CONNECTIVE.finditer(text, token.start):
        yield Repair((found.start(), 0, quote), title)
        break
    if not token.text[1:].strip():
        word = _LAST_WORD.search(text[: token.start])
        if word:
            yield Repair((word.start(), 0, quote), f"add the opening {quote}", "an opening quote is missing")
    yield Repair((end, 0, quote), title)
    if token.text.rstrip().endswith(")"):
        yield Repair((end - 1, 0, quote), title)


def _closing(text: str, token: Token, sign: str) -> Iterator[Repair]:
    title = f"add `{sign}`"
    if token.kind == SYMBOL and token.text in (")", "]", "}}"):
        yield Repair((token.start, len(token.text), sign), f"write `{sign}`")
    yield Repair((token.start, 0, sign), title)
    end = len(text.rstrip())
    yield Repair((end, 0, sign), title)
    if sign == ")":
        missing = sum((one.text == "(") - (one.text == ")") for one in tokens_of(text) if one.kind == SYMBOL)
        yield Repair((end, 0, sign * max(1, missing)), f"add `{sign * max(1, missing)}`")


def _states(text: str, tokens: list[Token], at: int) -> Iterator[Repair]:
    """Mend what stands after IS [NOT]: a misspelt SET, another word for it, or a value (then `==` is meant)."""
    token = tokens[at]
    negated = tokens[at - 1].text.upper() == "NOT"
    if negated and token.text.upper() == "NOT":
        yield Repair((token.start, tokens[at + 1].start - token.start, ""), "drop `NOT`", "NOT stands there twice")
    verb = tokens[at - 2] if negated and at > 1 else tokens[at - 1]
    if token.kind == NAME:
        upper = token.text.upper()
        near = words.WRONG_STATES.get(upper) or closest(upper, (*words.STATE_WORDS, "NOT"))
        if near:
            detail = f"`{token.text}` cannot stand after IS"
            edit = (token.start, len(token.text), near)
            yield Repair(edit, f"write `{near}`", detail, typo=_is_shouted(token.text))
    sign = "!=" if negated else "=="
    edit = (verb.start, tokens[at - 1].stop - verb.start, sign)
    detail = "IS only tests SET, EMPTY or NULL"
    if token.kind == NAME and token.text.upper() not in ("TRUE", "FALSE") and "." not in token.text:
        edit = (verb.start, token.stop - verb.start, f'{sign} "{token.text}"')
    yield Repair(edit, f"compare with `{sign}`", detail)
    if token.kind == END:
        state = "IS NOT SET" if negated else "IS SET"
        yield Repair((verb.start, token.start - verb.start, state), f"write `{state}`")


def _chained(text: str, tokens: list[Token], at: int) -> Iterator[Repair]:
    middle = tokens[at - 1]
    edit = (tokens[at].start, 0, f"AND {middle.text} ")
    yield Repair(edit, f"repeat `{middle.text}` after AND", "three values cannot be compared at once")


def _signs(token: Token, before: Token | None) -> Iterator[Repair]:
    """Mend a sign of another language, a doubled sign, typographic quotes."""
    right = words.WRONG_SYMBOLS.get(token.text)
    if right:
        yield Repair((token.start, len(token.text), right), f"write `{right}`", f"`{token.text}` is no operator here")
    if before is not None and before.kind == SYMBOL and before.stop == token.start:
        right = words.WRONG_SYMBOLS.get(before.text + token.text)
        if right:
            yield Repair((before.start, len(before.text + token.text), right), f"write `{right}`")
    if before is not None and token.text == "=" and before.text in ("=", "==", "===", "!", ">", "<"):
        right = "==" if before.text[0] == "=" else before.text + "="
        yield Repair((before.start, token.stop - before.start, right), f"write `{right}`")
    if token.kind == CURLY:
        plain = '"' + token.text[1:-1].replace('"', '\\"') + '"'
        yield Repair((token.start, len(token.text), plain), f"write `{plain}`", "typographic quotes are no quotes here")


def _leading(text: str, tokens: list[Token]) -> Iterator[Repair]:
    first = tokens[0]
    if first.kind == NAME and first.text.lower() in words.LEADING_WORDS and len(tokens) > 2:
        stop = tokens[1].stop if tokens[1].text == ":" else first.stop
        stop += len(text[stop:]) - len(text[stop:].lstrip())
        yield Repair((0, stop, ""), f"drop `{first.text}`", f"`{first.text}` is no part of the condition")


def _words(text: str, tokens: list[Token], at: int) -> Iterator[Repair]:
    """Mend a phrase or a misspelt word between two values, at the token that does not fit or the one before."""
    for place in (at, at - 1, at + 1):
        token = tokens[place]
        if token.kind != NAME or place == 0 or (place > at and tokens[at].text.upper() != "NOT"):
            continue
        yield from _phrases(text, token)
        if token.text.upper() not in words.WORDS and "." not in token.text:
            near = closest(token.text.upper(), words.WORD_OPERATORS)
            if near and near != token.text.upper():
                detail = f"`{token.text}` is no operator"
                edit = (token.start, len(token.text), near)
                yield Repair(edit, f"write `{near}`", detail, typo=_is_shouted(token.text))


def _phrases(text: str, token: Token) -> Iterator[Repair]:
    rest = text[token.start : token.start + 60]
    spaced = " ".join(rest.lower().split()) + " "
    for phrase, sign in words.WRONG_PHRASES.items():
        if spaced.startswith(phrase + " "):
            found = re.match(phrase.replace(" ", r"\s+"), rest, re.IGNORECASE)
            if found:
                yield Repair((token.start, found.end(), sign), f"write `{sign}`", f"`{found[0]}` is no operator")


def _missing_operator(token: Token, before: Token, behind: Token) -> Iterator[Repair]:
    if before.kind == NAME and token.kind in (STRING, NUMBER):
        yield Repair((token.start, 0, "== "), "add `==`", f"an operator is missing before `{token.text}`")
    elif behind.kind == END:
        return
    elif before.kind in (STRING, NUMBER) or before.text in (")", "]") or before.text.upper() in words.STATE_WORDS:
        yield Repair((token.start, 0, "AND "), "add `AND`", f"AND or OR is missing before `{token.text}`")


def _list_without_brackets(text: str, tokens: list[Token], at: int) -> Iterator[Repair]:
    """Put what follows IN into brackets: `IN (1, 2)` or `IN 1, 2`."""
    opening = next((one for one in reversed(tokens[:at]) if one.text.upper() == "IN"), None)
    if opening is None:
        return
    start = opening.stop + len(text[opening.stop :]) - len(text[opening.stop :].lstrip())
    enclosed = text[start] == "("
    ends = [one.start for one in tokens[at:] if one.text == ")" or one.text.upper() in ("AND", "OR", "&&", "||")]
    stop = min([*ends, len(text.rstrip())])
    inside = text[start + enclosed : stop].strip()
    length = stop - start + (enclosed and text[stop : stop + 1] == ")")
    behind = "" if stop == len(text.rstrip()) or enclosed else " "
    yield Repair((start, length, f"[{inside}]{behind}"), f"write `[{inside}]`", "a list stands in square brackets")


def _apostrophe(text: str, before: Token) -> Iterator[Repair]:
    stop = text.rfind("'") + 1
    inside = text[before.start + 1 : stop - 1]
    if '"' not in inside and stop > before.stop:
        edit = (before.start, stop - before.start, f'"{inside}"')
        yield Repair(edit, f'write `"{inside}"`', "the apostrophe ends the text")


def _superfluous(text: str, token: Token, before: Token | None) -> Iterator[Repair]:
    """Drop an operator without a value beside it, a sign that closes nothing, a doubled comma."""
    if _can_drop(token, before):
        stop = token.stop + len(text[token.stop :]) - len(text[token.stop :].lstrip())
        start = token.start if stop < len(text) else len(text[: token.start].rstrip())
        yield Repair((start, stop - start, ""), f"drop `{token.text}`")
    if before is not None and before.text.upper() in ("AND", "OR", "&&", "||", "+", "-", "%", ",", "."):
        start = len(text[: before.start].rstrip())
        yield Repair((start, before.stop - start, ""), f"drop `{before.text}`")


def _can_drop(token: Token, before: Token | None) -> bool:
    if token.text == ",":
        return before is None or before.text in (",", "(", "[")
    if token.text.upper() in words.WORDS or token.text in words.SYMBOLS:
        return before is None or before.text.upper() in _OPENERS
    return token.text in (")", "]", "}}", ":", "?") or token.kind == OTHER


def _is_shouted(word: str) -> bool:
    """Whether the word is written like an operator and not like prose: in capitals, or long."""
    return word.isupper() or len(word) >= 5
