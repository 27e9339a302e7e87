"""CONVERSATION: a YAML body with closed keys. Spec: abl-language 3.17."""

from __future__ import annotations

from typing import Any

from abl.parser.free import structured, value_of
from abl.parser.reader import Reader, reads
from abl.syntax.conversation import FIELDS, OPEN, POLICIES, Shape
from abl.syntax.node import Kind, Node, Prop

_NAMES = {"bool": "true or false", "int": "a whole number", "text": "a text", "list": "a list"}


@reads(Kind.CONVERSATION)
def read_conversation(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read the body, and check its keys and types."""
    node.at[row.field] = off
    body = value_of(r, k, end, value, off)
    if isinstance(body, str):
        body = structured(r, body, k)
    if body is None:
        r.report_line("EMPTY_SECTION", k, section=row.key, name=row.key)
        setattr(node, row.field, {})
        return
    if not isinstance(body, dict) or "" in body:
        r.report_line("CONVERSATION_INVALID_YAML", k, value=str(body)[:80], section=row.key)
        return
    setattr(node, row.field, checked(r, body, FIELDS, "CONVERSATION", k, end))


Places = dict[str, tuple[int, int, int]]
"""Lower-cased key -> line, offset and length of the first line that begins with it."""


def _places(r: Reader, k: int, end: int) -> Places:
    found: Places = {}
    for j in range(k, end):
        bare = r.texts[j].lstrip("- ")
        key = bare.partition(":")[0].strip()
        found.setdefault(key.lower(), (j, r.offsets[j] + len(r.texts[j]) - len(bare), len(key)))
    return found


def _place(r: Reader, places: Places, k: int, key: str) -> tuple[int, int, int]:
    """Return line, offset and length of `key`; within an inline map that is looked for on line `k`."""
    found = places.get(key.lower())
    if found is not None:
        return found
    inline = r.texts[k].find(f"{key}:")
    if inline >= 0:
        return k, r.offsets[k] + inline, len(key)
    return k, r.offsets[k], len(r.texts[k])


def checked(r: Reader, body: dict[str, Any], shape: Shape, path: str, k: int, end: int) -> dict[str, Any]:
    """Return the body with lower-cased keys; unknown keys and wrong types are reported and left out."""
    plain: dict[str, Any] = {}
    places = _places(r, k + 1, end)
    for key, value in body.items():
        name = str(key).lower()
        want = shape.get(name)
        j, offset, length = _place(r, places, k, str(key))
        if want is None:
            meant = r.near(name, tuple(shape))
            fix = r.edit(offset, length, meant, f"write `{meant}`") if meant else None
            r.report(
                "CONVERSATION_UNKNOWN_FIELD", offset, length, fix, name=f"{path}.{name}", known=", ".join(shape),
                suggestion=meant or "", property=name,
            )  # fmt: skip
            if meant is None or meant in body:
                continue
            name, want = meant, shape[meant]
        if isinstance(want, dict):
            if isinstance(value, dict):
                plain[name] = checked(r, value, want, f"{path}.{name}", j, end)
            else:
                _wrong_type(r, f"{path}.{name}", "a map", value, offset, length)
        elif _fits(value, want):
            plain[name] = value
            if name == "language_policy" and value not in POLICIES:
                r.report("UNKNOWN_CHOICE", offset, length, name=str(value), property=name, known=", ".join(POLICIES))
        else:
            _wrong_type(r, f"{path}.{name}", _NAMES[want], value, offset, length)
    return plain


def _wrong_type(r: Reader, path: str, expected: str, value: Any, offset: int, length: int) -> None:
    r.report(
        "CONVERSATION_WRONG_TYPE", offset, length, name=path, property=path, expected=expected, value=str(value)[:80]
    )


def _fits(value: Any, want: str) -> bool:
    if want == OPEN:
        return not isinstance(value, dict)
    if want == "bool":
        return isinstance(value, bool)
    if want == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if want == "list":
        return isinstance(value, list | str)
    return isinstance(value, str | bool | int | float)
