"""The goal of documents that may do without one."""

import pytest

from abl import compile_abl_to_ir, parse
from abl.syntax.document import Document, Identity
from abl.syntax.flow import Flow, Step
from abl.syntax.goal import unwritten_goal


def scripted(**fields):
    return Document(name="A", mode="scripted", **fields)


@pytest.mark.parametrize(
    ("document", "goal"),
    [
        (scripted(), "Follow the steps"),
        (scripted(kind="supervisor"), "Hand every request to the right agent"),
        (scripted(description="Asks"), "Asks"),
        (scripted(goal="Help"), ""),
        (scripted(identity=Identity(role="Tracer")), ""),
        (Document(name="A"), ""),
        (Document(name="A", format="legacy"), "Follow the steps"),
        (Document(name="A", flow=Flow(steps=[Step(name="a", reasoning=False)])), "Follow the steps"),
        (Document(name="A", flow=Flow(steps=[Step(name="a", reasoning=True)])), ""),
        (Document(name="A", flow=Flow()), ""),
    ],
    ids=str,
)
def test_only_what_needs_no_goal_gets_one(document, goal):
    assert unwritten_goal(document) == goal


def test_a_compile_asks_the_same_rule():
    text = "AGENT: A\nMODE: scripted\nFLOW:\n  a:\n    RESPOND: Hi\n    THEN: COMPLETE\n"
    goal = compile_abl_to_ir(text)["agents"]["A"]["identity"]["goal"]
    assert goal == unwritten_goal(parse(text).document) == "Follow the steps"
