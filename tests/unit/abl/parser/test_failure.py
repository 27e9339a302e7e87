"""What happens when something fails, and how much history is passed on. Spec: abl-language 3.6 to 3.8."""

import pytest

from abl.syntax.coordination import History
from abl.syntax.rules import FailAction


def on_fail(read, written):
    body = "- REQUIRE a == 1\n  ON_FAIL:" + written.replace("\n", "\n  ") + "\n- WARN b"
    document = read.under("CONSTRAINTS", body)
    assert len(document.constraints) == 2
    return document.constraints[0].on_fail


ACTIONS = [
    (' "No way."', FailAction(message="No way.")),
    (" No way.", FailAction(message="No way.")),
    (' BLOCK "No way."', FailAction(type="block", message="No way.")),
    (" BLOCK", FailAction(type="block")),
    (' block "No way."', FailAction(type="block", message="No way.")),
    (' respond "No."', FailAction(type="respond", message="No.")),
    (" handoff to Desk", FailAction(type="handoff", target="Desk")),
    (" retry 3", FailAction(type="retry", count=3)),
    (" block the order", FailAction(message="block the order")),
    (" handoff takes a minute", FailAction(message="handoff takes a minute")),
    (' RESPOND "No way."', FailAction(type="respond", message="No way.")),
    (" REDACT", FailAction(type="redact")),
    (" ESCALATE", FailAction(type="escalate")),
    (" ESCALATE Upset customer", FailAction(type="escalate", reason="Upset customer")),
    (' ESCALATE "Upset customer"', FailAction(type="escalate", reason="Upset customer")),
    (" HANDOFF Claims_Desk", FailAction(type="handoff", target="Claims_Desk")),
    (" HANDOFF", FailAction(type="handoff")),
    (" |\n  one\n  two", FailAction(message="one\ntwo")),
    (
        '\n  RESPOND: "Again."\n  COLLECT: [a, b]\n  THEN: retry',
        FailAction(message="Again.", collect_fields=["a", "b"], then="retry"),
    ),
    ("\n  GOTO: ask", FailAction(goto="ask")),
    ("\n  RETRY: true", FailAction(retry=True)),
    ("\n  THEN: continue", FailAction(then="continue")),
    ("\n  ESCALATE: Upset", FailAction(type="escalate", reason="Upset")),
    ("\n  HANDOFF: Claims_Desk", FailAction(type="handoff", target="Claims_Desk")),
    ('\n  RESPOND: "Hm"\n  HANDOFF: B', FailAction(type="handoff", message="Hm", target="B")),
    (" {RESPOND: Again, THEN: retry}", FailAction(message="Again", then="retry")),
    (" Block your calendar now", FailAction(message="Block your calendar now")),
]


@pytest.mark.parametrize(("written", "action"), ACTIONS)
def test_on_fail_is_a_text_an_action_or_a_block(read, written, action):
    assert on_fail(read, written) == action


@pytest.mark.parametrize(
    ("written", "field", "text"),
    [
        (' "No way."', "message", "No way."),
        (' BLOCK "No way."', "message", "No way."),
        (' BLOCK "No way."', "type", "BLOCK"),
        (" ESCALATE Upset", "reason", "Upset"),
        (" HANDOFF Desk", "target", "Desk"),
        ("\n  RESPOND: Hm", "message", "Hm"),
    ],
)
def test_the_parts_of_an_action_stand_where_the_node_says(read, written, field, text):
    read.stands(on_fail(read, written), field, text)


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ("CONTINUE", FailAction(type="continue")),
        ("continue", FailAction(type="continue")),
        ("ESCALATE", FailAction(type="escalate")),
        ('RESPOND "Sorry"', FailAction(type="respond", message="Sorry")),
        ("\n  type: retry\n  count: 2", FailAction(type="retry", count=2)),
        ("{type: retry, count: 2}", FailAction(type="retry", count=2)),
    ],
)
@pytest.mark.parametrize("section", ["DELEGATE", "HANDOFF"])
def test_on_failure_of_a_coordination_is_a_word_with_argument_or_a_block(read, section, written, action):
    body = "- AGENT: B\n  ON_FAILURE: " + written.replace("\n", "\n  ")
    document = read.under(section, body)
    (entry,) = document.delegates or document.handoffs
    assert entry.on_failure == action


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ("block", FailAction(type="block")),
        ("BLOCK", FailAction(type="block")),
        ('block "No"', FailAction(type="block", message="No")),
        ("reask", FailAction(type="reask")),
        ("fix", FailAction(type="fix")),
        ("filter", FailAction(type="filter")),
        ("warn", FailAction(type="warn")),
        ("redact", FailAction(type="redact")),
        ("escalate", FailAction(type="escalate")),
    ],
)
def test_the_action_of_a_guardrail_is_a_word_that_may_carry_a_message(read, written, action):
    (guardrail,) = read.under("GUARDRAILS", f"x:\n  check: a\n  action: {written}").guardrails
    assert guardrail.action == action


def test_lines_below_an_inline_action_are_reported(read):
    read.under("CONSTRAINTS", '- REQUIRE a\n  ON_FAIL: "No"\n      more   #! UNEXPECTED_NESTING')


def test_an_inline_action_may_go_on_over_lines(read):
    (rule,) = read.under("CONSTRAINTS", "- REQUIRE a\n  ON_FAIL: ESCALATE too\n      much").constraints
    assert (rule.on_fail.type, rule.on_fail.reason) == ("escalate", "too\nmuch")


@pytest.mark.parametrize(
    ("written", "history"),
    [
        ("auto", History(mode="auto")),
        ("none", History(mode="none")),
        ("summary_only", History(mode="summary_only")),
        ("full", History(mode="full")),
        ("last_4", History(mode="last_n", count=4)),
        ("LAST_12", History(mode="last_n", count=12)),
        ('"last_4"', History(mode="last_n", count=4)),
        ("last_4  # said", History(mode="last_n", count=4)),
        ("\n  mode: full", History(mode="full")),
        ("\n  mode: last_n\n  count: 3", History(mode="last_n", count=3)),
        ("{mode: last_n, count: 3}", History(mode="last_n", count=3)),
    ],
)
@pytest.mark.parametrize("outer", ["CONTEXT:\n    ", ""])
def test_history_is_a_word_or_a_block(read, outer, written, history):
    pad = "    " if outer else "  "
    body = f"- TO: B\n  {outer}history: " + written.replace("\n", "\n" + pad)
    assert read.under("HANDOFF", body).handoffs[0].history == history


@pytest.mark.parametrize("written", ["some", "last_few", "last_", "last_n"])
def test_an_unknown_history_is_an_error(read, written):
    read.under("HANDOFF", f"- TO: B\n  HISTORY: {written}   #! INVALID_HISTORY\n  WHEN: x")
    assert read.finding("INVALID_HISTORY").severity == "error"
    assert read.document.handoffs[0].when == "x"


def test_history_of_the_last_messages_needs_a_count(read):
    read.under("HANDOFF", "- TO: B\n  CONTEXT:\n    history:   #! INVALID_HISTORY\n      mode: last_n")


@pytest.mark.parametrize("row", ["mode: sometimes", "kind: full"])
def test_other_modes_and_keys_of_a_history_are_errors(read, row):
    read.raw(f"AGENT: A\nGOAL: b\nHANDOFF:\n  - TO: B\n    CONTEXT:\n      history:\n        {row}\n")
    assert [one.severity for one in read.findings] == ["error"]
    assert [one.line for one in read.findings] == [7]
