"""Whether the model can tell what tools and parameters are for."""

import pytest


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ({"description": "Lists hubs"}, 0),
        ({"description": "Execute t"}, 1),
        ({"description": " "}, 1),
        ({}, 1),
        ({"system": True}, 0),
    ],
)
def test_a_tool_needs_a_description(in_ir, tool, expected):
    assert len(in_ir({"tools": [{"name": "t", **tool}]}, "MISSING_TOOL_DESCRIPTION")) == expected


def test_the_place_is_the_name_of_the_tool(in_text):
    (found,) = in_text("TOOLS:\n  list_hubs() -> object\n")
    assert (found.code, found.line, found.column, found.length) == ("MISSING_TOOL_DESCRIPTION", 4, 3, 9)


def test_an_imported_tool_is_described_in_its_own_file(in_text):
    assert not in_text('TOOLS:\n  FROM "./t.tools.abl" USE: list_hubs\n', "MISSING_TOOL_DESCRIPTION")


def test_a_parameter_needs_a_description(in_ir):
    parameters = [{"name": "a", "description": "the a"}, {"name": "b"}]
    ir = {"tools": [{"name": "t", "description": "d", "parameters": parameters}]}
    assert [one.path for one in in_ir(ir)] == ["tools.0.parameters.1.name"]


def test_where_no_model_chooses_arguments_nobody_reads_descriptions(in_ir):
    tools = [{"name": "t", "description": "d", "parameters": [{"name": "b"}]}]
    flow = {"definitions": {"s": {"call": "t"}}}
    assert not in_ir({"tools": tools, "flow": flow}, "MISSING_PARAM_DESCRIPTION")
    flow["definitions"]["z"] = {"reasoning_zone": {"goal": "g"}}
    assert in_ir({"tools": tools, "flow": flow}, "MISSING_PARAM_DESCRIPTION")
