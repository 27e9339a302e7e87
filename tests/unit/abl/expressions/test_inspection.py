"""What an expression mentions."""

from __future__ import annotations

from abl.expressions import functions, parse_condition, variables, walk


def test_variables_are_listed_once_in_the_order_of_the_text() -> None:
    node = parse_condition('b.c > 1 AND UPPER(a) == "{{d | lower}}" AND (b.c ? items[0].x : [e])')
    assert variables(node) == ["b.c", "a", "d", "items.0.x", "e"]


def test_functions_are_listed_as_they_are_spelled() -> None:
    node = parse_condition('Upper(abl.word_count(a)) == "{{d | lower}}" AND Upper(b) IS SET')
    assert functions(node) == ["Upper", "abl.word_count", "LOWER"]


def test_a_walk_visits_every_node() -> None:
    assert [one.kind for one in walk(parse_condition("NOT a OR 1"))] == [
        "binary",
        "unary",
        "variable",
        "number",
    ]
