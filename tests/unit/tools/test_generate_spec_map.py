from __future__ import annotations

import sys

import pytest

from tools import generate_spec_map
from tools.generate_spec_map import Entry, entries, place_of, problems, uncovered, written
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
    assert uncovered([KEPT], statements) == ["1.1: nothing maps 'Methods: 405.'"]
    assert uncovered([KEPT._replace(says=("Right types",))], statements[:1]) == [
        "1.1: nothing maps 'Wrong types are rejected.'",
        "1.1: the specification does not say 'Right types'",
    ]
    assert uncovered([Entry("1.1", ("*",), later="voice")], statements) == []


def test_a_row_says_where_to_look() -> None:
    text = written([KEPT, Entry("1.2", ("a | b",), later="voice")])
    assert "[`gateway.guarded.read_body`](../gateway/guarded.py)" in text
    assert "| a \\| b | later: voice |" in text
    assert "1 statements are kept and tested, 0 have nothing to keep" in text
