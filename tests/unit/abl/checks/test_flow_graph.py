"""Whether the steps of a FLOW hang together."""

import pytest


def flow(definitions, **more):
    return {"metadata": {"name": "A"}, "flow": {"definitions": definitions, "steps": list(definitions), **more}}


SAY = {"respond": "Hello."}


def test_an_unknown_entry_point_is_reported_with_the_near_step(in_text, mended):
    text = """
        FLOW:
          entry_point: great
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    (found,) = in_text(text)
    assert (found.code, found.line, found.column, found.length) == ("MISSING_ENTRY_POINT", 4, 16, 5)
    assert "entry_point: greet\n" in mended(found, text)


def test_a_known_entry_point_is_fine(in_ir):
    assert not in_ir(flow({"ask": {**SAY, "then": "COMPLETE"}}, entry_point="ask"))


@pytest.mark.parametrize(
    "step",
    [
        {"then": "shwo"},
        {"on_input": [{"condition": "yes", "then": "shwo"}]},
        {"on_success": {"branches": [{"condition": "true", "then": "shwo"}]}},
        {"on_fail": "shwo"},
        {"on_exhausted": "shwo"},
        {"digressions": [{"intent": "x", "goto": "shwo"}]},
        {"digressions": [{"intent": "x", "do": [{"goto": "shwo"}]}]},
        {"await_attachment": {"variable": "photo", "on_timeout": "shwo"}},
        {"on_error": [{"type": "tool_error", "then": "backtrack", "backtrack_to": "shwo"}]},
        {"on_action": [{"action_id": "b", "transition": "shwo"}]},
        {"human_approval": {"on_approve": "shwo"}},
        {"reasoning_zone": {"goal": "g", "constraints": [{"on_fail": {"type": "goto_step", "then_step": "shwo"}}]}},
    ],
)
def test_every_way_to_an_unknown_step_is_reported(in_ir, step):
    found = in_ir(flow({"ask": {**SAY, "then": "show", **step}, "show": SAY}), "DANGLING_STEP_REF")
    assert [one.message.count("shwo") for one in found] == [1]
    assert "Did you mean show?" in found[0].message


@pytest.mark.parametrize("target", ["COMPLETE", "complete", "Escalate", "show"])
def test_terminals_in_any_case_and_steps_are_ways_to_go(in_ir, target):
    assert not in_ir(flow({"ask": {**SAY, "then": target, "on_fail": "show"}, "show": SAY}), "DANGLING_STEP_REF")


@pytest.mark.parametrize("word", ["retry", "continue"])
def test_words_after_a_failure_are_no_steps(in_ir, word):
    assert not in_ir(flow({"ask": {**SAY, "on_fail": {"respond": "x", "then": word}}}), "DANGLING_STEP_REF")


def test_what_an_error_handler_does_then_is_no_step(in_ir):
    ir = flow({"ask": {**SAY, "on_error": [{"type": "x", "then": "retry_step"}]}})
    ir["error_handling"] = {"handlers": [{"type": "x", "then": "continue"}]}
    assert not in_ir(ir, "DANGLING_STEP_REF")


def test_a_listed_step_without_a_definition_is_reported(in_ir):
    found = in_ir(flow({"ask": SAY}, steps=["ask", "tell"]), "DANGLING_STEP_REF")
    assert [one.path for one in found] == ["flow.steps.1"]


def test_a_button_may_not_lead_to_an_unknown_step(in_ir):
    ir = {**flow({"ask": SAY}), "action_handlers": [{"action_id": "go", "transition": "akk"}]}
    assert [one.path for one in in_ir(ir, "DANGLING_STEP_REF")] == ["action_handlers.0.transition"]


def test_a_dangling_step_is_mended_in_the_text(in_text, mended):
    text = """
        FLOW:
          entry_point: greet
          greet:
            REASONING: false
            RESPOND: "Hello."
            ON_INPUT:
              - IF: yes
                THEN: finihs
          finish:
            REASONING: false
            RESPOND: "Bye."
            THEN: COMPLETE
    """
    found = in_text(text, "DANGLING_STEP_REF")
    assert [(one.line, one.column, one.length) for one in found] == [(10, 15, 6)]
    assert "THEN: finish\n" in mended(found[0], text)


def test_a_step_that_nothing_leads_to_is_an_orphan(in_ir):
    steps = {"ask": {**SAY, "then": "COMPLETE"}, "tell": {**SAY, "then": "ask"}}
    assert [one.path for one in in_ir(flow(steps), "ORPHANED_STEP")] == ["flow.definitions.tell.name"]


@pytest.mark.parametrize(
    "more",
    [
        {"action_handlers": [{"action_id": "go", "transition": "tell"}]},
        {"error_handling": {"handlers": [{"type": "x", "then": "backtrack", "backtrack_to": "tell"}]}},
        {"constraints": {"constraints": [{"condition": "x", "on_fail": {"type": "goto_step", "target": "tell"}}]}},
        {
            "behavior_profiles": [
                {"name": "p", "flow_modifications": {"insertions": [{"after": "ask", "step": "tell"}]}}
            ]
        },
        {"behavior_profiles": [{"name": "p", "flow_modifications": {"overrides": {"ask": {"transition": "tell"}}}}]},
    ],
)
def test_a_step_reached_from_outside_the_flow_is_no_orphan(in_ir, more):
    assert not in_ir({**flow({"ask": SAY, "tell": SAY}), **more}, "ORPHANED_STEP")


def test_a_global_digression_leads_to_a_step(in_ir):
    ir = flow({"ask": SAY, "tell": SAY}, global_digressions=[{"intent": "x", "goto": "tell"}])
    assert not in_ir(ir, "ORPHANED_STEP")


def test_a_sequence_line_leads_from_step_to_step(in_text):
    text = """
        FLOW:
          greet -> ask
          greet:
            REASONING: false
            RESPOND: "Hello."
          ask:
            REASONING: false
            RESPOND: "Bye."
    """
    assert not in_text(text, "ORPHANED_STEP")


def test_without_an_entry_point_no_orphans_are_listed(in_ir):
    assert not in_ir(flow({"ask": SAY, "tell": SAY}, entry_point="nowhere"), "ORPHANED_STEP")


def test_a_misspelt_target_makes_no_orphan(in_ir):
    ir = flow({"ask": {**SAY, "then": "tlel"}, "tell": {**SAY, "then": "more"}, "more": SAY})
    assert [one.code for one in in_ir(ir)] == ["DANGLING_STEP_REF"]


def test_a_step_named_like_an_opaque_key_is_seen(in_ir):
    steps = {"default": {**SAY, "then": "actions"}, "actions": {**SAY, "then": "nowhere"}}
    assert [one.path for one in in_ir(flow(steps), "DANGLING_STEP_REF")] == ["flow.definitions.actions.then"]


def test_a_name_twice_in_the_list_of_steps_is_reported(in_ir):
    assert in_ir(flow({"ask": SAY}, steps=["ask", "ask"]), "DUPLICATE_STEP_NAME")
    assert not in_ir(flow({"ask": SAY}), "DUPLICATE_STEP_NAME")


def test_two_steps_of_one_name_in_a_text_are_reported_once(in_text):
    text = """
        FLOW:
          entry_point: greet
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
          greet:
            REASONING: false
            RESPOND: "Bye."
            THEN: COMPLETE
    """
    assert [one.line for one in in_text(text, "DUPLICATE_STEP_NAME")] == [9]


def test_a_flow_without_steps_is_empty(in_ir):
    assert [one.code for one in in_ir({"flow": {"steps": [], "definitions": {}}})] == ["EMPTY_FLOW"]
    assert not in_ir({"metadata": {}})


def test_a_step_that_only_passes_on_has_no_action(in_ir):
    steps = {"ask": {**SAY, "then": "pause"}, "pause": {"name": "pause", "then": "COMPLETE"}}
    assert [one.path for one in in_ir(flow(steps), "FLOW_STEP_NO_ACTION")] == ["flow.definitions.pause.name"]


def test_a_step_where_ways_meet_needs_no_action(in_ir):
    branch = {**SAY, "then": "end", "on_input": [{"condition": "no", "then": "other"}]}
    steps = {"ask": branch, "other": {**SAY, "then": "end"}, "end": {"name": "end", "then": "COMPLETE"}}
    assert not in_ir(flow(steps), "FLOW_STEP_NO_ACTION")


@pytest.mark.parametrize(
    "action",
    [
        SAY,
        {"set": [{"variable": "a", "expression": "1"}]},
        {"clear": ["a"]},
        {"gather": {"fields": [{"name": "a"}]}},
        {"call": "find"},
        {"check": "true"},
        {"message_key": "bye"},
        {"on_input": [{"respond": "x"}]},
        {"reasoning_zone": {"goal": "g"}},
        {"rich_content": {"markdown": "x"}},
    ],
)
def test_each_kind_of_action_is_an_action(in_ir, action):
    assert not in_ir(flow({"ask": {**action, "then": "COMPLETE"}}), "FLOW_STEP_NO_ACTION")


def test_a_supervisor_needs_a_step_that_reasons(in_ir):
    ir = {**flow({"ask": SAY}), "metadata": {"name": "S", "type": "supervisor"}}
    assert in_ir(ir, "SUPERVISOR_NO_REASONING_STEP")
    ir["flow"]["definitions"]["ask"] = {"reasoning_zone": {"goal": "g"}}
    assert not in_ir(ir, "SUPERVISOR_NO_REASONING_STEP")
    assert not in_ir(flow({"ask": SAY}), "SUPERVISOR_NO_REASONING_STEP")
