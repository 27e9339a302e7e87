"""Whether the actions of guardrails exist and fit."""

import pytest

from abl.syntax.rules import GUARDRAIL_ACTIONS


def rails(*rules):
    return {"constraints": {"guardrails": [{"name": "g", "check": "true", **rule} for rule in rules]}}


@pytest.mark.parametrize("action", ["redcat", {"type": "redcat", "message": "x"}])
def test_an_unknown_action_is_reported_with_the_near_one(in_ir, action):
    (found,) = in_ir(rails({"kind": "input", "action": action}))
    assert found.code == "INVALID_GUARDRAIL_ACTION"
    assert "Did you mean redact?" in found.message


@pytest.mark.parametrize("action", GUARDRAIL_ACTIONS)
def test_every_action_is_known_and_fits_an_answer(in_ir, action):
    assert not in_ir(rails({"kind": "output", "action": {"type": action}}))


@pytest.mark.parametrize(
    ("kind", "action", "expected"),
    [
        ("input", "reask", 1),
        ("input", "redact", 0),
        ("tool_input", "filter", 1),
        ("tool_input", "block", 0),
        ("tool_output", "reask", 1),
        ("handoff", "redact", 1),
        ("handoff", "escalate", 0),
        ("unheard_of", "reask", 0),
    ],
)
def test_an_action_without_effect_on_the_kind_is_reported(in_ir, kind, action, expected):
    found = in_ir(rails({"kind": kind, "action": {"type": action}}), "GUARDRAIL_ACTION_WARNING")
    assert len(found) == expected


def test_of_a_guardrail_for_both_one_half_is_enough(in_ir):
    halves = [{"kind": "input", "action": {"type": "reask"}}, {"kind": "output", "action": {"type": "reask"}}]
    assert not in_ir(rails(*halves))


def test_an_action_is_mended_in_the_text(in_text, mended):
    text = """
        GUARDRAILS:
          no_cards:
            kind: input
            check: contains_pii(input)
            action: redcat
    """
    (found,) = in_text(text)
    assert "action: redact\n" in mended(found, text)


def test_the_near_name_of_a_guardrail_is_offered_once(in_text):
    text = """
        GUARDRAILS:
          - name: g
            kind: input
            check: "abl.matches_pattern(inputt, 'acme')"
            action: block
        """
    (found,) = in_text(text, "GUARDRAIL_UNKNOWN_NAME")
    assert found.message.count("Did you mean input?") == found.message.count("Did you mean") == 1
    assert "nothing. Did" in found.message


def test_an_argument_that_no_tool_has_is_found(in_text):
    text = """
        TOOLS:
          pay(amount: number) -> object
            description: "Pays"
        GUARDRAILS:
          - name: g
            kind: tool_input
            check: "args.{} > 100"
            action: block
        """
    (found,) = in_text(text.format("amuont"), "GUARDRAIL_UNKNOWN_NAME")
    assert "Did you mean args.amount?" in found.message
    assert not in_text(text.format("amount"), "GUARDRAIL_UNKNOWN_NAME")
