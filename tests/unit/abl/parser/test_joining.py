"""Texts that go on over the next lines. Spec: abl-language 1.2, 1.4."""

import pytest

import abl
from abl.parser.joining import carries_on, is_closed
from abl.syntax.coordination import Handoff


@pytest.mark.parametrize(
    ("line", "goes_on"),
    [
        ("AND b == 2", True),
        ('label == "a: b"', True),
        ("https://a.example/b", True),
        ("b: 2", False),
        ("- b", False),
        ("-b", True),
        ("WHEN b", False),
        ("CONTAINS b", True),
        ("SUMMRY b", False),
        ("ELSE: b", False),
        ('"b": 1', False),
    ],
)
def test_neither_an_item_nor_a_property_carries_a_text_on(line, goes_on):
    assert carries_on(Handoff, line) is goes_on


@pytest.mark.parametrize(("text", "closed"), [('"a"', True), ('"a" == "b"', False), ('"', False), ("", False)])
def test_a_text_is_closed_by_the_quotes_it_opens_with(text, closed):
    assert is_closed(text) is closed


def test_a_closed_text_is_not_carried_on(read):
    (case,) = read.under("COMPLETE", '- WHEN: a\n  RESPOND: "Fine"\n    and over   #! UNEXPECTED_NESTING').complete
    assert case.respond == "Fine\nand over"


def test_a_word_in_capitals_is_a_property_that_lacks_its_colon(read):
    (case,) = read.under("COMPLETE", '- WHEN: a == 1\n  RESPOND "x"   #! PROPERTY_MISSING_COLON').complete
    assert (case.when, case.respond) == ("a == 1", "x")


def test_a_sentence_may_go_on_with_the_word_of_a_property(read):
    (rule,) = read.under("CONSTRAINTS", "- Never share data   #! CONSTRAINT_PLAIN_ITEM\n    when asked").constraints
    assert (rule.text, rule.when) == ("Never share data when asked", "")


def test_an_assignment_ends_where_the_next_begins(read):
    step = read.step("SET: a = 1 +\n  2\n  b = 3\nTHEN: COMPLETE")
    assert [(one.variable, one.expression) for one in step.set] == [("a", "1 + 2"), ("b", "3")]


@pytest.mark.parametrize("body", ["[a, b]", "[\n  a,\n  b\n]", "[a,\n b]"])
def test_a_list_may_open_below_its_key(read, body):
    indented = body.replace("\n", "\n    ")
    assert read.step(f"CLEAR:\n    {indented}").clear == ["a", "b"]


@pytest.mark.parametrize("body", ['"Help people"', "Help people\n  # a note", "// a note\n  Help people"])
def test_a_text_below_its_key_has_neither_quotes_nor_comments(read, body):
    assert read.raw(f"AGENT: A\nGOAL:\n  {body}\n").goal == "Help people"


def test_a_condition_may_go_on_over_any_number_of_lines():
    text = "AGENT: A\nGOAL: g\nCOMPLETE:\n  - WHEN: a == 1\n" + "      AND b == 2\n" * 20_000
    (case,) = abl.parse(text).document.complete
    assert case.when.count("AND") == 20_000
