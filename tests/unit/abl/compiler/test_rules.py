from __future__ import annotations

import pytest

from abl.compiler import CompileOptions, Places, Unit
from abl.compiler.rules import lower_constraint, lower_on_fail, read_before
from abl.compiler.scope import Scope
from abl.syntax.document import Document
from abl.syntax.rules import Constraint, FailAction

KIND = "_abl_constraint_checkpoint_kind"
TARGET = "_abl_constraint_checkpoint_target"


@pytest.fixture
def scope() -> Scope:
    document = Document(name="Desk")
    return Scope(Unit(document), document, CompileOptions(), Places(), [])


@pytest.mark.parametrize(
    ("rule", "lowered"),
    [
        # 1. IMPLIES
        ({"condition": "a IS SET IMPLIES b != 1"}, "NOT (a IS SET) OR (b != 1)"),
        ({"condition": "a == 1 implies b == 2"}, "NOT (a == 1) OR (b == 2)"),
        ({"condition": "a == 1 IMPLIES b == 2 IMPLIES c == 3"}, "NOT (a == 1) OR (NOT (b == 2) OR (c == 3))"),
        ({"condition": 'a == " IMPLIES "'}, 'a IS NOT SET OR a == " IMPLIES "'),
        # 2. RESTRICT
        ({"kind": "restrict", "condition": 'region == "XX"'}, 'region IS NOT SET OR NOT (region == "XX")'),
        # 3. WHEN
        ({"condition": "a <= 5", "when": "b == 2"}, "NOT (b == 2) OR (a <= 5)"),
        (
            {"kind": "restrict", "condition": "a", "when": "b AND c"},
            "(b IS NOT SET AND c IS NOT SET AND a IS NOT SET) OR (NOT (b AND c) OR (NOT (a)))",
        ),
        # 4. BEFORE
        (
            {"condition": "a <= 5", "before": "calling find_parcel"},
            f'NOT ({KIND} == "tool_call" AND {TARGET} == "find_parcel") OR (a <= 5)',
        ),
        ({"condition": "a <= 5", "before": "returning the results"}, f'NOT ({KIND} == "response") OR (a <= 5)'),
        ({"condition": "a <= 5", "before": "midnight"}, "true"),
        (
            {"kind": "restrict", "condition": "a", "when": "b", "before": "call t()"},
            f'NOT ({KIND} == "tool_call" AND {TARGET} == "t") OR (NOT (b) OR (NOT (a)))',
        ),
        # 5. auto-guard
        ({"condition": "a <= 5"}, "a IS NOT SET OR a <= 5"),
        ({"condition": "parcel.weight <= 5"}, "parcel.weight IS NOT SET OR parcel.weight <= 5"),
        ({"condition": "a <= 5 AND b > 1"}, "(a IS NOT SET AND b IS NOT SET) OR (a <= 5 AND b > 1)"),
        ({"condition": "a < b"}, "(a IS NOT SET AND b IS NOT SET) OR (a < b)"),
        ({"condition": "a < 1 OR b < 1"}, "a < 1 OR b < 1"),
        (
            {"condition": "a < 1 OR b < 1 AND c"},
            "(a IS NOT SET AND b IS NOT SET AND c IS NOT SET) OR (a < 1 OR b < 1 AND c)",
        ),
        ({"condition": "a < 1 && a > 0"}, "a IS NOT SET OR a < 1 && a > 0"),
        ({"condition": "a IS SET AND b > 1"}, "a IS SET AND b > 1"),
        ({"condition": "a is not set AND b > 1"}, "a is not set AND b > 1"),
        ({"condition": 'a == "b IS SET"'}, 'a IS NOT SET OR a == "b IS SET"'),
        ({"condition": "1 < 2"}, "1 < 2"),
        ({"condition": "a == a"}, "a IS NOT SET OR a == a"),
        ({"condition": "a > 1 ? true : false"}, "a IS NOT SET OR (a > 1 ? true : false)"),
        ({"condition": "The user is polite"}, "The user is polite"),
        # modifiers that the form did not take apart
        ({"condition": "a <= 5 WHEN b == 2"}, "NOT (b == 2) OR (a <= 5)"),
        (
            {"condition": "a <= 5 WHEN b BEFORE calling t"},
            f'NOT ({KIND} == "tool_call" AND {TARGET} == "t") OR (NOT (b) OR (a <= 5))',
        ),
    ],
)
def test_a_rule_is_lowered_in_five_steps(scope: Scope, rule: dict[str, str], lowered: str) -> None:
    assert lower_constraint(Constraint(**{"kind": "require", **rule}), scope)["condition"] == lowered


@pytest.mark.parametrize(
    ("before", "checkpoint"),
    [
        ("calling find_parcel", {"kind": "tool_call", "target": "find_parcel"}),
        ("call find_parcel()", {"kind": "tool_call", "target": "find_parcel"}),
        ("TOOL find_parcel", {"kind": "tool_call", "target": "find_parcel"}),
        ("the call of find_parcel", {"kind": "tool_call", "target": "find_parcel"}),
        ("returning results", {"kind": "response"}),
        ("returning the result", {"kind": "response"}),
        ("respond", {"kind": "response"}),
        ("response", {"kind": "response"}),
        ("return_results", {"kind": "response"}),
        ("the storm", None),
        ("", None),
    ],
)
def test_a_checkpoint_is_a_tool_or_a_reply(before: str, checkpoint: dict[str, str] | None) -> None:
    assert read_before(before) == checkpoint


