from __future__ import annotations

import pytest

from abl.compiler.conditions import facts_of, is_always


def test_variables_stand_once_in_the_order_of_the_text() -> None:
    assert facts_of("b > 1 AND a.c == b OR NOT d").variables == ("b", "a.c", "d")


def test_operators_are_known() -> None:
    facts = facts_of("a AND b OR c")
    assert (facts.has_and, facts.has_or, facts.is_choice) == (True, True, False)
    assert facts_of("a ? b : c").is_choice is True


def test_patterns_are_found() -> None:
    assert facts_of(r'a MATCHES "\d+" OR matches_pattern(b, "x*")').patterns == (r"\d+", "x*")
    assert facts_of("a MATCHES b").patterns == ()


@pytest.mark.parametrize(
    ("condition", "intents"),
    [
        ('intent.category == "a"', ("a",)),
        ('"a" == user.intent', ("a",)),
        ('intent IN ["a", "b", c]', ("a", "b")),
        ('NOT (intent == "a") AND x', ("a",)),
        ('intent.confidence == "a"', ()),
        ('intent CONTAINS "a"', ()),
    ],
)
def test_texts_compared_with_the_intent(condition: str, intents: tuple[str, ...]) -> None:
    assert facts_of(condition).intents == intents


@pytest.mark.parametrize("condition", ["true", "TRUE", "always", "*", "", " true "])
def test_conditions_that_hold_by_their_text(condition: str) -> None:
    assert is_always(condition)


@pytest.mark.parametrize("condition", ["false", "x", "true AND x"])
def test_other_conditions_do_not(condition: str) -> None:
    assert not is_always(condition)
