"""The file of a language pack -> `Pack`. What is wrong names the file, the line and the key. Spec: abl-language 5.7.

Lists may be written as YAML lists or as one text with commas. A project's file needs the keys it changes only: its
phrases are added, one with a minus in front is taken out, and what stands under a name of its own is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import yaml

from abl.languages.folding import fold
from abl.languages.forms import form_fault
from abl.languages.pack import DATE_ORDERS, GROUPS, MAY_BE_EMPTY, OPTIONAL, SENTENCES, UNITS, Pack

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_NAME = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
MAX_PACK_CHARS = 200_000
MAX_PHRASES = 2_000
MAX_PHRASE_CHARS = 200
MAX_SENTENCE_CHARS = 2_000
PHRASES, BY_NUMBER, BY_NAME, GROUPED, TEXT, TEXTS = "phrases", "by_number", "by_name", "grouped", "text", "texts"
_KINDS = {
    "Phrases": PHRASES,
    "dict[float, Phrases]": BY_NUMBER,
    "dict[str, Phrases]": BY_NAME,
    "tuple[Phrases, ...]": GROUPED,
    "str": TEXT,
    "dict[str, str]": TEXTS,
}
KEYS: Mapping[str, str] = {one.name: _KINDS[str(one.type)] for one in fields(Pack)}
"""Key of a file -> what stands under it."""

FORMS = {"correction": ("value",), "lead_ins": (), "later": ("count",), "month_days": ("count",), "clock": ("hour",)}
"""Keys that hold forms -> the places each form must have."""

PAIRS = {
    "plurals": "write the end for one, a slash and the end for more, as y/ies",
    "alike": "write words with slashes between them, as delete/remove",
}
"""Keys whose phrases have parts with slashes -> what to write."""


@dataclass(frozen=True, slots=True)
class PackProblem:
    """One thing that is wrong with the file of a pack."""

    path: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.key}: {self.message}"


class PackError(ValueError):
    """The file of a pack cannot be used; `problems` says why, each with its line."""

    def __init__(self, problems: list[PackProblem]) -> None:
        super().__init__("; ".join(str(one) for one in problems))
        self.problems = problems


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[PackProblem] = []

    def wrong(self, node: yaml.Node | None, key: str, message: str) -> None:
        line = node.start_mark.line + 1 if node is not None else 1
        self.problems.append(PackProblem(self.path, line, key, message))

    def finish(self) -> None:
        if self.problems:
            raise PackError(self.problems)

    def entries(self, node: yaml.Node, key: str) -> list[tuple[str, yaml.Node, yaml.Node]]:
        """Return the entries of a mapping; a key written twice is wrong."""
        if not isinstance(node, yaml.MappingNode):
            self.wrong(node, key, "write a mapping of names to values")
            return []
        seen: dict[str, tuple[str, yaml.Node, yaml.Node]] = {}
        for name, value in node.value:
            text = str(name.value)
            if text in seen:
                self.wrong(name, f"{key}.{text}".lstrip("."), "is written twice")
            seen[text] = (text, name, value)
        return list(seen.values())

    def phrases(self, node: yaml.Node, key: str) -> tuple[str, ...]:
        """Return the phrases of a list, or of a text with commas."""
        if isinstance(node, yaml.ScalarNode):
            found = [piece.strip() for piece in str(node.value).split(",")]
        elif isinstance(node, yaml.SequenceNode) and all(isinstance(one, yaml.ScalarNode) for one in node.value):
            found = [str(one.value).strip() for one in node.value]
        else:
            self.wrong(node, key, "write phrases: a list, or one text with commas between them")
            return ()
        found = [one for one in dict.fromkeys(found) if one]
        if len(found) > MAX_PHRASES or any(len(one) > MAX_PHRASE_CHARS for one in found):
            self.wrong(node, key, f"at most {MAX_PHRASES} phrases of {MAX_PHRASE_CHARS} characters")
            return ()
        for one in found:
            if not fold(one).strip() or one == "-":
                self.wrong(node, key, f'"{one}" has no letter that can be compared')
            if key in PAIRS and "/" not in one:
                self.wrong(node, key, f'"{one}": {PAIRS[key]}')
            if key.partition(".")[0] in FORMS and (reason := _bad_form(key.partition(".")[0], one)):
                self.wrong(node, key, f'"{one}": {reason}')
        return tuple(found)

    def value(self, node: yaml.Node, key: str) -> Any:
        """Return what stands under a key."""
        match KEYS[key]:
            case "phrases":
                return self.phrases(node, key)
            case "by_number":
                return {
                    number: self.phrases(value, f"{key}.{name}")
                    for name, name_node, value in self.entries(node, key)
                    if (number := self.number(name_node, f"{key}.{name}")) is not None
                }
            case "by_name":
                return {name: self.phrases(value, f"{key}.{name}") for name, _, value in self.entries(node, key)}
            case "grouped":
                return self.groups(node, key)
            case "texts":
                return {
                    name.lower(): self.sentence(value, name_node, name)
                    for name, name_node, value in self.entries(node, key)
                }
            case _:
                if not isinstance(node, yaml.ScalarNode):
                    self.wrong(node, key, "write one text")
                    return ""
                return str(node.value)

    def number(self, node: yaml.Node, key: str) -> float | None:
        try:
            return float(node.value)
        except (TypeError, ValueError):
            self.wrong(node, key, "is no number")
            return None

    def groups(self, node: yaml.Node, key: str) -> tuple[tuple[str, ...], ...]:
        count = GROUPS[key]
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != count:
            self.wrong(node, key, f"write a list of {count} lines, each with all the words for one of them")
            return ()
        return tuple(self.phrases(one, key) for one in node.value)

    def sentence(self, node: yaml.Node, name_node: yaml.Node, name: str) -> str:
        key = f"sentences.{name}"
        known = SENTENCES.get(name.lower())
        if known is None:
            self.wrong(name_node, key, f"is no built-in sentence; there are {', '.join(SENTENCES)}")
            return ""
        if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
            self.wrong(node, key, "write one text")
            return ""
        text = str(node.value).strip()
        if len(text) > MAX_SENTENCE_CHARS:
            self.wrong(node, key, f"at most {MAX_SENTENCE_CHARS} characters")
        for used in _NAME.findall(text):
            if used not in known:
                shown = ", ".join(f"{{{{{one}}}}}" for one in known) or "none"
                self.wrong(node, key, f"{{{{{used}}}}} has no value here; known is {shown}")
        return text


def _bad_form(key: str, form: str) -> str:
    """Return what is wrong with a form, nothing when it is good."""
    missing = [place for place in FORMS[key] if f"{{{place}}}" not in form]
    if missing:
        return f"a form needs {{{missing[0]}}}"
    return form_fault(form)


def read_keys(text: str, path: str) -> dict[str, Any]:
    """Return what a pack's file says, key by key.

    Raises:
        PackError: The file is no YAML, has a key no pack has, or a value of the wrong form.
    """
    reader = _Reader(path)
    if len(text) > MAX_PACK_CHARS:
        reader.wrong(None, "file", f"is longer than {MAX_PACK_CHARS} characters")
        reader.finish()
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        reason = getattr(error, "problem", None) or "cannot be read"
        raise PackError([PackProblem(path, line, "file", f"is no YAML: {reason}")]) from None
    found: dict[str, Any] = {}
    for name, name_node, value in reader.entries(node, "") if node is not None else ():
        if name not in KEYS:
            reader.wrong(name_node, name, f"is no key of a language; there are {', '.join(KEYS)}")
            continue
        found[name] = reader.value(value, name)
    _check_values(reader, node, found)
    reader.finish()
    return found


def _check_values(reader: _Reader, node: yaml.Node | None, found: Mapping[str, Any]) -> None:
    for name in found.get("units", {}):
        if name not in UNITS:
            reader.wrong(node, f"units.{name}", f"is no unit; there are {', '.join(UNITS)}")
    for name in found.get("times", {}):
        if _TIME.fullmatch(name) is None:
            reader.wrong(node, f"times.{name}", "is no time; write HH:MM in quotes")
    if found.get("date_order", DATE_ORDERS[0]) not in DATE_ORDERS:
        reader.wrong(node, "date_order", f"is one of {', '.join(DATE_ORDERS)}")
    if found.get("decimal", ".") not in (".", ","):
        reader.wrong(node, "decimal", 'is "." or ","')
    if len(found.get("date_marks", ())) not in (0, 3):
        reader.wrong(node, "date_marks", "are three: behind the year, the month and the day; or none")


def read_pack(text: str, path: str) -> Pack:
    """Return the pack of a file that has every key.

    Raises:
        PackError: A key is missing, unknown, or has a value of the wrong form.
    """
    found = read_keys(text, path)
    problems = [
        PackProblem(path, 1, key, "is missing")
        for key in KEYS
        if key not in OPTIONAL and (key not in found or (not found[key] and key not in MAY_BE_EMPTY))
    ]
    sentences = found.get("sentences", {})
    problems += [PackProblem(path, 1, f"sentences.{key}", "is missing") for key in SENTENCES if key not in sentences]
    if problems:
        raise PackError(problems)
    return Pack(**found)


def merged(pack: Pack, changes: Mapping[str, Any]) -> Pack:
    """Return a pack with the keys of a project's file: phrases added or taken out, names and texts replaced."""
    made: dict[str, Any] = {}
    for key, value in changes.items():
        match KEYS[key]:
            case "phrases":
                made[key] = _changed(getattr(pack, key), value)
            case "by_number" | "by_name":
                before = getattr(pack, key)
                made[key] = {**before, **{name: _changed(before.get(name, ()), one) for name, one in value.items()}}
            case "grouped":
                made[key] = tuple(_changed(was, now) for was, now in zip(getattr(pack, key), value, strict=True))
            case "texts":
                made[key] = {**getattr(pack, key), **value}
            case _:
                made[key] = value
    return replace(pack, **made)


def _changed(before: tuple[str, ...], now: tuple[str, ...]) -> tuple[str, ...]:
    out = {fold(one[1:].strip()) for one in now if one.startswith("-")}
    kept = [one for one in before if fold(one) not in out]
    return tuple(dict.fromkeys((*kept, *(one for one in now if not one.startswith("-")))))