def test_a_before_that_is_not_understood_is_reported(scope: Scope) -> None:
    rule = lower_constraint(Constraint(kind="require", condition="a", before="midnight"), scope)
    assert [one.code for one in scope.findings] == ["W824"]
    assert "checkpoint" not in rule


@pytest.mark.parametrize(
    ("kind", "severity", "expected"),
    [("require", "", "error"), ("limit", "", "error"), ("restrict", "", "error"), ("warn", "", "warning"),
     ("require", "warning", "warning"), ("warn", "error", "error")],
)  # fmt: skip
def test_only_warn_is_a_warning_unless_the_severity_is_written(
    scope: Scope, kind: str, severity: str, expected: str
) -> None:
    rule = lower_constraint(Constraint(kind=kind, condition="1 < 2", severity=severity), scope)
    assert rule["severity"] == expected
    assert ("on_fail" in rule) == (expected == "error")


@pytest.mark.parametrize(
    ("action", "lowered"),
    [
        ({"message": "No."}, {"type": "respond", "message": "No."}),
        ({"type": "block", "message": "No."}, {"type": "block", "message": "No."}),
        ({"type": "redact"}, {"type": "redact"}),
        ({"type": "escalate", "reason": "odd"}, {"type": "escalate", "reason": "odd"}),
        ({"type": "handoff", "target": "Desk"}, {"type": "handoff", "target": "Desk"}),
        ({"target": "Desk", "message": "Wait."}, {"type": "handoff", "target": "Desk", "message": "Wait."}),
        (
            {"message": "Again.", "collect_fields": ["code"], "then": "retry"},
            {"type": "collect_field", "message": "Again.", "collect_fields": ["code"], "then_action": "retry"},
        ),
        ({"goto": "ask"}, {"type": "goto_step", "target": "ask"}),
        ({"type": "goto_step", "target": "ask"}, {"type": "goto_step", "target": "ask"}),
        ({"message": "M", "then": "ask"}, {"type": "respond", "message": "M", "then_action": "goto_step", "then_step": "ask"}),
        ({"message": "M", "then": "CONTINUE"}, {"type": "respond", "message": "M", "then_action": "continue"}),
        ({"type": "continue"}, {"type": "respond", "then_action": "continue"}),
        ({"retry": True}, {"type": "retry_step"}),
        ({"message": "M", "retry": True}, {"type": "respond", "message": "M", "then_action": "retry"}),
        ({"type": "retry"}, {"type": "retry_step"}),
    ],
)  # fmt: skip
def test_what_happens_on_a_violation(scope: Scope, action: dict[str, object], lowered: dict[str, object]) -> None:
    assert lower_on_fail(FailAction(**action), scope) == lowered


def test_rules_from_the_text_keep_their_checkpoint_and_their_when(agent_of) -> None:
    rules = agent_of("""
CONSTRAINTS:
  always:
    - REQUIRE claim_amount <= 500 WHEN parcel_status == "lost"
      ON_FAIL: "I can only file claims up to 500 euros."
    - RESTRICT region == "XX" BEFORE calling find_parcel
      ON_FAIL: BLOCK "That region is not served."
    - WARN attempts < 3
""")["constraints"]["constraints"]
    assert rules[0]["applies_when"] == 'parcel_status == "lost"'
    assert rules[0]["on_fail"] == {"type": "respond", "message": "I can only file claims up to 500 euros."}
    assert rules[1]["checkpoint"] == {"kind": "tool_call", "target": "find_parcel"}
    assert rules[1]["kind"] == "restrict"
    assert rules[2] == {"condition": "attempts IS NOT SET OR attempts < 3", "severity": "warning", "kind": "warn"}


def test_a_label_is_reported_once(compile_text) -> None:
    findings = compile_text(
        "CONSTRAINTS:\n  claims:\n    - WARN a < 1\n    - WARN a < 2\n  always:\n    - WARN a < 3\n"
    ).findings
    assert [(one.code, one.severity, one.line) for one in findings] == [("W823", "info", 5)]


def test_plain_items_become_instructions(agent_of) -> None:
    assert agent_of("CONSTRAINTS:\n  - Be polite\n")["constraints"]["instructions"] == ["Be polite"]


@pytest.mark.parametrize(
    ("condition", "operator"), [('language =~ "^de"', "=~"), ("a <> 1", "<>"), ("a BETWEEN b", "BETWEEN")]
)
def test_operators_of_other_languages_are_named(scope: Scope, condition: str, operator: str) -> None:
    lower_constraint(Constraint(kind="require", condition=condition), scope)
    assert [one.code for one in scope.findings] == ["INVALID_OPERATOR"]
    assert operator in scope.findings[0].message


def test_operators_inside_quotes_are_text(scope: Scope) -> None:
    lower_constraint(Constraint(kind="require", condition='a == "x =~ y"'), scope)
    assert scope.findings == []
