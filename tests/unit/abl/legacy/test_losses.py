"""What the modern grammar has no place for is named."""

from abl.legacy import parse_legacy
from abl.legacy.losses import losses
from abl.parser import parse_text


def lost(text):
    return losses(parse_legacy(text).document)


def test_a_modern_document_loses_nothing():
    assert losses(parse_text("AGENT: A\nGOAL: g\n").document) == []


def test_tests_and_outputs_of_every_reply_are_named():
    text = "AGENT: A\nCONTRACT:\n  outputs:\n    response: string\n    b: enum(x, y)\nTESTS:\n  t:\n    input: hi\n"
    assert lost(text) == [
        "TESTS (t)",
        "CONTRACT outputs that every reply has (response)",
        "allowed values in CONTRACT (b)",
    ]


def test_what_rules_and_policies_of_a_supervisor_lose_is_named():
    text = (
        "SUPERVISOR: A\nSTATE:\n  c.a: enum(x, y)\nAGENTS:\n  - REF: d\n    ALIAS: x\n    REQUIRES_VALIDATION: true\n"
        "ROUTING:\n  - NAME: n\n    WHEN: w\n    THEN: ROUTE_TO x\n    FLAGS: [silent, no_log]\n"
        "POLICIES:\n  p:\n    allowed_when: a\n    trigger_signal: HANDOFF_READY\n"
    )
    assert lost(text) == [
        "allowed values in STATE (c.a)",
        "REQUIRES_VALIDATION of AGENTS (x)",
        "FLAGS of ROUTING (no_log)",
        "trigger_signal of POLICIES (p)",
    ]
