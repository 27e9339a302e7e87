from __future__ import annotations

import pytest

from abl.compiler.coordination import first_word, lower_history
from abl.syntax.coordination import History


def test_a_delegate_keeps_everything_written(agent_of) -> None:
    assert agent_of("""DELEGATE:
  - AGENT: Rate_Checker
    WHEN: claim_amount IS SET
    PURPOSE: "Convert the amount"
    INPUT: {amount: claim_amount, currency}
    RETURNS: {eur: claim_amount_eur}
    USE_RESULT: "Quote it"
    TIMEOUT: 20s
    ON_FAILURE: RESPOND "I could not convert the amount."
    EXPERIENCE_MODE: silent_delegate
""")["coordination"]["delegates"] == [
        {
            "agent": "Rate_Checker",
            "when": "claim_amount IS SET",
            "purpose": "Convert the amount",
            "input": {"amount": "claim_amount", "currency": "currency"},
            "returns": {"eur": "claim_amount_eur"},
            "use_result": "Quote it",
            "timeout": 20,
            "on_failure": "respond",
            "failure_message": "I could not convert the amount.",
            "experienceMode": "silent_delegate",
        }
    ]


def test_a_bare_delegate_runs_always_and_goes_on_after_a_failure(agent_of) -> None:
    assert agent_of("DELEGATE:\n  - AGENT: Rates\n")["coordination"]["delegates"] == [
        {"agent": "Rates", "when": "true", "on_failure": "continue"}
    ]


def test_a_remote_agent_has_an_address_and_a_protocol(compile_text) -> None:
    result = compile_text("DELEGATE:\n  - AGENT: Rates\n    LOCATION: remote\n    ENDPOINT: https://r.example/a\n")
    remote = {"endpoint": "https://r.example/a", "protocol": "a2a"}
    assert result.output["agents"]["Parcel_Desk"]["coordination"]["delegates"][0]["remote"] == remote
    assert result.output["remote_agents"] == {"Rates": remote}


def test_a_handoff_keeps_everything_written(agent_of) -> None:
    assert agent_of("""GATHER:
  tracking_code:
    prompt: Code?
    type: number
    description: The code
HANDOFF:
  - TO: Claims_Desk for claims
    WHEN: parcel_status == "lost"
    PRIORITY: 1
    CONTEXT:
      pass: [tracking_code, other]
      summary: "Lost parcel"
      memory_grants:
        - user.tier
        - path: user.claims_total
          access: readwrite
      history: last_4
      set:
        reason: "lost"
    RETURN: true
    ON_RETURN:
      ACTION: continue
      HANDLER: after_claim
      MAP: {claim_id: open_claim_id}
    ON_FAILURE: ESCALATE
    ASYNC: true
    TIMEOUT: 60
    ON_TIMEOUT: RESPOND "Too late."
""")["coordination"]["handoffs"] == [
        {
            "to": "Claims_Desk",
            "when": 'parcel_status == "lost"',
            "priority": 1,
            "return": True,
            "async": True,
            "context": {
                "pass": [
                    {"name": "tracking_code", "type": "number", "description": "The code"},
                    {"name": "other", "type": "string"},
                ],
                "history": {"mode": "last_n", "count": 4},
                "summary": "Lost parcel",
                "memory_grants": [
                    {"path": "user.tier", "access": "read"},
                    {"path": "user.claims_total", "access": "readwrite"},
                ],
                "set": {"reason": '"lost"'},
            },
            "on_failure": "escalate",
            "on_return": {"action": "continue", "handler": "after_claim", "map": {"claim_id": "open_claim_id"}},
            "asyncTimeout": 60,
            "on_timeout": "respond",
            "timeout_message": "Too late.",
        }
    ]


def test_a_bare_handoff_has_its_defaults_and_no_condition(agent_of) -> None:
    assert agent_of("HANDOFF:\n  - TO: Claims\n")["coordination"]["handoffs"] == [
        {"to": "Claims", "return": False, "context": {"pass": [], "history": "auto"}, "on_failure": "continue"}
    ]


@pytest.mark.parametrize(
    ("history", "lowered"),
    [
        (None, "auto"),
        (History(mode="none"), "none"),
        (History(mode="summary_only"), "summary_only"),
        (History(mode="full"), "full"),
        (History(mode="auto"), "auto"),
        (History(mode="last_n", count=6), {"mode": "last_n", "count": 6}),
    ],
)
def test_history_is_a_word_or_a_count(history: History | None, lowered: object) -> None:
    assert lower_history(history) == lowered


@pytest.mark.parametrize(
    ("written", "lowered"),
    [
        ("continue", {"action": "continue"}),
        ("resume_intent", {"action": "resume_intent"}),
        ("after", {"handler": "after"}),
    ],
)
def test_a_word_after_on_return_is_an_action_or_a_handler(agent_of, written: str, lowered: dict) -> None:
    handoff = agent_of(f"HANDOFF:\n  - TO: B\n    WHEN: a\n    ON_RETURN: {written}\n")["coordination"]["handoffs"][0]
    assert handoff["on_return"] == lowered


def test_return_handlers_by_name(agent_of) -> None:
    text = 'RETURN_HANDLERS:\n  after:\n    RESPOND: "Back."\n    CLEAR: [a]\n    CONTINUE: true\n    RESUME_INTENT: false\n'
    assert agent_of(text)["coordination"]["return_handlers"] == {
        "after": {"clear": ["a"], "continue": True, "resume_intent": False, "respond": "Back."}
    }


def test_an_escalation_keeps_everything_written(agent_of) -> None:
    assert agent_of("""ESCALATE:
  triggers:
    - WHEN: attempts > 2
      REASON: "Upset"
      PRIORITY: high
      TAGS: [vip]
    - WHEN: tool_failures >= 3
      PRIORITY: 1
    - WHEN: a
  context_for_human:
    - tracking_code
    - "Last: {{parcel_status}}"
  on_human_complete:
    - IF resolution == "done": COMPLETE
    - IF true: CONTINUE
  routing:
    connection: helpdesk
    skills: [german]
    post_agent: return
  CONNECTOR_ACTION: open_ticket
""")["coordination"]["escalation"] == {
        "triggers": [
            {"when": "attempts > 2", "reason": "Upset", "priority": "high", "tags": ["vip"]},
            {"when": "tool_failures >= 3", "priority": 1},
            {"when": "a", "priority": "medium"},
        ],
        "context_for_human": ["tracking_code", "Last: {{parcel_status}}"],
        "on_human_complete": [
            {"condition": 'resolution == "done"', "action": "COMPLETE"},
            {"condition": "true", "action": "CONTINUE"},
        ],
        "routing": {"connection": "helpdesk", "skills": ["german"], "post_agent": "return"},
        "connector_action": "open_ticket",
    }


def test_completion_keeps_order_answer_and_store(agent_of) -> None:
    assert agent_of("""COMPLETE:
  - WHEN: parcel_status == "delivered"
    RESPOND: "Delivered."
    STORE: {tracking_code, parcel_status} -> user.last_case
  - WHEN: user.intent == "goodbye"
""")["completion"]["conditions"] == [
        {
            "when": 'parcel_status == "delivered"',
            "respond": "Delivered.",
            "store": {
                "value": "{tracking_code, parcel_status}",
                "fields": ["tracking_code", "parcel_status"],
                "target": "user.last_case",
            },
        },
        {"when": 'user.intent == "goodbye"'},
    ]


def test_a_target_is_its_first_word() -> None:
    assert first_word("Claims_Desk for claims") == "Claims_Desk"
    assert first_word("  ") == ""
    assert first_word(None) == ""
