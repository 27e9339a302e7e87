"""What completion offers, place by place."""

from __future__ import annotations

import pytest

from abl.editor import Suggestion, completion
from tests.support.cursor_texts import HEAD, scene

TOOLS = 'TOOLS:\n  find(code: string, region: string = "EU") -> {status: string, hub: string}\n    description: "Looks it up"\n'
AGENT = HEAD + TOOLS + (
    'MEMORY:\n  session:\n    - NAME: counter\n      INITIAL: 0\nTEMPLATES:\n  card: "hi"\nRETURN_HANDLERS:\n  back:\n'
    "    CONTINUE: true\nFLOW:\n  one:\n    REASONING: false\n    CALL: find(code) AS parcel\n    THEN: two\n"
)  # fmt: skip
OTHERS = {"agents/cards.abl": "AGENT: Cards\nGOAL: y\nDESCRIPTION: Blocks cards\n"}


def offered(text: str, *, after: str = AGENT) -> dict[str, Suggestion]:
    return {one.label: one for one in completion(*scene(after + text, OTHERS))}


def labels(text: str, *, after: str = AGENT) -> list[str]:
    return list(offered(text, after=after))


def test_an_empty_text_may_become_an_agent() -> None:
    found = offered("^", after="")
    assert {"AGENT", "SUPERVISOR", "TOOLS", "BEHAVIOR_PROFILE"} <= set(found)
    assert found["AGENT"].snippet.startswith("AGENT: ${1:")


def test_sections_at_the_start_of_a_line_without_those_present() -> None:
    found = labels("^")
    assert "HANDOFF" in found
    assert "GOAL" not in found
    assert "TOOLS" in found  # may stand several times
    assert "AGENT" not in found
    assert "MODE" not in found
    assert labels("PERS^") == ["PERSONA"]


def test_a_profile_has_sections_of_its_own() -> None:
    found = labels("^", after="BEHAVIOR_PROFILE: p\nPRIORITY: 1\n")
    assert "WHEN" in found
    assert "PRIORITY" not in found
    assert "HANDOFF" not in found


def test_properties_of_the_enclosing_node_minus_those_present() -> None:
    found = offered("  two:\n    REASONING: false\n    ^\n    THEN: x\n")
    assert {"RESPOND", "CALL", "ON_INPUT"} <= set(found)
    assert not {"THEN", "REASONING", "COLLECT", "entry_point"} & set(found)
    assert found["ON_INPUT"].snippet == "ON_INPUT:\n  - IF: ${1:condition}\n    THEN: ${2:step}$0"
    assert "Branches on the next user message" in found["ON_INPUT"].documentation
    assert labels("  two:\n    ON_I^")[0] == "ON_INPUT"


def test_only_the_key_where_the_colon_stands_already() -> None:
    assert offered("  two:\n    RESP^: x\n")["RESPOND"].snippet == "RESPOND"


def test_wrapped_properties_only_within_their_wrapper() -> None:
    assert labels("HANDOFF:\n  - TO: Cards\n    CONTEXT:\n      ^") == [
        "pass",
        "summary",
        "memory_grants",
        "history",
        "set",
    ]
    assert "pass" not in labels("HANDOFF:\n  - TO: Cards\n    ^")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  two:\n    THEN: ^", ["one", "two", "COMPLETE", "ESCALATE"]),
        ("  two:\n    REASONING: ^", ["true", "false"]),
        ("  two:\n    AVAILABLE_TOOLS: [^]", ["find"]),
        ("  two:\n    AVAILABLE_TOOLS:\n      - ^", ["find"]),
        ("  two:\n    RESPOND: TEMP^", ["TEMPLATE(card)"]),
        ("  two:\n    SET: c^", ["counter", "parcel"]),
        ("  two:\n    ON_INPUT:\n      - ^", ["IF", "ELSE"]),
        ("  two:\n    CHECK: parcel.^", ["parcel.status", "parcel.hub"]),
        ("  two:\n    CALL: find\n      WITH:\n        ^", ["code", "region"]),
        ("HANDOFF:\n  - TO: ^", ["Desk", "Cards"]),
        ("HANDOFF:\n  - TO: Cards\n    ON_RETURN:\n      HANDLER: ^", ["back"]),
        ("HANDOFF:\n  - TO: Cards\n    HISTORY^", []),
        ("GUARDRAILS:\n  a:\n    kind: ^", ["input", "output", "both", "tool_input", "tool_output", "handoff"]),
        ("CONSTRAINTS:\n  - ^", ["REQUIRE", "WARN", "LIMIT", "RESTRICT"]),
        ("HOOKS:\n  ^", ["before_agent", "after_agent", "before_turn", "after_turn"]),
        ("DELEGATE:\n  ^", ["- AGENT"]),
        ("EXECUTION:\n  models:\n    ext^", ["extraction"]),
        ("CONVERSATION:\n  speaking:\n    readback:\n      ^", ["numbers", "codes", "critical_details"]),
        ("  two:\n    ACTIONS:\n      - ^", ["BUTTON", "SELECT", "INPUT"]),
        ('  two:\n    RESPOND: "{{ code | up^', ["upper"]),
    ],
)  # fmt: skip
def test_values_fit_their_property(text: str, expected: list[str]) -> None:
    assert labels(text) == expected


def test_formulas_take_variables_functions_and_operators() -> None:
    found = offered("  two:\n    CHECK: ^")
    assert list(found)[:2] == ["counter", "parcel"]
    assert {"UPPER", "CONTAINS", "IS SET", "input", "true"} <= set(found)
    assert found["UPPER"].snippet == "UPPER(${1:text})$0"
    assert "capital letters" in found["UPPER"].documentation
    assert "result of find" in found["parcel"].detail


def test_a_call_brings_its_parameters() -> None:
    found = offered("  two:\n    CALL: ^")
    assert found["find"].snippet.startswith("find(${1:code}")
    assert "Looks it up" in found["find"].documentation


def test_steps_that_are_named_but_not_written_come_first() -> None:
    found = offered("  ^")
    assert next(iter(found)) == "two"
    assert "REASONING" in found["two"].snippet


def test_a_field_of_the_agent_may_be_asked_in_a_step() -> None:
    after = HEAD + "GATHER:\n  code:\n    type: string\nFLOW:\n"
    assert "code" in labels("  s:\n    GATHER:\n      - ^", after=after)
    assert labels("  s:\n    GATHER: ^", after=after) == ["code"]


def test_what_is_replaced_is_the_word_before_the_cursor() -> None:
    workspace, path, offset = scene(AGENT + "  two:\n    THEN: on^")
    found = completion(workspace, path, offset)
    assert [(one.label, one.offset, one.length) for one in found] == [("one", offset - 2, 2)]


def test_better_beginnings_come_first() -> None:
    assert labels("  two:\n    WHEN^")[0] == "WHEN"


def test_yaml_and_unknown_files_have_no_suggestions() -> None:
    assert labels("^", after="agent: A\n") == []
    workspace, _, _ = scene("^")
    assert completion(workspace, "elsewhere", 0) == []
