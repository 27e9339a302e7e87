"""TOOLS in the YAML form: names, signatures, types, imports, defaults."""

from textwrap import dedent

import pytest

from abl.yaml_form import parse_yaml

HEAD = "agent: Desk\ngoal: Help\n"


def read(body):
    result = parse_yaml(HEAD + dedent(body))
    assert not result.errors
    return result.document


def codes(body):
    return [one.code for one in parse_yaml(HEAD + dedent(body)).findings]


@pytest.mark.parametrize(
    "tools",
    [
        '- "find(code: string) -> object"',
        '- name: "find(code: string) -> object"',
        '- signature: "find(code: string)"\n  returns: object',
        "- find: {parameters: {code: string}, returns: object}",
        "find: {parameters: [{name: code, type: string}], returns: object}",
        "- {name: find, parameters: [{code: string}], return: {type: object}}",
    ],
)
def test_all_ways_to_write_a_tool_say_the_same(tools):
    (tool,) = read("tools:\n" + "\n".join(f"  {line}" for line in tools.split("\n")) + "\n").tools
    assert (tool.name, [(one.name, one.type.base) for one in tool.parameters], tool.returns.base) == (
        "find",
        [("code", "string")],
        "object",
    )


@pytest.mark.parametrize(
    ("tools", "code"),
    [
        ("tools: nothing\n", "EXPECTED_LIST"),
        ("tools: [[a]]\n", "EXPECTED_MAP"),
        ("tools:\n  - {description: x, type: http}\n", "INVALID_TOOL_SIGNATURE"),
        ("tools: [__own]\n", "RESERVED_TOOL_NAME"),
        ("tools: [a, a]\n", "DUPLICATE_TOOL"),
        ("tool_imports: [a]\n", "EXPECTED_MAP"),
    ],
)
def test_what_is_no_tool_is_reported(tools, code):
    assert code in codes(tools)


def test_types_are_maps_lists_or_words():
    tool = read("""
        tools:
          - name: find
            parameters:
              a: {type: array, items: {type: object, fields: {x?: number}}}
              b: {enum: [p, q]}
              c?: {properties: {y: string}}
              d: "string[]"
        """).tools[0]
    a, b, c, d = tool.parameters
    assert (a.type.base, a.type.items.base, a.type.items.fields[0].name) == ("array", "object", "x")
    assert a.type.items.fields[0].optional is True
    assert b.enum == ["p", "q"]
    assert (c.optional, c.type.fields[0].name) == (True, "y")
    assert d.type.items.base == "string"


def test_imports_and_defaults_are_read():
    document = parse_yaml("""\
kind: tools
agent: x
tool_defaults: {base_url: "https://x.example", retry: 2}
tool_imports:
  - {from: a.tools.abl, use: [find, keep]}
  - {tool: tracer, version: "2"}
tools: [find]
""").document
    first, second = document.tool_imports
    assert (first.path, first.names) == ("a.tools.abl", ["find", "keep"])
    assert (second.slug, second.version) == ("tracer", "2")
    assert (document.tool_defaults.base_url, document.tool_defaults.retry) == ("https://x.example", 2)
