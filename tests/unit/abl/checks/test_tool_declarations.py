"""Tools that are written incompletely, or name what they do not have."""

import pytest

from abl.validation import validate_abl

HEAD = 'TOOLS:\n  find(code: string) -> object\n    description: "d"\n'


def found_in(text, code):
    return [one for one in validate_abl(text) if one.code == code]


@pytest.mark.parametrize(
    ("lines", "missing"),
    [
        ("    type: http\n", "endpoint"),
        ("    type: async_webhook\n", "endpoint"),
        ("    type: mcp\n", "server"),
        ("    type: sandbox\n", "code"),
        ("    type: connector\n    connector: x\n", "action"),
        ("    type: workflow\n", "workflow_id"),
        ("    method: POST\n", "endpoint"),
    ],
)
def test_a_binding_needs_its_decisive_part(lines, missing):
    (found,) = found_in(HEAD + lines, "BINDING_INCOMPLETE")
    assert f"Add `{missing}:`" in found.message
    assert found.line == 2
    assert found.severity == ("error" if "type" in lines else "warning")


def test_in_an_agent_a_missing_part_is_a_warning():
    (found,) = found_in("AGENT: A\nGOAL: g\n" + HEAD + "    type: http\n", "BINDING_INCOMPLETE")
    assert found.severity == "warning"


@pytest.mark.parametrize(
    "lines", ["", "    type: lambda\n", "    type: mcp\n    server: s\n", "    server: s\n    tool: t\n"]
)
def test_stubs_and_complete_bindings_are_let_alone(lines):
    assert not found_in(HEAD + lines, "BINDING_INCOMPLETE")


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("UNKNOWN_ENDPOINT_PARAMETER", '    type: http\n    endpoint: "https://a.example/{cdoe}"\n'),
        ("UNKNOWN_IMMUTABLE_PARAMETER", "    immutable: [cdoe]\n"),
        ("UNKNOWN_PARAMETER", '    parameters:\n      cdoe:\n        description: "x"\n'),
        ("UNDEFINED_NAME", '    endpoint: "https://a.example"\n    query_params:\n      q: "{{cdoe}}"\n'),
    ],
)
def test_a_misspelt_parameter_is_reported_and_mended(code, wrong):
    (found,) = found_in(HEAD + wrong, code)
    assert found.fix.apply(HEAD + wrong) == HEAD + wrong.replace("cdoe", "code")
    assert not found_in(HEAD + wrong.replace("cdoe", "code"), code)


def test_a_private_host_of_a_tool_is_a_warning_unless_it_is_allowed(in_text, in_project):
    text = "AGENT: A\nGOAL: g\n" + HEAD + '    type: http\n    endpoint: "http://127.0.0.1/x"\n'
    (found,) = in_project("PRIVATE_ENDPOINT", a=text)
    assert (found.severity, found.line) == ("warning", 7)
    assert not in_project("PRIVATE_ENDPOINT", a=text.replace("127.0.0.1", "a.example"))


def test_a_tool_that_only_a_near_library_tool_could_be_is_reported_once(in_project):
    agent = """
        AGENT: A
        GOAL: g
        TOOLS:
          fnid(code: string) -> object
        FLOW:
          look:
            REASONING: false
            CALL: find("x")
              AS: found
            THEN: COMPLETE
    """
    library = HEAD + '    type: http\n    endpoint: "https://a.example"\n'
    (found,) = in_project(a=agent, t=library)
    assert (found.code, found.line, found.fix.edits[0].text) == ("TOOL_NOT_IN_LIBRARY", 4, "find")


def test_a_parameter_that_is_nearly_one_of_the_library_is_reported(in_project):
    agent = "AGENT: A\nGOAL: g\nTOOLS:\n  find(cdoe: string) -> object\n"
    found = in_project("UNKNOWN_PARAMETER", a=agent, t=HEAD + '    endpoint: "https://a.example"\n')
    assert [(one.line, one.fix.edits[0].text) for one in found] == [(4, "code")]


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("", 1),
        ("    confirm: always\n", 1),
        ("    type: http\n    endpoint: https://a.example\n", 0),
        ("    endpoint: https://a.example\n", 0),
        ("    method: POST\n", 0),
        ("    type: lambda\n", 0),
    ],
)
def test_a_tool_of_a_library_says_where_it_leads(lines, count):
    found = found_in(HEAD + lines, "TOOL_WITHOUT_TYPE")
    assert [(one.severity, one.line) for one in found] == [("warning", 2)] * count
    assert not found_in("AGENT: A\nGOAL: g\n" + HEAD + lines, "TOOL_WITHOUT_TYPE")


def test_a_tool_that_is_only_a_name_is_told_once():
    assert not found_in("TOOLS: cards\n", "TOOL_WITHOUT_TYPE")
    assert len(found_in("TOOLS: cards\n", "TOOL_ONLY_NAMED")) == 1
