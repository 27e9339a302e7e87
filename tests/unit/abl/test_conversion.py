"""From one form of the language to another."""

import pytest

from abl import parse
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
    assert (step.collect, step.prompt) == ("", "")
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
