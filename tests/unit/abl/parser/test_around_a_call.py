"""What stands above and below the CALL of a step keeps its place in both printed forms and in the IR. Decision: 0088."""

from __future__ import annotations

from typing import Any

import abl
from abl.compiler import compile_documents
from abl.compiler.places import Unit
from abl.syntax.document import Document
from abl.syntax.flow import Step
from tests.support.cells import over

AGENT = """\
AGENT: Desk
GOAL: "Help"
TOOLS:
  pay(amount: number) -> {{ok: boolean}}
    description: "Pays"
FLOW:
  entry_point: pay
  pay:
    REASONING: false
{lines}
    THEN: COMPLETE
"""
ABOVE = ("CHECK: amount <= 100", "  RESPOND: 'Small.'")
BELOW = ("CHECK: result.ok", "  RESPOND: 'Paid.'")
CALL = ("CALL: pay(amount)",)
KEYS = ("do_first", "check_first", "say_last", "respond")

PLACED = [
    ((*ABOVE, *CALL), {"do_first": 1}, 1),
    ((*CALL, *BELOW), {}, 1),
    ((*ABOVE, *CALL, *BELOW), {"do_first": 1}, 2),
    ((*BELOW, *CALL), {}, 1),
    ((*ABOVE, *BELOW, *CALL), {"do_first": 1}, 2),
    (("CHECK: amount > 0", *ABOVE, *CALL), {"do_first": 1, "check_first": True}, 1),
    ((*ABOVE, "RESPOND: 'So.'", *CALL), {"do_first": 2}, 2),
    ((*ABOVE, *CALL, "RESPOND: 'So.'"), {"do_first": 1}, 2),
    (("RESPOND: 'So.'", *ABOVE, *CALL), {"do_first": 1, "respond": "So."}, 1),
    (("DO:", "  - SET: amount = 2", "  - CHECK: amount <= 100", *CALL), {"do_first": 2}, 2),
]


def document_of(lines: tuple[str, ...]) -> Document:
    parsed = abl.parse(AGENT.format(lines="\n".join(f"    {line}" for line in lines)))
    assert parsed.document is not None
    assert parsed.errors == []
    return parsed.document


def step_of(document: Document) -> Step:
    assert document.flow is not None
    assert document.flow.steps is not None
    return document.flow.steps[0]


def ir_of(document: Document) -> dict[str, Any]:
    found: dict[str, Any] = compile_documents([Unit(document)]).output["agents"]["Desk"]["flow"]["definitions"]["pay"]
    return found


@over("lines, ir, entries", PLACED)
def test_what_is_above_and_below_the_call_stays_there(lines: tuple[str, ...], ir: dict[str, Any], entries: int) -> None:
    document = document_of(lines)
    lowered = ir_of(document)
    assert {key: lowered[key] for key in KEYS if key in lowered} == ir
    assert len(lowered["do"]) == entries
    for form in ("abl", "yaml"):
        text = abl.serialize(document, form)
        again = abl.parse(text).document
        assert again is not None
        assert step_of(again) == step_of(document), text
        assert ir_of(again) == lowered
