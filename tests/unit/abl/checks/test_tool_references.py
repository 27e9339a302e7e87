"""Whether every tool that is called exists, and how it is declared."""

import pytest

TOOLS = [{"name": "find_parcel", "description": "d"}, {"name": "__handoff__", "system": True}]


def agent(**more):
    return {"metadata": {"name": "A"}, "tools": TOOLS, **more}


@pytest.mark.parametrize(
    "more",
    [
        {"flow": {"definitions": {"s": {"call": "find_parcle"}}}},
        {"flow": {"definitions": {"s": {"call": "find_parcle(code)"}}}},
        {"flow": {"definitions": {"s": {"call": "find_parcle", "call_spec": {"tool": "find_parcle"}}}}},
        {"flow": {"definitions": {"s": {"reasoning_zone": {"available_tools": ["find_parcel", "find_parcle"]}}}}},
        {"flow": {"definitions": {"s": {"on_input": [{"call": "find_parcle"}]}}}},
        {"on_start": {"call_spec": {"tool": "find_parcle"}}},
        {"hooks": {"after_turn": {"call": "find_parcle"}}},
        {"action_handlers": [{"action_id": "a", "do": [{"call_spec": {"tool": "find_parcle"}}]}]},
        {"constraints": {"constraints": [{"checkpoint": {"kind": "tool_call", "target": "find_parcle"}}]}},
    ],
)
def test_an_unknown_tool_is_reported_wherever_it_is_named(in_ir, more):
    found = in_ir(agent(**more), "UNDEFINED_TOOL_CALL")
    assert len(found) == 1
    assert "Did you mean find_parcel?" in found[0].message


@pytest.mark.parametrize("tool", ["find_parcel", "__handoff__", "__set_context__"])
def test_declared_and_built_in_tools_may_be_called(in_ir, tool):
    assert not in_ir(agent(on_start={"call": tool}), "UNDEFINED_TOOL_CALL")


def test_a_tool_of_a_profile_may_be_called(in_ir):
    ir = agent(on_start={"call": "send_sms"}, behavior_profiles=[{"name": "p", "tools_add": [{"name": "send_sms"}]}])
    assert not in_ir(ir, "UNDEFINED_TOOL_CALL")


def test_an_imported_tool_may_be_called_although_its_file_is_not_there(in_text):
    text = """
        TOOLS:
          FROM "./parcels.tools.abl" USE: find_parcel
        ON_START:
          CALL: find_parcel("x")
            AS: parcel
    """
    assert not in_text(text, "UNDEFINED_TOOL_CALL")


def test_a_misspelt_tool_is_mended_in_the_text(in_text, mended):
    text = """
        TOOLS:
          list_hubs() -> object
            description: "Lists the hubs"
        FLOW:
          look:
            REASONING: false
            CALL: list_hbus() AS hubs
            THEN: COMPLETE
    """
    (found,) = in_text(text, "UNDEFINED_TOOL_CALL")
    assert (found.line, found.column, found.length) == (9, 11, 9)
    assert "CALL: list_hubs() AS hubs" in mended(found, text)


def test_a_misspelt_tool_in_before_is_mended_in_the_text(in_text, mended):
    text = """
        TOOLS:
          list_hubs() -> object
            description: "Lists the hubs"
        CONSTRAINTS:
          - REQUIRE channel != "voice" BEFORE calling list_hbus
            ON_FAIL: "Not on the phone."
    """
    (found,) = in_text(text, "UNDEFINED_TOOL_CALL")
    assert "BEFORE calling list_hubs\n" in mended(found, text)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ({"jit_auth": True}, 1),
        ({"jit_auth": True, "auth_profile_ref": "login"}, 0),
        ({"jit_auth": False}, 0),
        ({}, 0),
    ],
)
def test_authorisation_at_first_use_needs_a_profile(in_ir, tool, expected):
    ir = {"tools": [{"name": "t", "description": "d", **tool}]}
    assert len(in_ir(ir, "AUTH_JIT_WITHOUT_PROFILE")) == expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ({"hints": {"side_effects": True}}, 1),
        ({"hints": {"side_effects": True}, "confirmation": {"require": "always"}}, 0),
        ({"hints": {"side_effects": True}, "confirmation": {"require": "never"}}, 0),
        ({"hints": {"side_effects": True}, "system": True}, 0),
        ({"hints": {"side_effects": False}}, 0),
        ({"hints": "x"}, 0),
    ],
)
def test_side_effects_want_an_answer_about_confirmation(in_ir, tool, expected):
    ir = {"tools": [{"name": "t", "description": "d", **tool}]}
    assert len(in_ir(ir, "SIDE_EFFECT_TOOL_WITHOUT_CONFIRMATION")) == expected


def test_never_is_an_answer_in_the_text_too(in_text):
    text = """
        TOOLS:
          send_sms(to: string) -> object
            description: "Sends a message"
            side_effects: true
            confirm: never
    """
    assert not in_text(text, "SIDE_EFFECT_TOOL_WITHOUT_CONFIRMATION")


def test_a_tool_twice_in_an_ir_is_reported(in_ir):
    assert len(in_ir({"tools": [{"name": "t"}, {"name": "t"}, {"name": "u"}]}, "DUPLICATE_TOOL")) == 1
