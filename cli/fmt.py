"""`abl fmt`: layout of files, in place by default."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import PurePath

from abl.folders import is_project_file
from abl.formatter import format_text
from abl.frontend import parse
from abl.parser.detect import detect, split_documents
from abl.source import normalise
from abl.syntax.document import Document
from cli import files
from cli.diff import unified_diff
from cli.output import CLEAN, FAULTY, USAGE, complain, refuse


@dataclass(slots=True)
class _Counts:
    changed: int = 0
    unchanged: int = 0
    refused: int = 0
    yaml: int = 0
    unreadable: int = 0


def fmt(paths: list[str], *, check: bool, diff: bool) -> int:
    """Format the files of `paths` and return the exit code; with `check` or `diff` nothing is written."""
    found = files.find(paths, is_project_file)
    below = [(PurePath(folder) / path).as_posix() for folder, inside in found.folders.items() for path in inside]
    if not below and not found.files and not found.unreadable:
        refuse(f"nothing to format in {', '.join(paths)}: no file ends in .abl")
    counts = _Counts(unreadable=len(found.unreadable))
    for fault in found.unreadable:
        complain(fault)
    for path in dict.fromkeys([*found.files, *below]):
        _format_file(path, counts, check=check, diff=diff)
    if files.STDIN not in found.files or counts.yaml:
        _say(counts, would=check or diff)
    if counts.unreadable:
        return USAGE
    return FAULTY if counts.refused or (check and counts.changed) else CLEAN


def _format_file(path: str, counts: _Counts, *, check: bool, diff: bool) -> None:
    given = files.read(path)
    if not isinstance(given, str):
        complain(given)
        counts.unreadable += 1
        return
    before = normalise(given)
    kind = detect(before)
    if kind is None or kind == "yaml":
        _leave(path, given, kind, counts)
        return
    after = format_text(before)
    if after != before and _documents(after) != _documents(before):
        complain(f"{path} is left as it is: formatting would change what it says; please report this")
        counts.refused += 1
        after = before
    new = files.like(given, after)
    if path == files.STDIN and not (check or diff):
        sys.stdout.buffer.write(new.encode("utf-8"))
        return
    if new == given:
        counts.unchanged += 1
        return
    counts.changed += 1
    if diff:
        print(unified_diff(path, before, after), end="")
    elif check:
        print(f"would format {path}")
    elif (fault := files.write(path, new)) is not None:
        complain(fault)
        counts.unreadable += 1


def _leave(path: str, given: str, kind: str | None, counts: _Counts) -> None:
    """Leave a text as it is that has no layout of its own here: YAML, or no ABL at all."""
    name = files.STDIN_NAME if path == files.STDIN else path
    if kind == "yaml":
        counts.yaml += 1
    else:
        complain(f"{name} is not formatted: it holds no ABL document")
    if path == files.STDIN:
        sys.stdout.buffer.write(given.encode("utf-8"))


def _documents(text: str) -> list[Document | None]:
    """Return what a text says, agents pasted together one by one."""
    return [parse(piece).document for piece in split_documents(text)]


def _say(counts: _Counts, *, would: bool) -> None:
    done = "would be formatted" if would else "formatted"
    files_of = [
        (counts.changed, done),
        (counts.unchanged, "already fine"),
        (counts.refused, "left as they are"),
        (counts.yaml, "not formatted: YAML"),
    ]
    said = [f"{number} {'file' if number == 1 else 'files'} {what}" for number, what in files_of if number]
    if said:
        print(", ".join(said), file=sys.stderr)
