"""What a YAML scalar, list or map is: a text, a JSON value, a list of texts. Spec: abl-language 9."""

from __future__ import annotations

from typing import Any

from abl.parser.values import number
from abl.printer.scalars import literal
from abl.source import Source, normalise
from abl.yaml_form.tree import Scalar, Sequence, Tree

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "false": False}


def is_null(tree: Tree) -> bool:
    """Return whether nothing stands there."""
    return isinstance(tree, Scalar) and tree.plain and tree.text in _NULLS


def clean(text: str) -> str:
    """Return a text as the text form would hold it: line ends and trailing space as there."""
    if "\n" not in text and "\r" not in text:
        return text.strip()
    return "\n".join([line.rstrip() for line in normalise(text).split("\n")]).strip()


def one_line(text: str) -> str:
    """Return a condition or expression on one line."""
    return " ".join([line.strip() for line in clean(text).split("\n")]) if "\n" in text else text.strip()


def json_value(tree: Tree) -> Any:
    """Return the JSON value of a tree; only `true` and `false` are booleans, only plain decimals are numbers."""
    if isinstance(tree, Scalar):
        return _scalar(tree)
    if isinstance(tree, Sequence):
        return [json_value(one) for one in tree.items]
    return {key_text(key): json_value(value) for key, value in tree.pairs}


def _scalar(tree: Scalar) -> Any:
    if not tree.plain:
        return clean(tree.text) if "\n" in tree.text or tree.block else tree.text
    if tree.text in _NULLS:
        return None
    truth = _BOOLEANS.get(tree.text.lower())
    if truth is not None:
        return truth
    found = number(tree.text)
    return tree.text if found is None else found


def key_text(key: Tree) -> str:
    """Return a key as text."""
    return key.text.strip() if isinstance(key, Scalar) else literal(json_value(key))


def text_of(tree: Tree, source: Source) -> str:
    """Return the text a value was meant to be: of a scalar its own, of `{{x}}` without quotes what stands there."""
    if isinstance(tree, Scalar):
        return "" if is_null(tree) else clean(tree.text)
    written = source.text[tree.offset : tree.end]
    if written.startswith(("{{", "[")) and "\n" not in written:
        return written.strip()
    return literal(json_value(tree))


def expression_of(tree: Tree, source: Source) -> str:
    """Return a value that is an expression: lists and maps are those of the language, whose members are expressions.

    >>> from abl.yaml_form.tree import compose
    >>> text = Source('{kind: "memo", size: [a, 2]}')
    >>> expression_of(compose(text), text)
    '{kind: "memo", size: [a, 2]}'
    """
    if isinstance(tree, Scalar):
        return one_line(tree.text)
    if source.text[tree.offset : tree.offset + 1] in ("{", "["):
        return one_line(source.text[tree.offset : tree.end])
    if isinstance(tree, Sequence):
        return f"[{', '.join(_member_of(one, source) for one in tree.items)}]"
    return f"{{{', '.join(f'{_key(key)}: {_member_of(one, source)}' for key, one in tree.pairs)}}}"


def _member_of(tree: Tree, source: Source) -> str:
    """Return a member of a map over several lines: without quotes an expression, in quotes a text."""
    if is_null(tree):
        return "null"
    is_text = isinstance(tree, Scalar) and not tree.plain
    return literal(tree.text) if is_text and isinstance(tree, Scalar) else expression_of(tree, source)


def _key(key: Tree) -> str:
    text = key_text(key)
    return text if text.isidentifier() else literal(text)


def is_braces(tree: Tree, source: Source) -> bool:
    """Return whether a value is a template such as `{{x}}` whose quotes were forgotten."""
    return not isinstance(tree, Scalar) and source.text.startswith("{{", tree.offset)


def raw_text(tree: Tree, source: Source) -> str:
    """Return a value nobody knows as the text form would hold it: inline text, or a line end and the lines below it."""
    if isinstance(tree, Scalar):
        return "" if is_null(tree) else clean(tree.text)
    written = source.text[tree.offset : tree.end].rstrip()
    if written[:1] in ("{", "["):
        return " ".join(written.split())
    start = source.text.rfind("\n", 0, tree.offset) + 1
    indent = tree.offset - start
    lines = written.split("\n")
    cut = [line[indent:] if not line[:indent].strip() else line.lstrip() for line in lines[1:]]
    return "\n" + clean("\n".join([lines[0], *cut]))


def content_offset(tree: Tree, source: Source) -> int:
    """Return where the content of a value begins: after an opening quote, on the first line of a block."""
    if not isinstance(tree, Scalar) or tree.plain:
        return tree.offset
    if not tree.block:
        return tree.offset + 1
    at = source.text.find("\n", tree.offset)
    while 0 <= at < len(source.text) and source.text[at].isspace():
        at += 1
    return at if at >= 0 else tree.offset
