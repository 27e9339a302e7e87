"""From one form of the language to another."""

import pytest

from abl import compile_abl_to_ir, parse
from abl.conversion import TARGETS, convert

DESK = 'AGENT: Desk\nGOAL: "Help"\n'
SUPERVISOR = "SUPERVISOR: Front\nAGENTS:\n  Desk:\n    description: Helps\nBEHAVIOR:\n  can_respond_directly: true\n"
SCRIPTED = """\
AGENT: Desk
MODE: scripted
IDENTITY:
  persona: Calm
  expertise: [parcels]
  limitations: [never guess]
LIMITATIONS:
  - never guess
FLOW:
  ask:
    COLLECT: city
    PROMPT: Where?
    THEN: COMPLETE
"""


def read(text):
    result = parse(text, strict=True)
    assert not result.errors
    return result.document


def test_text_and_yaml_say_the_same():
    yaml = convert(DESK, "yaml").text
    assert read(yaml).format == "yaml"
    assert convert(yaml, "abl").text == convert(DESK, "abl").text


def test_a_scripted_agent_becomes_one_without_a_mode():
    made = read(convert(SCRIPTED, "modern").text)
    assert (made.mode, made.identity) == ("", None)
    assert made.goal == "Follow the steps"
    assert made.persona == "Calm\nExpertise: parcels"
    assert made.limitations == ["never guess"]
    step = made.flow.steps[0]
    assert step.reasoning is False
    assert (step.collect, step.prompt) == (None, "")
    assert [(one.name, one.prompt) for one in step.gather.fields] == [("city", "Where?")]


def test_a_numbered_supervisor_becomes_one_that_can_be_read():
    assert read(convert(SUPERVISOR, "modern").text).goal == "Hand every request to the right agent"


def test_a_modern_text_stays_as_it_is():
    assert parse(convert(DESK, "modern").text).document == parse(DESK).document


@pytest.mark.parametrize("to", TARGETS)
def test_a_text_with_errors_is_not_converted(to):
    made = convert("AGENT: Desk\nGAOL: Help\n", to)
    assert made.text is None
    assert [one.code for one in made.findings] == ["UNKNOWN_SECTION"]
    assert made.reason == "mend the errors first"


def test_several_agents_are_converted_one_by_one_but_not_to_yaml():
    both = DESK + DESK.replace("Desk", "Other")
    assert convert(both, "abl").text.count("AGENT: ") == 2
    assert convert(both, "yaml").text is None
    assert convert(both, "yaml").reason == "it holds 2 agents, and a YAML text holds one"


OLD = """\
SUPERVISOR: Old_Front
# who is next
STATE:
  user.name: string? = "x"
CONTRACT:
  inputs:
    region: enum(EU, US)
  outputs:
    response: string
AGENTS:
  trace: "agents/trace" [find]
INTENTS:
  [a] -> trace
TOOLS:
  find(a: string) -> object
    type: http
    endpoint: "https://x.example/{a}"
    on_failure: retry(2)
TESTS:
  one:
    input: "hi"
"""


def without_metadata(text):
    return {name: {**ir, "metadata": None} for name, ir in compile_abl_to_ir(text)["agents"].items()}


def test_a_conversion_says_what_it_left_out_what_it_made_up_and_what_remains():
    made = convert(OLD, "modern")
    assert made.notes[:-1] == [
        "left out: the comments",
        "left out of Old_Front: TESTS (one)",
        "left out of Old_Front: CONTRACT outputs that every reply has (response)",
        "left out of Old_Front: allowed values in CONTRACT (region)",
        'made up for Old_Front, which has none: GOAL: "Hand every request to the right agent"',
    ]
    assert made.notes[-1].startswith("`abl check --strict` still refuses (E720): A tool binding does not belong")
    assert made.library is None
    assert convert(DESK, "modern").notes == []


def test_a_supervisor_of_the_numbered_grammar_compiles_like_its_modern_form():
    assert without_metadata(convert(OLD, "modern").text) == without_metadata(OLD)


def test_the_bindings_go_into_a_library_and_nothing_remains():
    made = convert(OLD, "modern", split_tools=True)
    assert not [note for note in made.notes if "strict" in note]
    assert read(made.text).tools[0].endpoint == ""
    library = read(made.library)
    assert (library.kind, library.tools[0].endpoint, library.tools[0].retry) == ("tools", "https://x.example/{a}", 2)
    joined = compile_abl_to_ir({"a.abl": made.text, "t.tools.abl": made.library})
    assert joined["agents"]["Old_Front"]["tools"] == compile_abl_to_ir(OLD)["agents"]["Old_Front"]["tools"]


def test_a_binding_that_two_agents_have_otherwise_is_named():
    tools = "TOOLS:\n  find() -> object\n    endpoint: {}\n"
    both = DESK + tools.format("/a") + DESK.replace("Desk", "Other") + tools.format("/b")
    made = convert(both, "modern", split_tools=True)
    assert made.notes == ["left out: the binding of find in Other; another agent has its own"]
    assert '"/a"' in made.library


@pytest.mark.parametrize("line", ["# note", "  // note", "/* note */", 'PERSONA: "x"  # note'])
def test_comments_are_noticed(line):
    assert "left out: the comments" in convert(f"{DESK}{line}\n", "abl").notes


def test_what_looks_like_a_comment_in_a_block_text_is_none():
    assert convert(f"{DESK}PERSONA: |\n  # calm\n", "abl").notes == []


@pytest.mark.parametrize(
    "text",
    [
        "AGENT: A\nMODE: scripted\nFLOW:\n  a:\n    RESPOND: hi\n    THEN: COMPLETE\n",
        'AGENT: A\nIDENTITY:\n  role: Desk\nMODE: scripted\nSTEPS:\n  1. Ask\n    RESPOND "hi"\n    WAIT_INPUT\n',
        "SUPERVISOR: A\nMODE: reasoning\nIDENTITY:\n  role: Desk\nSTATE:\n  a: string\n",
        "agent: A\nmode: reasoning\ngoal: x\n",
    ],
)
def test_the_modern_form_has_no_mode(text: str) -> None:
    made = convert(text, "modern").text
    assert made is not None
    assert "MODE" not in made
