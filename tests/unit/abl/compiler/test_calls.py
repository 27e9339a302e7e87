from __future__ import annotations

import pytest

from abl.compiler import CompileOptions, Places, Unit
from abl.compiler.calls import call_spec, delegate_call
from abl.compiler.scope import Scope
from abl.syntax.document import Document
from abl.syntax.steps import Argument, Call, DelegateCall


@pytest.fixture
def scope() -> Scope:
    document = Document(name="Desk")
    made = Scope(Unit(document), document, CompileOptions(), Places(), [])
    made.parameters["find"] = dict.fromkeys(("code", "region", "lang"))
    return made


def args(*written: str) -> list[Argument]:
    pairs = [one.split("=", 1) if "=" in one else ["", one] for one in written]
    return [Argument(name=name, expression=value) for name, value in pairs]


@pytest.mark.parametrize(
    ("written", "bound"),
    [
        (["x", "y"], {"code": "x", "region": "y"}),
        (["region", "x"], {"region": "region", "code": "x"}),
        (["x", "lang", "y"], {"code": "x", "lang": "lang", "region": "y"}),
        (["code=a", "x"], {"code": "a", "region": "x"}),
        (["lang=a", "b", "c"], {"lang": "a", "code": "b", "region": "c"}),
        ([], {}),
    ],
)
def test_positional_arguments_find_their_parameters(scope: Scope, written: list[str], bound: dict[str, str]) -> None:
    assert call_spec(Call(tool="find", arguments=args(*written)), scope) == {"tool": "find", "with": bound}


def test_surplus_arguments_are_kept(scope: Scope) -> None:
    assert call_spec(Call(tool="find", arguments=args("a", "b", "c", "d")), scope)["args"] == ["d"]
    assert call_spec(Call(tool="unknown", arguments=args("a")), scope)["args"] == ["a"]


def test_with_goes_before_arguments(scope: Scope) -> None:
    call = Call(tool="find", arguments=args("x"), with_={"code": "y", "lang": '"de"'}, as_="found")
    assert call_spec(call, scope) == {"tool": "find", "with": {"code": "y", "lang": '"de"'}, "as": "found"}


def test_a_call_without_parentheses_takes_its_parameters_from_state(scope: Scope) -> None:
    assert call_spec(Call(tool="find", with_={"code": "y"}), scope) == {
        "tool": "find",
        "with": {"code": "y"},
        "from_state": True,
    }


def test_a_delegate_inside_a_handler(scope: Scope) -> None:
    node = DelegateCall(agent="Rates", return_=True, map={"a": "b"}, input={"c": "d"})
    assert delegate_call(node, scope) == {"agent": "Rates", "return": True, "map": {"a": "b"}, "input": {"c": "d"}}
    assert delegate_call(None, scope) is None
    assert delegate_call(DelegateCall(), scope) is None
