"""What hover says."""

from __future__ import annotations

import pytest

from abl.editor import hover
from abl.editor.describe import property_text
from abl.syntax.node import NODES
from tests.support.cursor_texts import HEAD, scene

TEXT = HEAD + (
    'TOOLS:\n  find(code: string) -> {status: string}\n    description: "Looks it up"\n    parameters:\n      code:\n'
    '        description: "Two letters"\nGATHER:\n  code:\n    type: email\n    prompt: "Which?"\nFLOW:\n  s:\n    REASONING: false\n'
    '    CALL: find(code) AS parcel\n    SET: n = UPPER(code)\n    THEN: t\n  t:\n    REASONING: true\n    GOAL: "Talk"\n'
)  # fmt: skip


def said(before: str, after: str = "") -> tuple[str, str]:
    """Return what hover says between two texts, and what it is about."""
    at = TEXT.index(before + after) + len(before)
    workspace, path, offset = scene(TEXT[:at] + "^" + TEXT[at:])
    found = hover(workspace, path, offset)
    return (found.text, TEXT[found.offset : found.offset + found.length]) if found is not None else ("", "")


@pytest.mark.parametrize(
    ("before", "after", "about", "words"),
    [
        ("CALL: fi", "nd", "find", ["find(code: string) -> {status: string}", "Looks it up", "`code`: Two letters"]),
        ("CALL: find(c", "ode", "code", ["code", "Field of type `email`", "Which?", "3 places"]),
        ("THEN: ", "t", "t", ["step", "Reasoning zone", "Goal: Talk"]),
        ("AS par", "cel", "parcel", ["Result of `find`"]),
        ("n = UP", "PER", "UPPER", ["UPPER(text)", "capital letters"]),
        ("    REA", "SONING: false", "REASONING", ["true or false", "the model drives"]),
        ("    type: em", "ail", "email", ["Type of the value", "`string`"]),
        ("GOA", "L: x", "GOAL", ["What the agent has to reach"]),
        ("AGENT: De", "sk", "Desk", ["agent"]),
    ],
)
def test_hover_tells_what_a_thing_is(before: str, after: str, about: str, words: list[str]) -> None:
    text, shown = said(before, after)
    assert shown == about
    for word in words:
        assert word in text


def test_plain_text_has_nothing_to_say() -> None:
    assert said("GOAL: ", "x") == ("", "")


def test_every_property_can_be_described() -> None:
    for cls in NODES.values():
        for row in cls.PROPS:
            assert row.doc in property_text(cls, row)
