from __future__ import annotations

import pytest

from abl.compiler import CompileOptions, Unit, compile_documents
from abl.syntax.document import Document
from abl.syntax.profile import Profile

PHONE = """BEHAVIOR_PROFILE: phone-callers
PRIORITY: 20
WHEN: channel == "voice"
INSTRUCTIONS: "Short sentences."
CONSTRAINTS:
  - "Do not list more than three hubs"
RESPONSE:
  max_buttons: 0
  fallback_format: plain_text
VOICE:
  instructions: "warm"
TOOLS:
  HIDE: [export_pdf]
  ADD:
    send_sms:
      description: "Send a text"
      returns: object
GATHER:
  confirmation: on_change
  FIELD_OVERRIDES:
    iban:
      skip: true
FLOW:
  SKIP: [show_map]
  OVERRIDES:
    greet:
      respond: "Hello."
  INSERTIONS:
    - AFTER: greet
      STEP: ask_name
"""
CHAT = 'BEHAVIOR_PROFILE: chat\nPRIORITY: 10\nWHEN: channel != "voice"\nINSTRUCTIONS: "Use lists."\n'
DESK = "AGENT: Desk\nGOAL: Help\nUSE BEHAVIOR_PROFILE: phone-callers\nUSE BEHAVIOR_PROFILE: chat\n"


def attached(compilation) -> list[dict]:
    return compilation.output["agents"]["Desk"]["behavior_profiles"]


def test_profiles_are_attached_by_ascending_priority(compile_files) -> None:
    result = compile_files({"d.abl": DESK, "p.abl": PHONE, "c.abl": CHAT})
    assert [(one["name"], one["priority"]) for one in attached(result)] == [("chat", 10), ("phone-callers", 20)]
    assert result.findings == []


def test_a_profile_keeps_everything_written(compile_files) -> None:
    assert attached(compile_files({"d.abl": DESK, "p.abl": PHONE, "c.abl": CHAT}))[1] == {
        "name": "phone-callers",
        "priority": 20,
        "when": 'channel == "voice"',
        "instructions": "Short sentences.",
        "constraints": ["Do not list more than three hubs"],
        "voice": {"instructions": "warm"},
        "response_rules": {"max_buttons": 0, "fallback_format": "plain_text"},
        "tools_hide": ["export_pdf"],
        "tools_add": [
            {"name": "send_sms", "description": "Send a text", "parameters": [], "returns": {"type": "object"}}
        ],
        "gather_overrides": {"confirmation": "on_change", "field_overrides": {"iban": {"skip": True}}},
        "flow_modifications": {
            "skip": ["show_map"],
            "overrides": {"greet": {"respond": "Hello."}},
            "insertions": [{"after": "greet", "step": "ask_name"}],
        },
    }


def test_a_replaced_flow_is_lowered_like_any_other(compile_files) -> None:
    phone = (
        PHONE[: PHONE.index("FLOW:")]
        + "FLOW:\n  REPLACE:\n    hello:\n      REASONING: false\n      RESPOND: Hello\n      THEN: COMPLETE\n"
    )
    flow = attached(compile_files({"d.abl": DESK, "p.abl": phone, "c.abl": CHAT}))[1]["flow_replace"]
    assert flow["steps"] == ["hello"]
    assert flow["staticGraph"]["edges"] == [{"from": "hello", "to": "COMPLETE", "label": "then"}]


def test_an_inline_profile_is_attached_without_use(compile_files) -> None:
    text = 'AGENT: Desk\nGOAL: Help\nBEHAVIOR_PROFILE: night\nPRIORITY: 5\nWHEN: hour > 20\nINSTRUCTIONS: "Whisper."\n'
    assert [(one["name"], one["instructions"]) for one in attached(compile_files({"d.abl": text}))] == [
        ("night", "Whisper.")
    ]


def test_an_unknown_profile_is_reported(compile_files) -> None:
    result = compile_files(
        {"d.abl": DESK.replace("USE BEHAVIOR_PROFILE: chat\n", "").replace("callers", "caller"), "p.abl": PHONE}
    )
    assert [(one.code, one.line) for one in result.findings] == [("PROFILE_NOT_FOUND", 3)]
    assert "Did you mean phone-callers?" in result.findings[0].message


def test_profiles_elsewhere_are_not_missed_in_a_single_agent(compile_files) -> None:
    assert compile_files({"d.abl": DESK}, single_agent=True).findings == []


def test_equal_priorities_are_a_warning(compile_files) -> None:
    result = compile_files({"d.abl": DESK, "p.abl": PHONE, "c.abl": CHAT.replace("10", "20")})
    assert [(one.code, one.severity, one.line) for one in result.findings] == [
        ("PROFILE_PRIORITY_CONFLICT", "warning", 4)
    ]


@pytest.mark.parametrize(
    "option",
    [
        {"chat": Profile(name="chat", priority=1, when="true")},
        [Profile(name="chat", priority=1, when="true")],
        {"chat": Document(kind="profile", behavior_profiles=[Profile(name="chat", priority=1, when="true")])},
        {"chat": {"priority": 1, "when": "true"}},
    ],
)
def test_profiles_may_come_with_the_options(option: object) -> None:
    unit = Unit(Document(name="Desk", use_behavior_profiles=["chat"]))
    result = compile_documents([unit], CompileOptions(behavior_profiles=option))
    assert attached(result)[0]["name"] == "chat"
    assert attached(result)[0]["when"] == "true"
    assert result.findings == []
