"""Names in behaviour profiles are held against what the agents that use them know."""

import pytest

DESK = """
    AGENT: Desk
    GOAL: "Help"
    {use}
    TOOLS:
      find_parcel(code: string) -> {{status: string}}
        description: "Finds a parcel"
    GATHER:
      parcel_code:
        prompt: "The code?"
    FLOW:
      entry_point: greet
      greet:
        REASONING: false
        CALL: find_parcel(parcel_code) AS parcel
        RESPOND: "{{{{parcel.status}}}}"
        THEN: COMPLETE
"""
USE = "USE BEHAVIOR_PROFILE: phone"
PROFILE = """
    BEHAVIOR_PROFILE: phone
    PRIORITY: 20
    WHEN: {when}
    INSTRUCTIONS: "Say {{{{{name}}}}} slowly."
    GATHER:
      FIELD_OVERRIDES:
        {field}:
          prompt: "Please spell the code."
    FLOW:
      REPLACE:
        entry_point: ask
        ask:
          REASONING: false
          CALL: {tool}(parcel_code) AS parcel
          THEN: {step}
        done:
          REASONING: false
          RESPOND: "Bye"
          THEN: COMPLETE
"""
RIGHT = {"when": "channel", "name": "parcel_code", "field": "parcel_code", "tool": "find_parcel", "step": "done"}


def profile(**words):
    return PROFILE.format(**{**RIGHT, **words})


def test_a_profile_whose_names_exist_is_fine(in_project):
    assert not in_project(desk=DESK.format(use=USE), phone=profile())


@pytest.mark.parametrize("use", [USE, ""], ids=["used", "used by nobody"])
@pytest.mark.parametrize(
    ("place", "word", "meant", "code", "line"),
    [
        ("when", "chanel", "channel", "UNDEFINED_CONDITION_VAR", 3),
        ("name", "parcel_coed", "parcel_code", "UNDEFINED_NAME", 4),
        ("field", "parcel_coed", "parcel_code", "PROFILE_UNKNOWN_FIELD", 7),
        ("tool", "find_parcle", "find_parcel", "UNDEFINED_TOOL_CALL", 14),
        ("step", "dnoe", "done", "DANGLING_STEP_REF", 15),
    ],
)
def test_a_slip_is_reported_in_the_profile_with_what_is_meant(in_project, use, place, word, meant, code, line):
    found = in_project(desk=DESK.format(use=use), phone=profile(**{place: word}))
    assert [(one.code, one.file, one.line) for one in found] == [(code, "phone", line)]
    assert found[0].fix is not None
    assert found[0].fix.edits[0].text == meant


@pytest.mark.parametrize("place", ["name", "field", "tool"])
def test_a_name_that_is_near_nothing_may_be_known_to_an_agent_elsewhere(in_project, place):
    assert not in_project(desk=DESK.format(use=USE), phone=profile(**{place: "somebody_elses"}))


def test_what_one_of_several_agents_knows_is_known(in_project):
    other = DESK.format(use=USE).replace("Desk", "Other").replace("parcel_code", "parcel_coed")
    assert not in_project(desk=DESK.format(use=USE), other=other, phone=profile(name="parcel_coed"))


def test_what_the_profile_sets_itself_is_known(in_project):
    text = profile(name="parcle").replace(" AS parcel", " AS parcle")
    assert not in_project(desk=DESK.format(use=USE), phone=text)


def test_a_profile_alone_is_held_against_nothing(in_project):
    assert not in_project(phone=profile(name="parcel_coed", tool="find_parcle"))


def test_an_inline_profile_is_held_against_its_agent(in_text):
    text = """
        GATHER:
          parcel_code:
            prompt: "The code?"
        BEHAVIOR_PROFILE: phone
        PRIORITY: 20
        WHEN: channel == "voice"
        INSTRUCTIONS: "Say {{parcel_coed}} slowly."
    """
    found = in_text(text, "UNDEFINED_NAME")
    assert [one.fix.edits[0].text for one in found] == ["parcel_code"]
