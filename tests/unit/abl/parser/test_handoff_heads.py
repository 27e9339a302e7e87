"""Rules of HANDOFF in older forms keep their conditions."""

from __future__ import annotations

import pytest

import abl
from abl.legacy.modernise import modernise


def rules_of(lines: str) -> list[tuple[str, str]]:
    document = abl.parse(f'AGENT: Front\nGOAL: "Route"\nHANDOFF:\n{lines}\n').document
    assert document is not None
    return [(one.to, one.when) for one in document.handoffs]


@pytest.mark.parametrize(
    "line",
    [
        "  - TO: Claims WHEN amount > 100",
        "  - TO: Claims IF amount > 100",
        "  - Claims WHEN amount > 100",
        "  - Claims: amount > 100",
        "  - WHEN amount > 100 -> Claims",
        "  - amount > 100 -> Claims",
        "  - IF amount > 100 THEN Claims",
        "  - IF amount > 100 THEN HANDOFF TO Claims",
        "  - TO: Claims\n    CONDITION: amount > 100",
        "  - AGENT: Claims\n    TRIGGER: amount > 100",
        "  Claims:\n    WHEN: amount > 100",
        "  Claims: amount > 100",
    ],
)
def test_a_rule_of_an_older_form_keeps_its_condition(line: str) -> None:
    assert rules_of(line) == [("Claims", "amount > 100")]


def test_words_behind_a_target_that_are_no_condition_are_still_no_condition() -> None:
    assert rules_of("  - TO: Sales (new customers)\n    WHEN: is_new == true") == [("Sales", "is_new == true")]
    assert rules_of("  - Sales: Sells things to people") == [("Sales", "")]


def test_a_listed_context_passes_its_names() -> None:
    text = 'AGENT: Front\nGOAL: "Route"\nHANDOFF:\n  - TO: Claims\n    CONTEXT: [amount, code]\n'
    result = abl.parse(text)
    assert result.document is not None
    assert (result.document.handoffs[0].pass_, result.warnings) == (["amount", "code"], [])


def test_keys_in_camel_case_are_read() -> None:
    text = (
        "SUPERVISOR: Bank\nIDENTITY:\n  role: Desk\nSTATE:\n  user.ok: boolean\n"
        "BEHAVIOR:\n  canRespondDirectly: true\n  allowedActions: [greet]\n  forbiddenActions: [advise]\n"
    )
    result = abl.parse(text)
    assert result.document is not None
    assert not [one.code for one in result.findings]
    made = modernise(result.document)
    assert "You may answer the user yourself.\nYou may: greet." in made.instructions
    assert made.limitations == ["Never: advise"]


def test_tabs_among_spaces_are_one_finding_whose_fix_replaces_all_of_them() -> None:
    text = 'AGENT: A\nGOAL: x\nFLOW:\n  a:\n\tREASONING: false\n\tRESPOND: "hi"\n    ON_INPUT:\n\t  - ELSE:\n        THEN: COMPLETE\n'
    found = [one for one in abl.parse(text).findings if one.code in ("TAB_INDENT", "MISPLACED_INDENT")]
    assert [one.code for one in found] == ["TAB_INDENT"]
    assert found[0].fix is not None
    assert "\t" not in found[0].fix.apply(text)
