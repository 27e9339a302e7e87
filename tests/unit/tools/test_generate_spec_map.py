from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import generate_spec_map
from tools.generate_spec_map import (
    Entry,
    entries,
    number_of_assertions,
    place_of,
    problems,
    resolved,
    uncovered,
    written,
)
from tools.generate_spec_map import test_place as place_of_test
from tools.spec_items import Item

KEPT = Entry("1.1", ("Wrong types are rejected",), ("gateway.guarded.read_body",), ("test_there_are_routes",))


def test_the_map_names_only_what_exists() -> None:
    assert problems(entries()) == []


def test_the_map_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["generate_spec_map.py", "--check"])
    assert generate_spec_map.main() == 0


def test_functions_classes_methods_and_constants_are_found_and_others_are_not() -> None:
    for name in (
        "gateway.guarded.read_body",
        "gateway.gate.Gate",
        "gateway.gate.Gate.admit",
        "domain.limits.BODY_MAX_BYTES",
        "actors.runtime.StreamKind",
    ):
        assert place_of(name) is not None, name
    for name in ("gateway.guarded.read_nothing", "gateway.gate.admit", "nowhere.at.all", "gateway"):
        assert place_of(name) is None, name


def test_tests_are_found_by_name_and_cases_by_path() -> None:
    assert place_of_test("test_there_are_routes") is not None
    assert place_of_test("spec/test_every_route.py::test_there_are_routes") is not None
    assert place_of_test("corpus/turns/test_context.yaml") is not None
    assert place_of_test("test_of_nothing_at_all") is None
    assert place_of_test("corpus/turns/of_nothing.yaml") is None


@pytest.mark.parametrize(
    "entry",
    [
        KEPT._replace(by=("gateway.nothing",)),
        KEPT._replace(tests=("test_of_nothing_at_all",)),
        KEPT._replace(tests=()),
        KEPT._replace(by=()),
        KEPT._replace(later="some day"),
        Entry("1.1", ("A", "B")),
    ],
    ids=["no function", "no test", "untested", "unkept", "kept and later", "nothing said"],
)
def test_a_dead_link_and_an_empty_entry_are_told(entry: Entry) -> None:
    assert problems([entry])


def test_statements_without_an_entry_and_entries_without_a_statement_are_told() -> None:
    statements = [Item("1.1", "Wrong types are rejected."), Item("1.1", "Methods: 405."), Item("2.2", "Elsewhere.")]
    assert uncovered([KEPT], statements) == ["1.1: nothing maps 'Methods: 405.'", "2.2: nothing maps 'Elsewhere.'"]
    assert uncovered([KEPT._replace(says=("Right types",))], statements[:1]) == [
        "1.1: nothing maps 'Wrong types are rejected.'",
        "1.1: the specification does not say 'Right types'",
    ]
    assert uncovered([Entry("1.1", ("*",), later="voice")], statements[:2]) == []
    assert uncovered([Entry("1", ("*",), later="voice")], statements[:2]) == [], "with the sections below it"


def test_the_same_statement_elsewhere_is_kept_and_tested_in_the_same_place() -> None:
    known, again = KEPT, Entry("15", ("types |",), same=("1.1: Wrong types are rejected",))
    assert resolved([again, known])[0] == again._replace(by=KEPT.by, tests=KEPT.tests, same=())
    unknown = resolved([again._replace(same=("1.1: Right types",)), known])
    assert "15 'types |': nothing is mapped at '1.1: Right types'" in problems(unknown)
    later = resolved([again, Entry("1.1", ("Wrong types are rejected",), later="voice")])[0]
    assert (later.later, later.by) == ("voice", ())


def test_a_test_that_asserts_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "test_idle.py"
    place.write_text("def test_idle() -> None:\n    print(1)\n", encoding="utf-8")
    monkeypatch.setattr(generate_spec_map, "test_place", lambda _name: place)
    assert problems([KEPT._replace(tests=("test_idle",))]) == ["test_idle asserts nothing"]


def test_parts_are_summed_up_apart_and_sections_stand_in_order() -> None:
    told = [KEPT._replace(section=one) for one in ("seed 2 Agent", "10.1", "2.1", "seed 1")]
    lines = written(told).splitlines()
    headings = [line.removeprefix("## ").strip() for line in lines if line.startswith("## ")]
    assert [one.partition(" ")[0] for one in headings] == ["2.1", "10.1", "Seed", "Seed"]
    assert headings[2:] == ["Seed 1", "Seed 2 Agent"]
    assert any(line.startswith("- the platform API: 2 statements") for line in lines)
    assert any(line.startswith("- the seed: 2 statements") for line in lines)
    assert number_of_assertions(told) == 2, "each place once"


def test_a_row_says_where_to_look() -> None:
    text = written([KEPT, Entry("1.2", ("a | b",), later="voice")])
    assert "[`gateway.guarded.read_body`](../gateway/guarded.py)" in text
    assert "| a \\| b | later: voice |" in text
    assert "1 statements are kept and tested, 0 have nothing to keep" in text
