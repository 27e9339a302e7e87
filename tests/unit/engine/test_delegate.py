"""How deep sub-tasks may lead to sub-tasks. Spec: abl-language 7.3."""

from __future__ import annotations

import pytest

from abl.project import Project, compile_project
from engine import Delegate, EndTurn, Program, SessionBegun, begin
from engine.limits import MAX_DELEGATION_DEPTH

A = """\
AGENT: A
GOAL: "Ask B"
FLOW:
  entry_point: a
  a:
    REASONING: false
    RESPOND: "A"
DELEGATE:
  - AGENT: B
    WHEN: answer IS NOT SET
    RETURNS: {answer: answer}
"""
B = A.replace("AGENT: A", "AGENT: B", 1).replace("AGENT: B\n    WHEN", "AGENT: A\n    WHEN").replace("Ask B", "Ask A")


@pytest.mark.parametrize(("depth", "asks"), [(MAX_DELEGATION_DEPTH - 1, True), (MAX_DELEGATION_DEPTH, False)])
def test_agents_that_delegate_to_each_other_stop_at_a_depth(depth: int, *, asks: bool) -> None:
    program = Program(compile_project(Project.from_files({"a.agent.abl": A, "b.agent.abl": B})).output)
    begun = SessionBegun(
        at="2026-11-21T09:00:00.000Z",
        session_id="sess_1",
        project_id="p",
        tenant_id="t",
        agent="A",
        task="answer",
        input={"_depth": depth},
    )
    effects = begin(program, begun).effects
    assert any(isinstance(one, Delegate) for one in effects) is asks
    assert any(isinstance(one, EndTurn) for one in effects) is not asks
