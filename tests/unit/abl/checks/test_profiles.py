"""Whether behaviour profiles fit the agents that use them."""

import pytest

PROFILE = """
    BEHAVIOR_PROFILE: phone-callers
    PRIORITY: 20
    WHEN: channel == "voice"
    TOOLS:
      HIDE: [{tool}]
    FLOW:
      SKIP: [{step}]
"""
AGENT = """
    AGENT: {name}
    GOAL: "Help"
    USE BEHAVIOR_PROFILE: phone-callers
    TOOLS:
      {tool}() -> object
        description: "Makes a document"
    FLOW:
      entry_point: {step}
      {step}:
        REASONING: false
        RESPOND: "Hello."
        THEN: COMPLETE
"""


def test_a_profile_that_fits_is_fine(in_project):
    profile = PROFILE.format(tool="export_pdf", step="greet")
    assert not in_project(desk=AGENT.format(name="Desk", tool="export_pdf", step="greet"), phone=profile)


def test_unknown_tools_and_steps_are_reported_in_the_profile(in_project):
    profile = PROFILE.format(tool="export_pfd", step="gret")
    found = in_project(desk=AGENT.format(name="Desk", tool="export_pdf", step="greet"), phone=profile)
    assert [(one.code, one.file, one.line) for one in found] == [
        ("PROFILE_UNKNOWN_TOOL", "phone", 5),
        ("PROFILE_UNKNOWN_STEP", "phone", 7),
    ]
    assert [one.fix.title for one in found] == ["write `export_pdf`", "write `greet`"]


def test_it_is_enough_when_one_user_of_the_profile_has_the_tool(in_project):
    profile = PROFILE.format(tool="export_pdf", step="greet")
    desk = AGENT.format(name="Desk", tool="export_pdf", step="greet")
    night = AGENT.format(name="Night", tool="other_tool", step="hello")
    assert not in_project(desk=desk, night=night, phone=profile)


@pytest.mark.parametrize("key", ["before", "after", "step"])
def test_insertions_name_steps_of_the_agent(in_ir, key):
    changes = {"insertions": [{"after": "ask", key: "aks"}], "overrides": [{"name": "ask", "respond": "x"}]}
    ir = {
        "flow": {"definitions": {"ask": {"respond": "x"}}},
        "behavior_profiles": [{"name": "p", "flow_modifications": changes}],
    }
    assert len(in_ir(ir, "PROFILE_UNKNOWN_STEP")) == 1


def test_overrides_name_steps_of_the_agent(in_ir):
    profile = {"name": "p", "flow_modifications": {"overrides": {"aks": {"respond": "x"}}}}
    ir = {"flow": {"definitions": {"ask": {"respond": "x"}}}, "behavior_profiles": [profile]}
    assert len(in_ir(ir, "PROFILE_UNKNOWN_STEP")) == 1


def test_the_tools_and_steps_of_other_users_are_suggested_too(in_ir):
    changes = {"skip": ["aks"]}
    users = {
        name: {
            "metadata": {"name": name},
            "tools": [{"name": tool, "description": "d"}],
            "flow": {"definitions": {step: {"respond": "x"}}},
            "behavior_profiles": [{"name": "p", "tools_hide": ["fnid"], "flow_modifications": changes}],
        }
        for name, tool, step in (("A", "other", "begin"), ("B", "find", "ask"))
    }
    tool = in_ir(users["A"], "PROFILE_UNKNOWN_TOOL", agents=users)
    step = in_ir(users["A"], "PROFILE_UNKNOWN_STEP", agents=users)
    assert ["find" in one.message for one in tool] == [True]
    assert ["ask" in one.message for one in step] == [True]


def test_a_condition_that_cannot_be_read_is_reported_in_an_ir(in_ir):
    assert in_ir({"behavior_profiles": [{"name": "p", "when": "a == == b"}]}, "PROFILE_INVALID_WHEN")
    assert not in_ir({"behavior_profiles": [{"name": "p", "when": 'channel == "voice"'}]}, "PROFILE_INVALID_WHEN")


def test_a_condition_that_cannot_be_read_is_reported_in_a_text(in_text):
    text = 'BEHAVIOR_PROFILE: p\nPRIORITY: 1\nWHEN: channel == AND == "voice"\nINSTRUCTIONS: "x"\n'
    found = in_text(text)
    assert [(one.code, one.line) for one in found] == [("PROFILE_INVALID_WHEN", 3), ("INVALID_CONDITION", 3)]


def test_replacing_and_changing_a_flow_do_not_go_together(in_ir):
    step = {"definitions": {"ask": {"respond": "x"}}}
    both = {"name": "p", "flow_replace": step, "flow_modifications": {"skip": ["ask"]}}
    assert in_ir({"flow": step, "behavior_profiles": [both]}, "PROFILE_FLOW_CONFLICT")
    one = {"name": "p", "flow_replace": step, "flow_modifications": {"skip": []}}
    assert not in_ir({"flow": step, "behavior_profiles": [one]}, "PROFILE_FLOW_CONFLICT")


def test_replacing_and_changing_are_reported_in_a_text(in_text):
    text = """
        BEHAVIOR_PROFILE: p
        PRIORITY: 1
        WHEN: channel == "voice"
        FLOW:
          SKIP: [show_map]
          REPLACE:
            greet:
              REASONING: false
              RESPOND: "Hello."
              THEN: COMPLETE
    """
    assert [one.code for one in in_text(text)] == ["PROFILE_FLOW_CONFLICT"]


PHONE = """
BEHAVIOR_PROFILE: phone
PRIORITY: 1
WHEN: channel == "voice"
GATHER:
  FIELD_OVERRIDES:
    code:
      validation: "20-1"
FLOW:
  REPLACE:
    hello:
      REASONING: false
      RESPOND: Hello
      THEN: nowhere
"""
DESK = """
AGENT: Desk
GOAL: Help
USE BEHAVIOR_PROFILE: phone
GATHER:
  code:
    prompt: "Code?"
    type: number
FLOW:
  ask:
    REASONING: false
    GATHER: code
    RESPOND: "{{code}}"
    THEN: COMPLETE
"""


def test_checks_and_steps_that_a_profile_puts_in_place_are_looked_at_like_the_agents_own(in_project):
    found = [(one.code, one.severity, one.file, one.line) for one in in_project(desk=DESK, phone=PHONE)]
    assert ("EMPTY_RANGE", "error", "phone", 7) in found
    assert ("DANGLING_STEP_REF", "error", "phone", 13) in found
    right = PHONE.replace("20-1", "1-20").replace("nowhere", "COMPLETE")
    assert not [one for one in in_project(desk=DESK, phone=right) if one.is_error]


def test_what_is_wrong_in_a_profile_is_said_once_however_many_agents_use_it(in_project):
    other = DESK.replace("AGENT: Desk", "AGENT: Other")
    codes = [one.code for one in in_project(desk=DESK, other=other, phone=PHONE)]
    assert (codes.count("EMPTY_RANGE"), codes.count("DANGLING_STEP_REF")) == (1, 1)
