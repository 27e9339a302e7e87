from __future__ import annotations

import pytest

HANDOFF = "HANDOFF:\n  - TO: Claims\n    WHEN: a == 1\n  - TO: Claims\n    WHEN: a == 2\n"
DELEGATE = "DELEGATE:\n  - AGENT: Rates\n"
COMPLETE = "COMPLETE:\n  - WHEN: a == 1\n"
GATHER = "GATHER:\n  code:\n    prompt: Code?\n"
TRIGGERS = "ESCALATE:\n  triggers:\n    - WHEN: a > 2\n      REASON: Upset\n"
NO_TRIGGERS = "ESCALATE:\n  context_for_human:\n    - a\n"


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("", []),
        (HANDOFF, ["__handoff__"]),
        (DELEGATE, ["__delegate__"]),
        (COMPLETE, ["__complete__"]),
        (GATHER, ["__complete__"]),
        (TRIGGERS, ["__escalate__"]),
        (NO_TRIGGERS, []),
        (
            HANDOFF + DELEGATE + GATHER + COMPLETE + TRIGGERS,
            ["__handoff__", "__delegate__", "__complete__", "__escalate__"],
        ),
    ],
)
def test_system_tools_appear_exactly_when_they_have_something_to_do(agent_of, text: str, tools: list[str]) -> None:
    assert [one["name"] for one in agent_of(text)["tools"] if one["system"]] == tools


def test_the_targets_are_named_once(agent_of) -> None:
    tool = agent_of(HANDOFF)["tools"][0]
    assert [one["name"] for one in tool["parameters"]] == ["target", "context"]
    assert tool["parameters"][0]["enum"] == ["Claims"]


def test_the_parameters_of_the_others(agent_of) -> None:
    tools = agent_of(DELEGATE + COMPLETE + TRIGGERS)["tools"]
    assert [[one["name"] for one in tool["parameters"]] for tool in tools] == [
        ["target", "input"],
        ["message", "store"],
        ["reason", "priority"],
    ]
