from __future__ import annotations

import pytest

from abl import compile_abl_to_ir
from abl.compiler import CompileOptions


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"config_variables": {"a": 1}}, "config_variables", {"a": 1}),
        ({"configVariables": {"a": 1}}, "config_variables", {"a": 1}),
        ({"toolCatalog": {}}, "tool_catalog", {}),
        ({"entryAgent": "A"}, "entry_agent", "A"),
        ({"timeoutMs": 5}, "timeout_ms", 5),
        ({"strict": True}, "strict", True),
        ({"singleAgent": True}, "single_agent", True),
        ({"projectAgents": ["A"]}, "project_agents", ["A"]),
        ({"compiledAt": "now"}, "compiled_at", "now"),
        ({"strict": "yes"}, "strict", False),
        ({"tool_catalog": 3}, "tool_catalog", None),
    ],
)
def test_options_are_read_from_a_mapping(given: dict, field: str, value: object) -> None:
    assert getattr(CompileOptions.read(given), field) == value


@pytest.mark.parametrize("given", [None, 3, "x", [], CompileOptions()])
def test_anything_else_gives_the_defaults(given: object) -> None:
    assert CompileOptions.read(given) == CompileOptions()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tool_catalogue": {}}, "there is no option tool_catalogue. Did you mean tool_catalog? Options are: config"),
        ({"singelAgent": True}, "there is no option singelAgent. Did you mean single_agent?"),
        ({3: 4}, "there is no option 3. Options are: "),
    ],
)
def test_an_option_that_does_not_exist_is_refused_with_the_near_one(given: dict, said: str) -> None:
    with pytest.raises(TypeError) as raised:
        CompileOptions.read(given)
    assert str(raised.value).startswith(said)


def test_a_time_limit_needs_a_clock_and_gives_e727() -> None:
    texts = ["AGENT: A\nGOAL: x\n", "AGENT: B\nGOAL: x\n"]
    seconds = iter(range(100))
    output = compile_abl_to_ir(texts, {"timeout_ms": 1500, "clock": lambda: float(next(seconds))})
    assert [one["code"] for one in output["compilation_errors"]] == ["E727"]
    assert list(output["agents"]) == ["A"]
    assert "compilation_errors" not in compile_abl_to_ir(texts, {"timeout_ms": 0})
    assert "E727" in str(CompileOptions.__doc__)
