"""Writes docs/spec-map.md: each statement of the platform specification, the function that keeps it, and its tests.

Made from docs/spec-map.toml. A function or test that does not exist makes the program fail, with `--check` a map that
is not up to date too. `--spec FILE` compares with the specification itself: statements of the mapped sections that
nothing quotes, and quotes that stand nowhere, make it fail.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tools.corpus import ROOT
from tools.spec_items import Item, items, plain

SOURCE = ROOT / "docs" / "spec-map.toml"
WHOLE = "*"
"""Says a whole section."""
MAP = ROOT / "docs" / "spec-map.md"
TESTS = ROOT / "tests"
INTRODUCTION = """\
# Specification map

From a sentence of the platform API to the function that keeps it, and to the tests that would notice if it did not.
Made by `tools/generate_spec_map.py` from `docs/spec-map.toml`; not to be edited. Every function and test named here
exists: `make check` looks. What belongs to later work stands under its section as such.
"""


class Entry(NamedTuple):
    """Some statements of one section that are kept in the same place.

    Attributes:
        says: Words of each statement, as the specification has them.
        by, tests: What keeps them, and what would notice.
        later: To which later work they belong, when they are not kept yet.
        told: Why there is nothing to keep, for headings, comparisons and advice to clients.
    """

    section: str
    says: tuple[str, ...]
    by: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    later: str = ""
    told: str = ""


def entries() -> list[Entry]:
    """Return all entries of the map."""
    table = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    return [
        Entry(section, tuple(one["says"]), tuple(one.get("by", ())), tuple(one.get("tests", ())),
              one.get("later", ""), one.get("told", ""))
        for section, rows in table["sections"].items()
        for one in rows
    ]  # fmt: skip


def titles() -> dict[str, str]:
    """Return section number -> title."""
    titled: dict[str, str] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["titles"]
    return titled


@cache
def _names_in(path: Path) -> frozenset[str]:
    """Return the qualified names of everything that a module defines."""
    return frozenset(_defined(ast.parse(path.read_text(encoding="utf-8")).body, ""))


def _defined(body: Sequence[ast.stmt], before: str) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield before + node.name
            case ast.ClassDef():
                yield before + node.name
                yield from _defined(node.body, f"{before}{node.name}.")
            case ast.Assign():
                yield from (before + one.id for one in node.targets if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield before + name


def place_of(name: str) -> Path | None:
    """Return the file of a function, class or constant named with its module; None when there is none."""
    words = name.split(".")
    for cut in range(len(words) - 1, 0, -1):
        for path in (ROOT.joinpath(*words[:cut]).with_suffix(".py"), ROOT.joinpath(*words[:cut], "__init__.py")):
            if path.is_file():
                return path if ".".join(words[cut:]) in _names_in(path) else None
    return None


@cache
def _tests() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for name in _names_in(path):
            found.setdefault(name.rpartition(".")[2], []).append(path)
    return found


def test_place(name: str) -> Path | None:
    """Return the file of a test: a function by its name (`folder/file.py::name` where there are several), or a case."""
    where, _, function = name.rpartition("::")
    if function.endswith(".yaml"):
        case = TESTS / function
        return case if case.is_file() else None
    places = [path for path in _tests().get(function, ()) if str(path).endswith(where)]
    return places[0] if len(places) == 1 else None


def problems(mapped: Sequence[Entry]) -> list[str]:
    """Return what is wrong with the map by itself."""
    found: list[str] = []
    for entry in mapped:
        where = f"{entry.section} {entry.says[0][:50]!r}"
        found += [f"{where}: there is no {name}" for name in entry.by if place_of(name) is None]
        found += [f"{where}: there is no one test {name}" for name in entry.tests if test_place(name) is None]
        kinds = [bool(entry.by and entry.tests), bool(entry.later), bool(entry.told)]
        if kinds.count(True) != 1:
            found.append(f"{where}: says neither who keeps it and which test, nor `later`, nor `told`")
    return found


def uncovered(mapped: Sequence[Entry], statements: Sequence[Item]) -> list[str]:
    """Return the statements that nothing quotes and the quotes that stand nowhere."""
    found = []
    sections = {entry.section for entry in mapped}
    quotes = [(entry.section, plain(words)) for entry in mapped for words in entry.says]
    for item in statements:
        told = [words for section, words in quotes if section == item.section]
        if item.section in sections and WHOLE not in told and not any(words in item.text for words in told):
            found.append(f"{item.section}: nothing maps {item.text[:140]!r}")
    for section, words in quotes:
        if words != WHOLE and not any(item.section == section and words in item.text for item in statements):
            found.append(f"{section}: the specification does not say {words!r}")
    return found


def written(mapped: Sequence[Entry]) -> str:
    """Return the text of the map."""
    counts = Counter("later" if one.later else "told" if one.told else "kept" for one in mapped for _ in one.says)
    lines = [INTRODUCTION, _summary(counts)]
    named = titles()
    for section in dict.fromkeys(entry.section for entry in mapped):
        lines += [f"\n## {section} {named[section]}\n", "| statement | kept by | tests |", "|---|---|---|"]
        here = [entry for entry in mapped if entry.section == section]
        for entry in here:
            by = "<br>".join(_linked(name, place_of(name)) for name in entry.by)
            tests = "<br>".join(_linked(name.rpartition("::")[2], test_place(name)) for name in entry.tests)
            told = f"later: {entry.later}" if entry.later else entry.told
            lines += [
                f"| {_cell('the whole section' if words == WHOLE else words)} | {by or told} | {tests} |"
                for words in entry.says
            ]
    return "\n".join(lines) + "\n"


def _summary(counts: Counter[str]) -> str:
    return (
        f"{counts['kept']} statements are kept and tested, {counts['told']} have nothing to keep (headings, "
        f"comparisons, advice), {counts['later']} statements or whole sections belong to later work; none is unmapped."
    )


def _linked(name: str, place: Path | None) -> str:
    return f"[`{name}`](../{place.relative_to(ROOT)})" if place is not None else name


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main() -> int:
    """Write or check the map; return the exit status."""
    options = argparse.ArgumentParser(description="Write docs/spec-map.md")
    options.add_argument("--check", action="store_true", help="only compare")
    options.add_argument("--spec", type=Path, help="the specification, to look for statements that nothing maps")
    given = options.parse_args()
    mapped = entries()
    found = problems(mapped)
    if given.spec is not None:
        found += uncovered(mapped, list(items(given.spec.read_text(encoding="utf-8"))))
    if found:
        print("\n".join(found), file=sys.stderr)
        return 1
    text = written(mapped)
    if given.check:
        if not MAP.exists() or MAP.read_text(encoding="utf-8") != text:
            print(f"{MAP.name} is not up to date: run tools/generate_spec_map.py", file=sys.stderr)
            return 1
        return 0
    MAP.write_text(text, encoding="utf-8")
    print(
        _summary(Counter("later" if one.later else "told" if one.told else "kept" for one in mapped for _ in one.says))
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
