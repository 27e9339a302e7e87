from __future__ import annotations

from abl.compiler import Unit
from abl.compiler.catalogue import Catalogue, normal_path, tool_from_mapping
from abl.syntax.document import Document
from abl.syntax.tools import Tool, ToolDefaults


def library(path: str, **defaults: object) -> Unit:
    tool = Tool(name="f", headers={"A": "own"}, endpoint="/f")
    return Unit(Document(kind="tools", tools=[tool], tool_defaults=ToolDefaults(**defaults)), None, path)


def test_presets_of_a_library_fill_what_a_tool_leaves_open() -> None:
    made = Catalogue([library("t.tools.abl", base_url="https://a", timeout=5, headers={"A": "preset", "B": "b"})], None)
    tool = made.find("f").tool
    assert (tool.base_url, tool.timeout, tool.headers) == ("https://a", 5, {"A": "own", "B": "b"})


def test_a_library_is_found_by_path_or_by_file_name() -> None:
    first, second = library("a/t.tools.abl"), library("b/t.tools.abl")
    made = Catalogue([first, second], None)
    assert made.library("./t.tools.abl", "b/x.agent.abl") is second
    assert made.library("../b/t.tools.abl", "a/x.agent.abl") is second
    assert made.library(r"..\b\t.tools.abl", "a/x.agent.abl") is second
    assert made.library("b/t.tools.abl", None) is second
    assert made.library("./t.tools.abl", "elsewhere/x.abl") is first
    assert made.library("./u.tools.abl", "a/x.abl") is None


def test_paths_are_compared_in_their_normal_form() -> None:
    assert normal_path(r".\a\..\b\c") == "b/c"


def test_a_definition_may_have_the_form_of_the_ir() -> None:
    tool = tool_from_mapping(
        "f",
        {
            "description": "d",
            "tool_type": "http",
            "parameters": [{"name": "a", "type": "number", "required": True}],
            "returns": {"type": "object", "fields": {"x": {"type": "string", "optional": True}}},
            "hints": {"side_effects": True, "timeout": 9},
            "confirmation": {"require": "always", "immutable_params": ["a"]},
            "http_binding": {
                "endpoint": "/f",
                "retry": {"count": 2, "delay_ms": 5},
                "auth": {"type": "bearer", "config": {"token": "t"}},
            },
        },
    )
    assert (tool.type, tool.endpoint, tool.retry, tool.retry_delay) == ("http", "/f", 2, 5)
    assert (tool.auth, tool.auth_config, tool.side_effects, tool.timeout) == ("bearer", {"token": "t"}, True, 9)
    assert (tool.confirmation_require, tool.immutable) == ("always", ["a"])
    assert tool.parameters[0].type.base == "number"
    assert tool.returns.fields[0].optional is True


def test_a_definition_may_have_the_form_of_the_yaml_form() -> None:
    tool = tool_from_mapping(
        "f", {"type": "mcp", "mcp_binding": {"server": "s"}, "parameters": {"a": "string[]"}, "returns": "object"}
    )
    assert (tool.type, tool.server, tool.returns.base) == ("mcp", "s", "object")
    assert tool.parameters[0].type.items.base == "string"


def test_odd_definitions_are_passed_over() -> None:
    made = Catalogue([], {"a": 3, "b": {"parameters": 4, "returns": 5, "retry": "x", "hints": []}, 7: Tool(name="t")})
    assert made.find("a") is None
    assert made.find("b") is not None
    assert list(made.names) == ["b", "7"]
