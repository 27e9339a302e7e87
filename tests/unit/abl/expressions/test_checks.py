"""Checks of guardrails: a condition is one in quotes too, a sentence goes to a model, nothing is read as neither."""

from __future__ import annotations

import pytest

from abl.expressions.checks import read_check


@pytest.mark.parametrize(
    ("written", "condition"),
    [
        ("\"abl.matches_pattern(input, '(?i)acme travel')\"", "abl.matches_pattern(input, '(?i)acme travel')"),
        ('"input contains "foo bar""', 'input contains "foo bar"'),
        ("'contains_pii(input)'", "contains_pii(input)"),
        ('"a" == "b"', '"a" == "b"'),
        ('"is_flagged"', "is_flagged"),
        ("rude", "rude"),
    ],
)
def test_an_expression_is_a_condition_in_quotes_too(written: str, condition: str) -> None:
    assert read_check(written).condition == condition
    assert not read_check(written).problem


@pytest.mark.parametrize(
    "written", ['"The text is rude"', "The text is rude", '"rude"', '"Names O\'Neill (or others)"']
)
def test_words_are_for_a_model(written: str) -> None:
    found = read_check(written)
    assert found.sentence == written.strip('"')
    assert not found.condition


@pytest.mark.parametrize(
    "written",
    [
        '"abl.is_rude(input)"',
        "input MATCHES '(['",
        "\"matches_pattern(input, '(')\"",
        "length(input) > 5 and then more",
        '"x',
    ],
)
def test_what_is_neither_is_a_problem(written: str) -> None:
    assert read_check(written).problem


def test_the_patterns_of_a_condition_are_known_however_it_looks_for_them() -> None:
    assert read_check("input MATCHES 'a+' OR matches_pattern(input, 'b')").patterns == ["a+", "b"]
