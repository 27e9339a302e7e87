"""Whether recall rules wait for events that can happen."""

import pytest


def recalling(event, **more):
    return {
        "metadata": {"name": "Desk"},
        "tools": [{"name": "find", "description": "d"}],
        "gather": {"fields": [{"name": "code"}]},
        "flow": {"definitions": {"ask": {"respond": "{{code}}"}}},
        "coordination": {"handoffs": [{"to": "Claims_Desk", "when": "true"}]},
        "memory": {"recall": [{"event": event, "action": {"type": "inject_context"}}]},
        **more,
    }


@pytest.mark.parametrize(
    "event",
    [
        "session:start", "session:end", "agent:*:before", "agent:Claims_Desk:after", "agent:Desk:before",
        "tool:find:after", "tool:*:after", "entity:code:extracted", "step:enter:ask", "step:exit:ask",
    ],
)  # fmt: skip
def test_events_that_can_happen(in_ir, event):
    assert not in_ir(recalling(event))


@pytest.mark.parametrize(
    ("event", "code", "near"),
    [
        ("session:begin", "UNKNOWN_RECALL_EVENT", "session:start"),
        ("sesion:start", "UNKNOWN_RECALL_EVENT", "session:start"),
        ("whenever", "UNKNOWN_RECALL_EVENT", ""),
        ("step:enter:aks", "UNKNOWN_RECALL_EVENT", "step:enter:ask"),
        ("entity:cdoe:extracted", "UNKNOWN_RECALL_EVENT", "entity:code:extracted"),
        ("tool:fnid:after", "UNKNOWN_RECALL_TOOL", "find"),
        ("agent:Claim_Desk:after", "UNKNOWN_RECALL_AGENT", "Claims_Desk"),
    ],
)
def test_events_that_cannot_happen(in_ir, event, code, near):
    (found,) = in_ir(recalling(event))
    assert found.code == code
    assert (f"Did you mean {near}?" in found.message) == bool(near)


def test_old_names_are_left_to_the_compiler(in_ir):
    assert not in_ir(recalling("session_start"))


def test_of_a_single_text_an_agent_elsewhere_is_not_missed(in_ir):
    ir = recalling("agent:Night_Shift:after")
    assert not in_ir(ir)
    assert in_ir(ir, "UNKNOWN_RECALL_AGENT", agents={"Desk": ir})


def test_an_event_is_mended_in_the_text(in_text, mended):
    text = """
        TOOLS:
          list_hubs() -> object
            description: "Lists the hubs"
        MEMORY:
          recall:
            - ON: tool:list_hbus:after
              INSTRUCTION: "Mention the nearest hub"
    """
    (found,) = in_text(text)
    assert "ON: tool:list_hubs:after\n" in mended(found, text)
