"""Unindented sentences between or after the sections. Spec: abl-language 1.2, 3.0."""

import pytest

from abl.parser.lines import scan
from abl.parser.prose import drop_prose, is_prose
from abl.parser.scribe import Scribe
from abl.source import Source


@pytest.mark.parametrize(
    "text",
    [
        "Here is your agent.",
        "Let me know if you need changes.",
        "-- Sent from my phone --",
        "Note that this is a draft",
    ],
)
def test_a_sentence_is_prose(text):
    assert is_prose(text)


@pytest.mark.parametrize(
    "text",
    [
        "GOAL help people",
        "GOAL: Help people find parcels",
        "ask_code:",
        "X_MY SECTION: a b c",
        "USE BEHAVIOR_PROFILE: phone",
        "TEMPLATE card: a b c",
        'FROM "a" USE: b, c',
        "ask -> look -> done",
        "find(a: string, b: string) -> any",
        "- a b c",
        "a = b + c",
        "two words",
    ],
)
def test_what_may_belong_to_the_document_is_no_prose(text):
    assert not is_prose(text)


@pytest.mark.parametrize("place", ["before", "between", "after"])
def test_a_run_of_sentences_is_left_out_with_one_warning(read, place):
    prose = "Here is what you asked for.\nIt has two lines, I think.\n"
    parts = {"before": (prose, "", ""), "between": ("", prose, ""), "after": ("", "", prose)}[place]
    document = read.raw(f"{parts[0]}AGENT: Desk\nGOAL: Help\n{parts[1]}PERSONA: Calm\n{parts[2]}")
    assert [one.code for one in read.findings] == ["TEXT_OUTSIDE_SECTION"]
    assert read.span("TEXT_OUTSIDE_SECTION") == "Here is what you asked for."
    assert (document.name, document.goal, document.persona) == ("Desk", "Help", "Calm")


def test_what_is_nested_under_a_sentence_does_not_land_in_the_section_before_it(read):
    document = read.raw("AGENT: Desk\nGOAL: Help\nThese are your options now\n  one: a\n  two: b\nPERSONA: Calm\n")
    assert [one.code for one in read.findings] == ["TEXT_OUTSIDE_SECTION"]
    assert (document.goal, document.persona) == ("Help", "Calm")


def test_a_text_of_nothing_but_sentences_is_not_thrown_away(read):
    assert read.raw("Here is what you asked for.\n") is None
    assert [one.code for one in read.findings] == ["UNDETECTED_TYPE"]


@pytest.mark.parametrize(
    ("text", "roots", "kept"),
    [
        ("AGENT: A\nGOAL: x\n  more\n", [0, 1], ["AGENT: A", "GOAL: x", "more"]),
        ("AGENT: A\nHere is your agent.\n  - or so\nGOAL: x\n", [0, 1], ["AGENT: A", "GOAL: x"]),
    ],
)
def test_the_unindented_lines_that_are_left_are_returned(text, roots, kept):
    scribe = Scribe(scan(Source(text)))
    assert drop_prose(scribe) == roots
    assert scribe.texts == kept
