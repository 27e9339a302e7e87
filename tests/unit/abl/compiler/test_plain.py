from __future__ import annotations

import datetime as dt

import pytest

from abl.compiler.plain import MAX_NESTING, is_absent, mapping, merged, number, only, plain, text, texts, written
from abl.syntax.gather import GatherField
from abl.syntax.memory import Recall


@pytest.mark.parametrize(
    ("value", "made"),
    [
        ({1: (2, None)}, {"1": [2, None]}),
        (float("nan"), None),
        (float("-inf"), None),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (Recall(event="x"), {"event": "x"}),
    ],
)
def test_anything_becomes_json(value: object, made: object) -> None:
    assert plain(value) == made


def test_nesting_is_cut() -> None:
    deep: object = 1
    for _ in range(MAX_NESTING * 3):
        deep = [deep]
    assert str(plain(deep)).count("[") == MAX_NESTING


def test_false_and_zero_are_values() -> None:
    assert [is_absent(one) for one in (None, "", [], {}, 0, False, 0.0)] == [True] * 4 + [False] * 3
    assert written([("a", 0), ("b", ""), ("c", [])]) == {"a": 0}


def test_wrong_types_give_nothing() -> None:
    assert (text(3), text(True), text([1]), text(None)) == ("3", "true", "", "")
    assert (number("3"), number(True), number(2.5)) == (None, None, 2.5)
    assert (texts("ab"), texts(["a", 1]), mapping([1]), mapping({"a": 1})) == ([], ["a", "1"], {}, {"a": "1"})
    assert only(Recall, [Recall(), None, 3]) == [Recall()]
    assert only(Recall, None) == []


def test_merging_takes_the_first_that_is_written() -> None:
    made = merged(GatherField, GatherField(name="a", required=False), GatherField(name="b", required=True, prompt="p"))
    assert (made.name, made.required, made.prompt) == ("a", False, "p")
