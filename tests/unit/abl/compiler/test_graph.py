from __future__ import annotations

import pytest


def graph(agent: dict) -> dict:
    return agent["flow"]["staticGraph"]


def edges(agent: dict) -> set[tuple[str, str, str]]:
    return {(one["from"], one["to"], one["label"]) for one in graph(agent)["edges"]}


@pytest.mark.parametrize(
    ("lines", "label"),
    [
        ("THEN: b", "then"),
        ("MAX_ATTEMPTS: 1\n    ON_EXHAUSTED: b", "on_exhausted"),
        ("ON_SUCCESS:\n      THEN: b", "on_success"),
        ("ON_SUCCESS:\n      - IF: x\n        THEN: b", "on_success"),
        ("ON_FAILURE:\n      THEN: b", "on_failure"),
        ("ON_FAIL: b", "on_fail"),
        ("ON_FAIL:\n      GOTO: b", "on_fail"),
        ("ON_INPUT:\n      - IF: yes\n        THEN: b", "on_input"),
        ("ON_RESULT:\n      - ELSE:\n        THEN: b", "on_result"),
        ("DIGRESSIONS:\n      - INTENT: x\n        GOTO: b", "digression"),
        ("DIGRESSIONS:\n      - INTENT: x\n        DO:\n          - GOTO: b", "digression"),
        ("ON_ACTION:\n      go:\n        TRANSITION: b", "on_action"),
        ("ON_ACTION:\n      go:\n        DO:\n          - GOTO: b", "on_action"),
        ("AWAIT_ATTACHMENT:\n      NAME: p\n      ON_TIMEOUT: b", "on_timeout"),
        ("HUMAN_APPROVAL:\n      PROMPT: p\n      ON_APPROVE: b", "on_success"),
        ("HUMAN_APPROVAL:\n      PROMPT: p\n      ON_REJECT: b", "on_failure"),
        ("HUMAN_APPROVAL:\n      PROMPT: p\n      ON_TIMEOUT: b", "on_timeout"),
        ("STEP_CONSTRAINTS:\n      - REQUIRE x < 1\n        ON_FAIL:\n          GOTO: b", "on_fail"),
    ],
)
def test_every_way_out_of_a_step_is_an_edge(agent_of, lines: str, label: str) -> None:
    agent = agent_of(
        f"FLOW:\n  a:\n    REASONING: false\n    RESPOND: x\n    {lines}\n  b:\n    REASONING: false\n    RESPOND: y\n"
    )
    assert edges(agent) == {("a", "b", label)}


def test_terminals_and_zones_are_nodes_of_their_own_kind(agent_of) -> None:
    agent = agent_of(
        "FLOW:\n  a:\n    REASONING: true\n    THEN: complete\n  b:\n    REASONING: false\n    RESPOND: x\n    THEN: Escalate\n"
    )
    assert graph(agent)["nodes"] == [
        {"name": "a", "kind": "reasoning"},
        {"name": "b", "kind": "step"},
        {"name": "COMPLETE", "kind": "terminal"},
        {"name": "ESCALATE", "kind": "terminal"},
    ]
    assert graph(agent)["entryPoint"] == "a"


def test_what_can_happen_at_any_step_starts_at_the_entry(agent_of) -> None:
    agent = agent_of("""ACTION_HANDLERS:
  restart:
    TRANSITION: b
CONSTRAINTS:
  - REQUIRE x < 1
    ON_FAIL:
      GOTO: b
ON_ERROR:
  tool_error:
    THEN: BACKTRACK
    BACKTRACK_TO: b
FLOW:
  a:
    REASONING: false
    RESPOND: x
  b:
    REASONING: false
    RESPOND: y
  global_digressions:
    - INTENT: stop
      GOTO: b
""")
    assert edges(agent) == {("a", "b", label) for label in ("on_action", "on_fail", "on_failure", "digression")}


def test_an_edge_stands_once(agent_of) -> None:
    text = "FLOW:\n  a:\n    REASONING: false\n    RESPOND: x\n    ON_INPUT:\n      - IF: yes\n        THEN: a\n      - IF: no\n        THEN: a\n"
    assert len(graph(agent_of(text))["edges"]) == 1
