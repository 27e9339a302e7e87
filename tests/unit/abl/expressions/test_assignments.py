"""SET: several assignments in one text. Spec: 6.2."""

from __future__ import annotations

import pytest

from abl.expressions import parse_assignments
from abl.expressions.faults import apply


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('kind = "a"', [("kind", '"a"')]),
        ("a = 1, b.c = 2 ,d=3", [("a", "1"), ("b.c", "2"), ("d", "3")]),
        ('a = "x, b = 1", c = [1, 2]', [("a", '"x, b = 1"'), ("c", "[1, 2]")]),
        ("a = MAX(1, 2), b = f(c = 1)", [("a", "MAX(1, 2)"), ("b", "f(c = 1)")]),
        ("msg = Hello, how are you", [("msg", "Hello, how are you")]),
        ("a = b == c", [("a", "b == c")]),
        ("a = x, y == 2", [("a", "x, y == 2")]),
        ("user.name = input", [("user.name", "input")]),
    ],
)
def test_assignments_are_split_at_top_level_commas(text: str, expected: list[tuple[str, str]]) -> None:
    found = parse_assignments(text)
    assert found.faults == ()
    assert [(one.target, one.expression) for one in found.items] == expected


def test_an_assignment_knows_its_places() -> None:
    (first, second) = parse_assignments(" a = 1, bb =  two ").items
    assert (first.target_start, first.start, first.length) == (1, 5, 1)
    assert (second.target_start, second.start, second.length) == (8, 14, 3)


@pytest.mark.parametrize(
    ("text", "detail", "mended"),
    [
        ("a == 1", "does not assign", "a = 1"),
        ("a: 1", "does not assign", "a = 1"),
        ("a := 1", "does not assign", "a = 1"),
        ("a -> 1", "does not assign", "a = 1"),
        ("a += 1", "does not assign", "a = a + 1"),
        ("a =", "a value is missing", None),
        ("a..b = 1", "is no name", None),
        ("hello", "name = value", None),
        ("", "an assignment is missing", None),
    ],
)
def test_what_assigns_nothing_is_a_fault(text: str, detail: str, mended: str | None) -> None:
    found = parse_assignments(text)
    (fault,) = found.faults
    assert found.items == ()
    assert fault.code == "INVALID_SET"
    assert detail in fault.arguments["detail"]
    assert (apply(text, fault.fix) if fault.fix else None) == mended


def test_good_assignments_beside_a_bad_one_are_kept() -> None:
    found = parse_assignments("a = 1, b =, c = 3")
    assert [one.target for one in found.items] == ["a", "b"] or [one.target for one in found.items] == ["a", "c"]
    assert parse_assignments(7).faults[0].code == "INVALID_SET"
