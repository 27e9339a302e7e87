"""Writes docs/properties.md: every section and property, with the texts of the corpus that exercise it.

With `--check` it only compares, for `make check`. A property that no text exercises makes the program fail.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import abl
from abl.syntax.conversation import FIELDS, Shape
from abl.syntax.document import Document
from abl.syntax.node import NODES, Kind, Node, Prop
from abl.syntax.rich import FORMAT_KEYS
from tools.corpus import ROOT, cases

TABLE = ROOT / "docs" / "properties.md"
MIXINS = frozenset({"Rich", "Actions", "Remote", "Transport"})
"""Classes whose properties are listed where they are used."""
SHOWN = 3
"""Texts named for one property."""
BESIDE = ("checks", "g2", "realworld", "strict")
"""Areas whose texts are named last: they are about something else."""
CONVERSATION = "CONVERSATION"
FORMATS = "FORMATS"

INTRODUCTION = """\
# Properties

Every section and property of the language, its form, its value when absent, and the texts of the corpus
(`tests/corpus/abl/`) that exercise it. Made by `tools/generate_property_table.py` from the schema (`abl/syntax/`) and
the corpus; not to be edited. Spec: abl-language 3 to 5.
"""

Key = tuple[str, str]
"""Node class and field; for CONVERSATION the dotted path, for FORMATS the name in the IR."""
Uses = dict[Key, list[str]]
FOLDED = frozenset({("Parameter", "items"), ("Parameter", "properties"), ("Step", "do_after")})
"""Properties that leave no field of their own, besides the FLAT ones: they are looked for in the texts."""


def uses() -> Uses:
    """Return which cases of the corpus set each property, those first that are about it."""
    found: Uses = {}
    for case in sorted(cases(), key=lambda one: one.area in BESIDE):
        document = abl.parse(case.text, strict=case.strict).document
        if document is None or case.area == "broken":
            continue
        for key in dict.fromkeys([*_set_in(document), *_written_in(case.text)]):
            found.setdefault(key, []).append(case.name)
    return found


@cache
def _wrappers() -> list[tuple[Key, re.Pattern[str]]]:
    """Return the properties that leave no field, with a pattern of their line."""
    return [
        ((name, row.field), re.compile(rf"^\s*{row.key}\s*:\s*(?:#.*)?$", re.MULTILINE | re.IGNORECASE))
        for name, row in rows()
        if row.kind is Kind.FLAT or (name, row.field) in FOLDED
    ]


def _written_in(text: str) -> Iterator[Key]:
    """Yield the properties without a field that a text has on a line of their own."""
    return (key for key, line in _wrappers() if line.search(text))


def _set_in(value: Any) -> Iterator[Key]:
    """Yield the properties that are set in a node and in all below it."""
    if isinstance(value, Node):
        written = {name for name, _ in value.written()} | {name for name in value.at if "." not in name}
        for row in type(value).PROPS:
            if row.field in written:
                yield type(value).__name__, row.field
                if row.kind is Kind.CONVERSATION:
                    yield from ((CONVERSATION, path) for path in _paths(getattr(value, row.field) or {}))
                if row.kind is Kind.FORMATS:
                    yield from ((FORMATS, name) for name in getattr(value, row.field) or ())
        for name in value.FIELDS:
            yield from _set_in(getattr(value, name))
    elif isinstance(value, list):
        for one in value:
            yield from _set_in(one)


def _paths(tree: dict[str, Any], above: str = "") -> Iterator[str]:
    for key, value in tree.items():
        yield above + key
        if isinstance(value, dict):
            yield from _paths(value, f"{above}{key}.")


def rows() -> Iterator[tuple[str, Prop]]:
    """Yield (node class, row) of every property that must be exercised: all but the legacy ones."""
    for name, cls in _classes():
        yield from ((name, row) for row in cls.PROPS if not row.legacy)


def _classes() -> Iterator[tuple[str, type[Node]]]:
    yield "Document", Document
    for name, cls in sorted(NODES.items()):
        if cls is not Document and name not in MIXINS and cls.PROPS and cls.__module__.startswith("abl.syntax."):
            yield name, cls


def unmapped(found: Uses) -> list[str]:
    """Return the properties that no text of the corpus exercises."""
    missing = [f"{name}.{row.key}" for name, row in rows() if (name, row.field) not in found]
    return missing + [
        f"{CONVERSATION}.{path}" for path, _ in _conversation(FIELDS) if (CONVERSATION, path) not in found
    ]


def _conversation(tree: Shape, above: str = "") -> Iterator[tuple[str, str]]:
    for key, shape in tree.items():
        yield above + key, "map" if isinstance(shape, dict) else shape
        if isinstance(shape, dict):
            yield from _conversation(shape, f"{above}{key}.")


def table(found: Uses) -> str:
    """Return the text of docs/properties.md."""
    parts = [INTRODUCTION.rstrip()]
    for name, cls in _classes():
        summary = (cls.__doc__ or "").strip().split("\n")[0]
        parts += ["", f"## {name}", "", summary, "", "| property | value | absent | meaning | exercised by |"]
        parts += ["|---|---|---|---|---|"]
        parts += [_line(name, row, cls.DEFAULTS[row.field], found) for row in cls.PROPS]
    parts += ["", f"## {CONVERSATION}", "", "The closed keys of its YAML body.", "", "| key | value | exercised by |"]
    parts += ["|---|---|---|"]
    for path, shape in _conversation(FIELDS):
        parts.append(f"| `{path}` | {shape} | {_texts(found.get((CONVERSATION, path), []))} |")
    parts += ["", f"## {FORMATS}", "", "The formats of an answer; `_`, `-`, spaces and case do not count."]
    parts += ["", "| key | name in the IR | exercised by |", "|---|---|---|"]
    for key, name in FORMAT_KEYS.items():
        spelt = name.upper() if name.upper().replace("_", "") == key else key
        parts.append(f"| `{spelt}` | {name} | {_texts(found.get((FORMATS, name), []))} |")
    return "\n".join(parts) + "\n"


def _line(name: str, row: Prop, default: Any, found: Uses) -> str:
    spelt = ", ".join(f"`{one}`" for one in row.spellings) + (" (legacy)" if row.legacy else "")
    form = f"{row.kind}{f' {row.node}' if row.node else ''}{f' in {row.unit}' if row.unit else ''}"
    if row.choices:
        form += ": " + ", ".join(f"`{one}`" for one in row.choices) + (" …" if row.open else "")
    absent = "" if default is None else f"`{default!r}`"
    meaning = row.doc.replace("|", "\\|")
    return f"| {spelt} | {form} | {absent} | {meaning} | {_texts(found.get((name, row.field), []))} |"


def _texts(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")


def main(arguments: list[str]) -> None:
    """Write the table, or compare it with `--check`; fail when a property is not exercised."""
    found = uses()
    missing = unmapped(found)
    if missing:
        raise SystemExit("no text of the corpus exercises: " + ", ".join(missing))
    text = table(found)
    if arguments == ["--check"]:
        if not TABLE.exists() or TABLE.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{TABLE.relative_to(ROOT)} is out of date: run {Path(__file__).name}")
        return
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
