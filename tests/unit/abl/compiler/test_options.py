from __future__ import annotations

import pytest

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
        ({"unknown": 3}, "strict", False),
        ({3: 4}, "strict", False),
    ],
)
def test_options_are_read_from_a_mapping(given: dict, field: str, value: object) -> None:
    assert getattr(CompileOptions.read(given), field) == value


@pytest.mark.parametrize("given", [None, 3, "x", [], CompileOptions()])
def test_anything_else_gives_the_defaults(given: object) -> None:
    assert CompileOptions.read(given) == CompileOptions()
