"""Writes docs/spec-map.md: each statement of the platform specification, the function that keeps it, and its tests.

Made from docs/spec-map.toml. A function or test that does not exist makes the program fail, with `--check` a map that
is not up to date too, a test without an assertion as well. `--spec FILE` compares with the specification itself and
`--seed FILE` with the document it was made from (its sections are named `seed N`): statements that nothing quotes, and
quotes that stand nowhere, make it fail.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tools.assertions import assertions, helpers_that_assert
from tools.corpus import ROOT
from tools.spec_items import Item, items, plain

SOURCE = ROOT / "docs" / "spec-map.toml"
WHOLE = "*"
"""Says a whole section, with those below it."""
SEED = "seed"
"""Is the first word of the sections of the seed."""
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
        same: Statements elsewhere (`section: words`) that say as much: what keeps those and notices keeps these too.
    """

    section: str
    says: tuple[str, ...]
    by: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    later: str = ""
    told: str = ""
    same: tuple[str, ...] = ()


def entries() -> list[Entry]:
    """Return all entries of the map, each with what keeps the statements that it is the same as."""
    table = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    return resolved([
        Entry(section, tuple(one["says"]), tuple(one.get("by", ())), tuple(one.get("tests", ())),
              one.get("later", ""), one.get("told", ""), tuple(one.get("same", ())))
        for section, rows in table["sections"].items()
        for one in rows
    ])  # fmt: skip


def resolved(listed: Sequence[Entry]) -> list[Entry]:
    """Return the entries, each with what keeps the statements that it is the same as; unknown ones stay in `same`."""
    known = {f"{entry.section}: {words}": entry for entry in listed if not entry.same for words in entry.says}
    return [_with(entry, [known[one] for one in entry.same if one in known], known) for entry in listed]


def _with(entry: Entry, others: Sequence[Entry], known: Mapping[str, Entry]) -> Entry:
    by = [name for one in (entry, *others) for name in one.by]
    tests = [name for one in (entry, *others) for name in one.tests]
    unknown = tuple(one for one in entry.same if one not in known)
    later = next((one.later for one in others if one.later), "")
    return entry._replace(
        by=tuple(dict.fromkeys(by)), tests=tuple(dict.fromkeys(tests)), later=entry.later or later, same=unknown
    )


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


@cache
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


@cache
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
        found += [f"{where}: nothing is mapped at {name!r}" for name in entry.same]
        kinds = [bool(entry.by and entry.tests), bool(entry.later), bool(entry.told)]
        if kinds.count(True) != 1:
            found.append(f"{where}: says neither who keeps it and which test, nor `later`, nor `told`")
    counted = {name: _asserted(name) for entry in mapped for name in entry.tests if test_place(name) is not None}
    return found + [f"{name} asserts nothing" for name, places in counted.items() if not places]


@cache
def _asserted(name: str) -> frozenset[tuple[Path, int]]:
    """Return where the assertions of a test stand: in it, and in the helpers that it uses; a case is one assertion."""
    place = test_place(name)
    if place is None or place.suffix == ".yaml":
        return frozenset() if place is None else frozenset({(place, 1)})
    return assertions(place, name.rpartition("::")[2], helpers_that_assert(TESTS / "support"))


def number_of_assertions(mapped: Sequence[Entry]) -> int:
    """Return how many assertions the named tests make, each place counted once and each case of tests/corpus as one."""
    return len({place for entry in mapped for name in entry.tests for place in _asserted(name)})


def uncovered(mapped: Sequence[Entry], statements: Sequence[Item]) -> list[str]:
    """Return the statements that nothing quotes and the quotes that stand nowhere."""
    found = []
    quotes = [(entry.section, plain(words)) for entry in mapped for words in entry.says]
    whole = {section for section, words in quotes if words == WHOLE}
    for item in statements:
        told = [words for section, words in quotes if section == item.section]
        below_whole = item.section in whole or item.section.rpartition(".")[0] in whole
        if not below_whole and not any(words in item.text for words in told):
            found.append(f"{item.section}: nothing maps {item.text[:140]!r}")
    for section, words in quotes:
        if words != WHOLE and not any(item.section == section and words in item.text for item in statements):
            found.append(f"{section}: the specification does not say {words!r}")
    return found


def of_the_seed(mapped: Sequence[Entry], wanted: bool) -> list[Entry]:
    """Return the entries of the seed, or those of the specification."""
    return [entry for entry in mapped if (entry.section.partition(" ")[0] == SEED) is wanted]


def written(mapped: Sequence[Entry]) -> str:
    """Return the text of the map."""
    lines = [INTRODUCTION, summary(mapped)]
    named = titles()
    for section in sorted({entry.section for entry in mapped}, key=_place_in_order):
        heading = f"{section} {named.get(section, '')}".strip()
        lines += [f"\n## {heading[0].upper()}{heading[1:]}\n", "| statement | kept by | tests |", "|---|---|---|"]
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


def _place_in_order(section: str) -> tuple[bool, list[int], str]:
    """Return where a section stands: those of the specification by their numbers, then those of the seed."""
    number, _, name = section.removeprefix(f"{SEED} ").partition(" ")
    is_seed = section.partition(" ")[0] == SEED
    return is_seed, [int(one) for one in number.split(".") if one.isdecimal()], name


def summary(mapped: Sequence[Entry]) -> str:
    """Return what the map holds in numbers."""
    parts = ((False, "the platform API"), (True, "the seed"))
    counted = [f"- {name}: {_counted(of_the_seed(mapped, wanted))}" for wanted, name in parts]
    names = {name for entry in mapped for name in entry.tests}
    asserted = (
        f"- {number_of_assertions(mapped):,} assertions stand in the {len(names):,} tests named here: `assert` "
        "statements and `pytest.raises` in them and in the helpers that they call, each counted once, where it is "
        "written; a test with parameters counts once and not for each of its cases."
    )
    return "\n".join([*counted, asserted])


def _counted(mapped: Sequence[Entry]) -> str:
    counts = Counter("later" if one.later else "told" if one.told else "kept" for one in mapped for _ in one.says)
    return (
        f"{counts['kept']} statements are kept and tested, {counts['told']} have nothing to keep (headings, "
        f"comparisons, advice), {counts['later']} statements or whole sections belong to later work; 0 are unmapped."
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
    options.add_argument("--seed", type=Path, help="the document that the specification was made from, likewise")
    given = options.parse_args()
    mapped = entries()
    found = problems(mapped)
    if given.spec is not None:
        found += uncovered(of_the_seed(mapped, False), list(items(given.spec.read_text(encoding="utf-8"))))
    if given.seed is not None:
        stated = [
            item._replace(section=f"{SEED} {item.section}".strip()) for item in items(given.seed.read_text("utf-8"))
        ]
        found += uncovered(of_the_seed(mapped, True), stated)
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
    print(summary(mapped))
    return 0


if __name__ == "__main__":
    sys.exit(main())
