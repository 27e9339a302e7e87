from __future__ import annotations

import pytest

from abl.compiler import CompileOptions, Places, Unit
from abl.compiler.lowering import Changes, lower, shape, shape_of, target
from abl.compiler.places import FIELD_OF_KEY
from abl.compiler.scope import Scope
from abl.syntax.document import Document
from abl.syntax.execution import ToolFilter
from abl.syntax.memory import SessionVariable
from abl.syntax.node import NODES
from abl.syntax.steps import Hook
from tests.support.cells import over


@pytest.fixture
def scope() -> Scope:
    document = Document(name="Desk")
    return Scope(Unit(document), document, CompileOptions(), Places(), [])


def test_what_is_not_written_is_absent(scope: Scope) -> None:
    assert lower(SessionVariable(name="a"), scope, shape_of("SessionVariable")) == {"name": "a"}


def test_defaults_fill_in_and_zero_counts_as_written(scope: Scope) -> None:
    how = shape(SessionVariable, Changes(defaults={"reset": "never", "initial_value": 5}))
    assert lower(SessionVariable(name="a", initial_value=0), scope, how) == {
        "name": "a",
        "initial_value": 0,
        "reset": "never",
    }


def test_keys_may_be_renamed_or_as_written(scope: Scope) -> None:
    how = shape(ToolFilter, Changes(keys_as_written=True))
    assert lower(ToolFilter(max_tools=3), scope, how) == {"maxTools": 3}
    assert FIELD_OF_KEY[ToolFilter]["maxTools"] == "max_tools"


def test_actions_and_answers_come_by_themselves(scope: Scope) -> None:
    node = Hook(name="before_turn", respond="x", clear=["a"])
    assert lower(node, scope, shape(Hook)) == {"name": "before_turn", "critical": False, "respond": "x", "clear": ["a"]}


def test_every_object_is_recorded(scope: Scope) -> None:
    node = SessionVariable(name="a")
    assert scope.places.find(lower(node, scope, shape_of("SessionVariable"))).node is node


@over("name", sorted(NODES))
def test_every_class_has_a_shape(scope: Scope, name: str) -> None:
    assert isinstance(lower(NODES[name](), scope, shape_of(name)), dict)


def test_terminals_are_in_capitals(scope: Scope) -> None:
    assert [target(one, scope, Hook()) for one in ("complete", "Escalate", "Ask")] == ["COMPLETE", "ESCALATE", "Ask"]
