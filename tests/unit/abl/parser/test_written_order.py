"""CLEAR below what is called and said: in the tree, in both printed forms, and in the IR."""

from __future__ import annotations

import pytest

import abl
from abl.compiler import compile_documents
from abl.compiler.places import Unit
from abl.syntax.document import Document
from abl.syntax.steps import Branch

STEP = """\
AGENT: Desk
GOAL: "Help"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    ON_INPUT:
      - IF: input == "x"
{lines}
        THEN: ask
      - ELSE:
        THEN: COMPLETE
"""


def document_of(*lines: str) -> Document:
    parsed = abl.parse(STEP.format(lines="\n".join(f"        {line}" for line in lines)))
    assert parsed.document is not None
    assert parsed.errors == []
    return parsed.document


def branch_of(document: Document) -> Branch:
    assert document.flow is not None
    assert document.flow.steps is not None
    return document.flow.steps[0].on_input[0]


def ir_of(document: Document) -> dict[str, object]:
    output = compile_documents([Unit(document)]).output
    found: dict[str, object] = output["agents"]["Desk"]["flow"]["definitions"]["ask"]["on_input"][0]
    return {key: found[key] for key in ("clear", "clear_last") if key in found}


@pytest.mark.parametrize(
    ("lines", "ir"),
    [
        (["RESPOND: 'Not on {{day}}.'", "CLEAR: [day, note]"], {"clear": ["note"], "clear_last": ["day"]}),
        (["RESPOND: 'Not on {{day.name}}.'", "CLEAR: day.name"], {"clear_last": ["day.name"]}),
        (["RESPOND: 'So.'", "CLEAR: day"], {"clear": ["day"]}),
        (["RESPOND: |", "  On {{day}}", "  so", "CLEAR: day"], {"clear_last": ["day"]}),
        (["CALL: book(day)", "CLEAR: [day, note]"], {"clear_last": ["day", "note"]}),
        (["MESSAGE_KEY: done", "CLEAR: day"], {"clear_last": ["day"]}),
        (["CALL: book(day)", "RESPOND: 'So.'", "CLEAR: day", "CLEAR: note"], {"clear_last": ["day", "note"]}),
    ],
)
def test_a_clear_below_all_that_is_called_and_said_is_done_last(lines: list[str], ir: dict[str, object]) -> None:
    document = document_of(*lines)
    assert branch_of(document).clears_last
    assert ir_of(document) == ir
    for form in ("abl", "yaml"):
        again = abl.parse(abl.serialize(document, form)).document
        assert again is not None
        assert again.flow == document.flow
        assert ir_of(again) == ir


@pytest.mark.parametrize(
    "lines",
    [
        ["CLEAR: day", "RESPOND: 'Not on {{day}}.'"],
        ["RESPOND: 'Not on {{day}}.'", "CLEAR: day", "CALL: book(note)"],
        ["CLEAR: note", "RESPOND: 'Not on {{day}}.'", "CLEAR: day"],
        ["CLEAR: day"],
    ],
)
def test_any_other_clear_is_done_first(lines: list[str]) -> None:
    document = document_of(*lines)
    assert not branch_of(document).clears_last
    assert "clear_last" not in ir_of(document)
    for form in ("abl", "yaml"):
        again = abl.parse(abl.serialize(document, form)).document
        assert again is not None
        assert again.flow == document.flow


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        (["CLEAR: day", "RESPOND: '{{#if day}}On {{day}}{{/if}}'"], ["CLEARED_BEFORE_IT_IS_READ"]),
        (["RESPOND: 'On {{day}}.'", "CLEAR: day", "CALL: book(note)"], ["CLEARED_BEFORE_IT_IS_READ"]),
        (["CLEAR: day", "CALL: book(day)"], ["CLEARED_BEFORE_IT_IS_READ"]),
        (["CLEAR: day", "CALL: next() AS day", "RESPOND: '{{day}}'"], []),
        (["RESPOND: 'On {{day}}.'", "CLEAR: day"], []),
        (["CLEAR: day", "RESPOND: 'On {{note}}.'"], []),
        (["CLEAR: day", "SET: day = 1"], ["CLEARED_AFTER_SET"]),
        (["SET: day = 1", "SET: note = day", "CLEAR: day"], []),
        (["RESPOND: 'On {{day}}.'", "SET: day = 1"], ["SET_BEFORE_IT_IS_READ"]),
        (["CALL: book(day)", "SET: day = 1"], ["SET_BEFORE_IT_IS_READ"]),
        (["CALL: book(note) AS day", "SET: day = day + 1", "RESPOND: '{{day}}'"], []),
        (["SET: day = 1", "RESPOND: 'On {{day}}.'"], []),
        (["RESPOND: 'On {{note}}.'", "SET: day = 1"], []),
    ],
)
def test_what_reads_otherwise_than_it_is_done_is_told(lines: list[str], codes: list[str]) -> None:
    told = {"CLEARED_BEFORE_IT_IS_READ", "CLEARED_AFTER_SET", "SET_BEFORE_IT_IS_READ"}
    parsed = abl.parse(STEP.format(lines="\n".join(f"        {line}" for line in lines)))
    assert [one.code for one in parsed.warnings if one.code in told] == codes


@pytest.mark.parametrize(
    ("lines", "says_first", "say_after"),
    [
        (["CALL: book(day)", "RESPOND: 'So.'"], False, "book"),
        (["CALL: book(day) AS b", "RESPOND: 'So {{b.id}}.'"], False, "book"),
        (["CALL: book(day)", "MESSAGE_KEY: done"], False, "book"),
        (["RESPOND: 'So.'", "CALL: book(day)"], True, None),
        (["CALL: book(day) AS b", "RESPOND: 'Why: {{b.error}}'"], False, None),
        (["CALL: book(day) AS b", "RESPOND: '{{#if b.id}}So.{{/if}}'"], False, None),
        (["CALL: book(day) AS b", "RESPOND: '{{#if vip}}So.{{/if}}'"], False, "book"),
        (["RESPOND: 'So.'"], False, None),
    ],
)
def test_words_below_a_call_are_of_it(lines: list[str], says_first: bool, say_after: str | None) -> None:
    document = document_of(*lines)
    assert branch_of(document).says_first is says_first
    for form in ("", "abl", "yaml"):
        again = abl.parse(abl.serialize(document, form)).document if form else document
        assert again is not None
        assert again.flow == document.flow
        output = compile_documents([Unit(again)]).output
        branch = output["agents"]["Desk"]["flow"]["definitions"]["ask"]["on_input"][0]
        assert branch.get("say_after") == say_after
