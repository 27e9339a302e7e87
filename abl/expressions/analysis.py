"""The front door of expression reading: a text in, a tree and its faults out, never an exception.

Spec: abl-language 6.1, 6.3.
"""

from __future__ import annotations

from functools import lru_cache

from abl.expressions import words
from abl.expressions.faults import Analysis, Fault
from abl.expressions.limits import MAX_EXPRESSION_CHARS
from abl.expressions.parse import Parser, text_parts
from abl.expressions.prose import is_prose
from abl.expressions.reader import UnreadableError
from abl.expressions.repair import Repair, repair
from abl.expressions.tree import Boolean, Invalid, Node, String, Template, Wildcard

MAX_CACHED = 2_048


def parse_expression(text: object) -> Node:
    """Return the tree of a value expression; a node of kind `invalid` when it is none.

    >>> parse_expression("price * 2").to_dict()["operator"]
    '*'
    """
    return analyse(text, condition=False).node


def parse_condition(text: object) -> Node:
    """Return the tree of a condition; a node of kind `invalid` when it is none, of kind `string` for a sentence.

    >>> parse_condition("a OR b").to_dict()["operator"]
    'or'
    """
    return analyse(text, condition=True).node


def analyse(text: object, *, condition: bool, allow_text: bool = False) -> Analysis:
    """Return the tree of `text` and everything that is wrong with it, with places relative to `text`.

    Args:
        text: What was written; booleans and numbers (of a YAML document) stand for themselves.
        condition: Whether it is a condition (an empty one is true, `else` is a wildcard).
        allow_text: Whether a sentence in natural language is welcome; it becomes a node of kind `string`.
    """
    if isinstance(text, str):
        return _analysed(text, condition, allow_text)
    if isinstance(text, bool):
        return Analysis(Boolean(text))
    if isinstance(text, int | float):
        return _analysed(str(text), condition, allow_text)
    detail = f"text is expected, not {type(text).__name__}"
    return Analysis(Invalid(""), (Fault(_code(condition), 0, 0, {"value": "", "detail": detail}),))


@lru_cache(maxsize=MAX_CACHED)
def _analysed(text: str, condition: bool, allow_text: bool) -> Analysis:
    if len(text) > MAX_EXPRESSION_CHARS:
        detail = f"it has {len(text)} characters, at most {MAX_EXPRESSION_CHARS} are read"
        return _invalid(text, condition, detail, 0, len(text))
    if condition:
        plain = text.strip().lower()
        if not plain:
            return Analysis(Boolean(True, length=len(text)))
        if plain in words.WILDCARD_WORDS:
            return Analysis(Wildcard(length=len(text)))
    parser = Parser(text)
    try:
        node = parser.whole()
    except UnreadableError as stopped:
        return _unreadable(text, stopped, condition, allow_text)
    faults = tuple(parser.faults)
    if condition and not allow_text and isinstance(node, String) and " " in node.value.strip():
        faults = (*faults, _sentence(text, node))
    return Analysis(node, faults)


def _unreadable(text: str, stopped: UnreadableError, condition: bool, allow_text: bool) -> Analysis:
    prose = is_prose(text)
    mended = repair(text, stopped, _reads)
    if prose and (mended is None or (allow_text and not mended.typo)):
        node = _text_node(text)
        if allow_text:
            return Analysis(node)
        return Analysis(node, (_sentence(text, node) if condition else _unquoted(text, stopped),))
    return _stopped(text, stopped, mended, condition)


def _stopped(text: str, stopped: UnreadableError, mended: Repair | None, condition: bool) -> Analysis:
    token = stopped.token
    start, length = token.start, len(token.text)
    detail = stopped.detail
    if mended is not None:
        detail = mended.detail or detail
        start, length = (mended.edit[0], mended.edit[1]) if mended.edit[1] and mended.detail else (start, length)
    if token.kind == "unclosed" and start == token.start:
        length = len(token.text.rstrip())
    return _invalid(text, condition, detail, start, max(length, 0), mended)


def _invalid(
    text: str, condition: bool, detail: str, start: int, length: int, mended: Repair | None = None
) -> Analysis:
    fix, title = (mended.edit, mended.title) if mended else (None, "")
    fault = Fault(_code(condition), start, length, {"value": text.strip(), "detail": detail}, fix, title)
    return Analysis(Invalid(text, length=len(text)), (fault,))


def _code(condition: bool) -> str:
    return "INVALID_CONDITION" if condition else "INVALID_EXPRESSION"


def _reads(text: str) -> bool:
    """Whether `text` is an expression without any real mistake."""
    parser = Parser(text)
    try:
        parser.whole()
    except UnreadableError:
        return False
    return True


def _text_node(text: str) -> Node:
    """Return a sentence as a node: a template when it holds `{{ }}`."""
    plain = text.strip()
    start = text.find(plain)
    parts, _ = text_parts(plain, start)
    if parts == (plain,):
        return String(plain, start=start, length=len(plain))
    return Template(parts, start=start, length=len(plain))


def _sentence(text: str, node: Node) -> Fault:
    said = {"value": text.strip(), "name": text.strip()}
    return Fault("NATURAL_LANGUAGE_CONDITION", node.start, node.length, said)


def _unquoted(text: str, stopped: UnreadableError) -> Fault:
    plain = text.strip()
    start = text.find(plain)
    quoted = '"' + plain.replace('"', '\\"') + '"'
    said = {"value": plain, "detail": f"{stopped.detail}; a text stands in quotes"}
    return Fault("INVALID_EXPRESSION", start, len(plain), said, (start, len(plain), quoted), "put the text in quotes")
