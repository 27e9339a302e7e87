from __future__ import annotations


def test_on_start_keeps_call_set_and_delegate(agent_of) -> None:
    assert agent_of("""TOOLS:
  load_profile(user: string, include: string) -> object
    description: d
ON_START:
  SET: attempts = 0
  CALL: load_profile(user_id)
    WITH:
      include: "hubs"
    AS: profile
  DELEGATE: Rates
  RESPOND: "Hi"
""")["on_start"] == {
        "delegate": {"agent": "Rates"},
        "respond": "Hi",
        "set": [{"variable": "attempts", "expression": "0"}],
        "call": "load_profile",
        "call_spec": {"tool": "load_profile", "with": {"user": "user_id", "include": '"hubs"'}, "as": "profile"},
    }
    assert "on_start" not in agent_of("")


def test_hooks_are_not_critical_unless_they_say_so(agent_of) -> None:
    hooks = agent_of("HOOKS:\n  before_turn:\n    SET: a = 1\n  after_agent:\n    CALL: audit()\n    CRITICAL: true\n")[
        "hooks"
    ]
    assert hooks["before_turn"] == {"critical": False, "set": [{"variable": "a", "expression": "1"}]}
    assert hooks["after_agent"] == {"critical": True, "call": "audit", "call_spec": {"tool": "audit", "with": {}}}


def test_action_handlers_keep_direct_and_ordered_actions(agent_of) -> None:
    handlers = agent_of("""ACTION_HANDLERS:
  open-claim:
    CONDITION: parcel_status == "lost"
    SET: claim_requested = true
    RESPOND: "Opening a claim."
    TRANSITION: claim_details
  rate:
    DO:
      - SET: rating = _action.value
      - CALL: save_rating(rating)
        AS: saved
      - RESPOND: "Thanks!"
      - COMPLETE
""")["action_handlers"]
    assert handlers[0] == {
        "action_id": "open-claim",
        "condition": 'parcel_status == "lost"',
        "transition": "claim_details",
        "respond": "Opening a claim.",
        "set": [{"variable": "claim_requested", "expression": "true"}],
    }
    assert handlers[1]["do"] == [
        {"set": [{"variable": "rating", "expression": "_action.value"}]},
        {"call": "save_rating", "call_spec": {"tool": "save_rating", "with": {}, "args": ["rating"], "as": "saved"}},
        {"respond": "Thanks!", "say_after": "save_rating"},
        {"complete": True},
    ]
