"""Spelling suggestions find what a person would have meant, and nothing when there is nothing near."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl.diagnostics.suggest import MAX_WORD_CHARS, closest, distance, ranked

SECTIONS = (
    "AGENT SUPERVISOR GOAL GATHER TOOLS FLOW DESCRIPTION PERSONA MEMORY CONSTRAINTS GUARDRAILS HANDOFF DELEGATE "
    "ESCALATE COMPLETE ON_START ON_ERROR RETURN_HANDLERS ENTITIES INTENTS LIMITATIONS"
).split()
PROPERTIES = ["prompt", "type", "required", "default", "retry_prompt", "max_retries", "depends_on"]
STEPS = ["greet", "collect", "lookup", "done"]


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("GAHTER", SECTIONS, "GATHER"),
        ("AGNET", SECTIONS, "AGENT"),
        ("TOOL", SECTIONS, "TOOLS"),
        ("ENTITY", SECTIONS, "ENTITIES"),
        ("ONSTART", SECTIONS, "ON_START"),
        ("on-error", SECTIONS, "ON_ERROR"),
        ("On Start", SECTIONS, "ON_START"),
        ("goal", SECTIONS, "GOAL"),
        ("GOALS", SECTIONS, "GOAL"),
        ("HANDOFFS", SECTIONS, "HANDOFF"),
        ("DESC", SECTIONS, "DESCRIPTION"),
        ("RETURN_HANDLER", SECTIONS, "RETURN_HANDLERS"),
        ("LIMITATOINS", SECTIONS, "LIMITATIONS"),
        ("DESCRIPTIONTEXT", SECTIONS, "DESCRIPTION"),
        ("requried", PROPERTIES, "required"),
        ("Required", PROPERTIES, "required"),
        ("max-retrys", PROPERTIES, "max_retries"),
        ("promt", PROPERTIES, "prompt"),
        ("retryprompt", PROPERTIES, "retry_prompt"),
        ("dependson", PROPERTIES, "depends_on"),
        ("great", STEPS, "greet"),
        ("look_up", STEPS, "lookup"),
    ],
)
def test_a_slip_of_the_pen_finds_the_word_that_was_meant(word, candidates, expected):
    assert closest(word, candidates) == expected


@pytest.mark.parametrize("word", ["", "___", "XYZ", "MEM", "weather", "q", "A" * (MAX_WORD_CHARS + 1)])
def test_a_word_that_is_near_nothing_finds_nothing(word):
    assert closest(word, SECTIONS) is None


def test_no_candidates_give_no_suggestion():
    assert closest("GOAL", []) is None


def test_a_prefix_counts_only_when_it_is_the_only_one_and_long_enough():
    assert closest("DEFA", ["default_value", "default_language"]) is None
    assert closest("DEF", ["default_value"]) is None
    assert closest("DEFA", ["default_value", "type"]) == "default_value"


def test_the_nearest_comes_first_and_a_tie_goes_to_the_same_first_letter():
    assert ranked("cart", ["part", "card", "carts"]) == ["carts", "card", "part"]


def test_no_more_than_the_limit_is_returned():
    assert len(ranked("item1", [f"item{n}" for n in range(2, 9)], limit=2)) == 2


def test_candidates_may_be_any_iterable_and_repeat():
    assert ranked("goel", iter(["goal", "goal"])) == ["goal"]


def test_swapped_letters_are_one_step_and_the_bound_is_kept():
    assert distance("gahter", "gather", 2) == 1
    assert distance("abcd", "abcd", 0) == 0
    assert distance("kitten", "sitting", 3) == 3
    assert distance("kitten", "sitting", 2) == 3
    assert distance("short", "a much longer word", 2) == 3


def test_a_very_long_list_of_candidates_stays_cheap():
    assert closest("needle_name", (f"something_else_{n}" for n in range(10_000_000))) is None


def by_table(left, right):
    """Return the distance as its definition has it: a table of all pairs of beginnings."""
    rows = [[max(i, j) if not i or not j else 0 for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            same = left[i - 1] == right[j - 1]
            steps = [rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (not same)]
            if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
                steps.append(rows[i - 2][j - 2] + 1)
            rows[i][j] = min(steps)
    return rows[-1][-1]


@given(st.text("abc", max_size=9), st.text("abc", max_size=9), st.integers(0, 9))
def test_the_distance_is_that_of_the_definition(left, right, limit):
    assert distance(left, right, limit) == min(by_table(left, right), limit + 1)
