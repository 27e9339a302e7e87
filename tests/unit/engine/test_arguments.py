from __future__ import annotations

import pytest

from engine.arguments import checked, missing_arguments, with_defaults

TOOL = {
    "parameters": [
        {"name": "code", "type": "string", "required": True},
        {"name": "size", "type": "number", "default": 3},
        {"name": "tags", "type": "integer[]"},
        {"name": "fast", "type": "boolean"},
        {"name": "kind", "type": "string", "enum": ["a", "b"]},
        {"name": "when", "type": "object"},
    ]
}


def test_defaults_stand_in_for_what_was_left_out() -> None:
    assert with_defaults(TOOL, {"code": "A"}) == {"code": "A", "size": 3}
    assert with_defaults(TOOL, {"size": None}) == {"size": 3}
    assert missing_arguments(TOOL, {}) == ["code"]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"code": 12}, {"code": "12"}),
        ({"size": "4.5"}, {"size": 4.5}),
        ({"size": "4"}, {"size": 4}),
        ({"tags": ["1", 2.0]}, {"tags": [1, 2]}),
        ({"tags": 3}, {"tags": [3]}),
        ({"fast": "Yes"}, {"fast": True}),
        ({"kind": "b"}, {"kind": "b"}),
        ({"unknown": 1}, {}),
        ({"code": None}, {}),
    ],
)
def test_values_are_brought_to_their_type(given, taken) -> None:
    assert checked(TOOL, given) == (taken, [])


@pytest.mark.parametrize(
    "given", [{"size": "many"}, {"size": True}, {"size": "nan"}, {"tags": ["x"]}, {"fast": "perhaps"}, {"kind": "c"}, {"when": "now"}, {"code": [1]}]
)  # fmt: skip
def test_what_cannot_be_the_type_is_named(given) -> None:
    found, faults = checked(TOOL, given)
    assert found == {}
    assert len(faults) == 1
    assert next(iter(given)) in faults[0]
