from __future__ import annotations

from abl.compiler.declared import declared_names, gather_fields, passed
from abl.syntax.document import Document
from abl.syntax.flow import Flow, Step
from abl.syntax.gather import Gather, GatherField, StepGather
from abl.syntax.memory import Memory, PersistentPath, SessionVariable


def document() -> Document:
    step = Step(
        name="s",
        collect=StepGather(fields=[GatherField(name="name")]),
        gather=StepGather(fields=[GatherField(name="zone", type="enum")]),
    )
    return Document(
        name="Desk",
        gather=Gather(fields=[GatherField(name="code", message="The code")]),
        flow=Flow(steps=[step]),
        memory=Memory(
            session=[SessionVariable(name="code", type="number")],
            persistent=[PersistentPath(path="user.tier")],
            reads=["user.x"],
        ),
    )


def test_fields_of_the_agent_come_before_those_of_its_steps() -> None:
    assert [field.name for field in gather_fields(document())] == ["code", "zone", "name"]


def test_declarations_complete_each_other() -> None:
    assert declared_names(document()) == {
        "code": ("number", "The code"),
        "zone": ("enum", ""),
        "name": ("", ""),
        "user.tier": ("", ""),
        "user.x": ("", ""),
    }
    assert declared_names(Document()) == {}


def test_what_is_passed_has_a_type_and_where_known_a_description() -> None:
    assert passed(["code", "other"], declared_names(document())) == [
        {"name": "code", "type": "number", "description": "The code"},
        {"name": "other", "type": "string"},
    ]
