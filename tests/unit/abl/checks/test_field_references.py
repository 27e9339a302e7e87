"""Whether conditions read what exists and what has a value by then."""

import pytest

UNDEFINED = "UNDEFINED_CONDITION_VAR"
UNPRODUCED = "MISSING_VARIABLE_PRODUCER_WARNING"
UNUSED = "UNUSED_REQUIRED_GATHER_FIELD"


def reading(condition, **more):
    """Return an agent whose COMPLETE reads `condition`."""
    return {"metadata": {"name": "A"}, "completion": {"conditions": [{"when": condition}]}, **more}


# -- names that are known ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    [
        "turn_count > 3", 'intent.category == "x"', "input CONTAINS 'x'", "user.anything.at.all IS SET",
        "session.x == 1", "env.X == 1", "context.a", "caller.phone IS SET", "_action.value == 1", "match.0 == 1",
        "all_fields_gathered == true", "always", "result.ok == true", "true", "else", 'channel == "voice"',
        "the caller says goodbye", "", "LENGTH(input) > 3", "workflow.state == 1",
    ],
)  # fmt: skip
def test_built_in_names_are_known(in_ir, condition):
    assert not in_ir(reading(condition))


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("code", {"gather": {"fields": [{"name": "code"}]}}),
        ("code", {"flow": {"definitions": {"s": {"gather": {"fields": [{"name": "code"}]}}}}}),
        ("visits", {"memory": {"session": [{"name": "visits", "initial_value": 0}]}}),
        ("hub", {"memory": {"persistent": [{"path": "user.hub"}]}}),
        ("house.tonight", {"memory": {"persistent": [{"path": "house.tonight"}]}}),
        ("seen", {"memory": {"remember": [{"when": "true", "store": {"value": "1", "target": "seen.at"}}]}}),
        ("status", {"tools": [{"name": "find", "returns": {"fields": {"status": {"type": "string"}}}}]}),
        ("at", {"tools": [{"name": "f", "returns": {"items": {"fields": {"e": {"fields": {"at": {}}}}}}}]}),
        ("find.status", {"tools": [{"name": "find"}]}),
        ("last_find_result", {"tools": [{"name": "find"}]}),
        ("state", {"tools": [{"name": "f", "on_result": {"set": [{"variable": "state", "expression": "1"}]}}]}),
        ("written", {"tools": [{"name": "f", "context_access": {"write": ["written"]}}]}),
        ("profile", {"on_start": {"call": "f", "call_spec": {"tool": "f", "as": "profile"}}}),
        ("profile", {"on_start": {"call": "f", "call_as": "profile"}}),
        ("count", {"hooks": {"before_turn": {"set": [{"variable": "count", "expression": "1"}]}}}),
        ("open", {"flow": {"definitions": {"s": {"transform": {"source": "a", "target": "open"}}}}}),
        ("eur", {"coordination": {"delegates": [{"agent": "B", "returns": {"amount": "eur"}}]}}),
        ("mine", {"coordination": {"handoffs": [{"to": "B", "on_return": {"map": {"theirs": "mine"}}}]}}),
        ("mine", {"coordination": {"handoffs": [{"to": "B", "on_return": {"set": {"mine": "1"}}}]}}),
        ("mine", {"flow": {"definitions": {"s": {"on_input": [{"delegate": {"agent": "B", "map": {"a": "mine"}}}]}}}}),
        ("photo", {"attachments": [{"name": "photo"}]}),
        ("photo", {"flow": {"definitions": {"s": {"await_attachment": {"variable": "photo"}}}}}),
        ("carrier", {"entities": [{"name": "carrier"}]}),
        ("case", {"completion": {"conditions": [{"when": "case IS SET", "store": "x -> case"}]}}),
        ("resolution", {"coordination": {"escalation": {"triggers": [{"when": "true"}]}}}),
        ("verdict", {"coordination": {"escalation": {"on_human_complete": [{"condition": "verdict == 1"}]}}}),
        ("handed_over", {"identity": {"goal": "Set handed_over when the parcel is there"}}),
    ],
)
def test_what_the_agent_declares_or_fills_is_known(in_ir, name, more):
    assert not in_ir({**reading(f"{name} == 1"), **more}, UNDEFINED)


def test_a_name_nobody_knows_is_reported_once_per_condition(in_ir):
    found = in_ir(reading("tracking == 1 AND tracking != 2 AND other.x == 1"))
    assert [one.code for one in found] == [UNDEFINED, UNDEFINED]
    assert {one.path for one in found} == {"completion.conditions.0.when"}


def test_the_near_name_is_put_into_the_text(in_text, mended):
    text = """
        GATHER:
          tracking_code:
            prompt: "Which code?"
        COMPLETE:
          - WHEN: input == "bye" AND trackin_code IS SET
            RESPOND: "Bye {{tracking_code}}."
    """
    (found,) = in_text(text)
    assert (found.code, found.line, found.column, found.length) == (UNDEFINED, 7, 30, 12)
    assert "AND tracking_code IS SET" in mended(found, text)


def test_a_lowered_rule_points_at_its_own_text(in_text, mended):
    text = """
        GATHER:
          amount:
            prompt: "How much?"
        CONSTRAINTS:
          - REQUIRE amount > 0 IMPLIES amont < 500
            ON_FAIL: "Too much."
    """
    (found,) = in_text(text, UNDEFINED)
    assert (found.line, found.column, found.length) == (7, 32, 5)
    assert "IMPLIES amount < 500" in mended(found, text)


def test_a_value_without_quotes_gets_them(in_text, mended):
    text = """
        GATHER:
          department:
            prompt: "Which?"
            options: [cardiology, surgery]
        COMPLETE:
          - WHEN: department == cardiology
    """
    (found,) = in_text(text, UNDEFINED)
    assert 'A text stands in quotes: "cardiology".' in found.message
    assert 'department == "cardiology"' in mended(found, text)


@pytest.mark.parametrize("condition", ["yes", "cancel", "buy_ticket", "yes AND turn_count > 1"])
def test_answers_and_intents_stand_alone_in_on_input(in_ir, condition):
    step = {"respond": "?", "on_input": [{"condition": condition, "then": "s"}]}
    ir = {"flow": {"definitions": {"s": step}}, "intent_handling": {"intents": [{"name": "buy_ticket"}]}}
    assert not in_ir(ir, UNDEFINED)


@pytest.mark.parametrize(
    ("condition", "near"),
    [("alll_fields_gathered", "all_fields_gathered"), ("usr.tier == 1", "user"), ("turncount > 3", "turn_count")],
)
def test_names_of_the_engine_are_offered_too(in_ir, condition, near):
    (found,) = in_ir(reading(condition), UNDEFINED)
    assert f"Did you mean {near}?" in found.message


def test_a_misspelt_answer_is_offered_the_right_one(in_text, mended):
    text = """
        FLOW:
          ask:
            REASONING: false
            RESPOND: "Shall I stop?"
            ON_INPUT:
              - IF: canxel
                THEN: COMPLETE
    """
    (found,) = in_text(text, UNDEFINED)
    assert "IF: cancel\n" in mended(found, text)


def test_a_condition_after_when_is_reported_once_and_there(in_text, mended):
    text = """
        GATHER:
          packs:
            prompt: "How many?"
          controlled:
            prompt: "On prescription?"
        CONSTRAINTS:
          - LIMIT packs <= 3 WHEN controllled == false
            ON_FAIL: "At most three."
    """
    (found,) = in_text(text, UNDEFINED)
    assert "WHEN controlled == false" in mended(found, text)


def test_of_a_human_answer_only_a_slip_is_reported(in_text, mended):
    text = """
        ESCALATE:
          triggers:
            - WHEN: turn_count > 9
              REASON: "Too long"
          on_human_complete:
            - IF resolutin == "done": COMPLETE
            - IF refund_granted == true: CONTINUE
    """
    (found,) = in_text(text, UNDEFINED)
    assert 'IF resolution == "done"' in mended(found, text)


def test_a_misspelt_target_still_receives_what_is_passed(in_ir):
    child = {**reading("segment == 1"), "metadata": {"name": "Adviser"}}
    handoffs = [{"to": "Advisr", "context": {"pass": ["segment"]}}]
    parent = {"metadata": {"name": "P"}, "coordination": {"handoffs": handoffs}}
    assert not in_ir(child, UNDEFINED, agents={"Adviser": child, "P": parent})


def test_what_a_parent_passes_is_known_when_it_is_compiled_too(in_ir):
    child = {**reading("segment == 1"), "metadata": {"name": "Child"}}
    context = {"pass": [{"name": "segment"}]}
    parent = {"metadata": {"name": "P"}, "coordination": {"handoffs": [{"to": "Child", "context": context}]}}
    assert not in_ir(child, UNDEFINED, agents={"Child": child, "P": parent})
    assert in_ir(child, UNDEFINED, agents={"Child": child})
    parent["coordination"] = {"delegates": [{"agent": "Child", "input": {"segment": "1"}}]}
    assert not in_ir(child, UNDEFINED, agents={"Child": child, "P": parent})


@pytest.mark.parametrize(
    "more",
    [
        {"behavior_profiles": [{"name": "p", "when": "unknown_to_this_agent == 1"}]},
        {"coordination": {"escalation": {"on_human_complete": [{"condition": "whatever == 1"}]}}},
        {"constraints": {"guardrails": [{"name": "g", "check": "contains_pii(text)"}]}},
        {"constraints": {"constraints": [{"condition": '_abl_constraint_checkpoint_kind == "x"'}]}},
    ],
)
def test_conditions_over_names_from_elsewhere_are_let_alone(in_ir, more):
    assert not in_ir(more, UNDEFINED)


def test_the_numbered_grammar_declares_names_in_its_own_way(in_text):
    text = """
        AGENT: Old
        IDENTITY:
          role: "Tracer"
          persona: "Brief"
        CONTRACT:
          inputs:
            code: string
        STEPS:
          1. Ask
            RESPOND "Which code?"
            SIGNAL: COMPLETE MESSAGE: "Bye"
    """
    assert not in_text(text, UNDEFINED)


# -- names that have no value yet --------------------------------------------------------------------------------


def two_steps(condition, *, back=False, **more):
    steps = {
        "early": {"name": "early", "respond": "x", "check": condition, "then": "late"},
        "late": {"name": "late", "call_as": "hubs", "respond": "x", "then": "early" if back else "COMPLETE"},
    }
    return {"flow": {"entry_point": "early", "definitions": steps}, **more}


def test_a_name_that_only_later_steps_set_is_reported(in_ir):
    (found,) = in_ir(two_steps("hubs IS SET"), UNPRODUCED)
    assert found.path == "flow.definitions.early.check"


@pytest.mark.parametrize("condition", ["hubs IS NOT SET", "hubs IS EMPTY", "NOT (hubs IS SET)"])
def test_asking_whether_there_is_no_value_yet_is_fine(in_ir, condition):
    assert not in_ir(two_steps(condition), UNPRODUCED)


def test_a_way_back_brings_the_value(in_ir):
    assert not in_ir(two_steps("hubs IS SET", back=True), UNPRODUCED)


@pytest.mark.parametrize(
    "more",
    [
        {"hooks": {"before_turn": {"set": [{"variable": "hubs", "expression": "1"}]}}},
        {"gather": {"fields": [{"name": "hubs"}]}},
        {"memory": {"session": [{"name": "hubs", "initial_value": 0}]}},
        {"action_handlers": [{"action_id": "back", "transition": "early", "set": []}]},
    ],
)
def test_a_value_from_outside_the_flow_is_there_at_any_time(in_ir, more):
    assert not in_ir(two_steps("hubs IS SET", **more), UNPRODUCED)


def test_a_declared_name_that_nothing_fills_has_no_value(in_ir):
    session = {"memory": {"session": [{"name": "status"}]}}
    assert [one.code for one in in_ir(reading('status == "x"', **session))] == [UNPRODUCED, "W801"]


# -- fields that nothing reads ------------------------------------------------------------------------------------

FIELDS = {"gather": {"fields": [{"name": "code"}, {"name": "shoe_size"}]}}


def gathering(**more):
    step = {"gather": {"fields": [{"name": "code"}, {"name": "shoe_size"}]}, "respond": "{{code}}", "then": "COMPLETE"}
    return {**FIELDS, "flow": {"definitions": {"s": step}}, **more}


def test_a_required_field_that_nothing_reads_is_reported_once(in_ir):
    assert [one.path for one in in_ir(gathering(), UNUSED)] == ["gather.fields.1.name"]


@pytest.mark.parametrize(
    "more",
    [
        {"completion": {"conditions": [{"when": "shoe_size IS SET"}]}},
        {"completion": {"conditions": [{"when": "true", "respond": "Size {{shoe_size}}."}]}},
        {"completion": {"conditions": [{"when": "true", "store": {"value": "{shoe_size}", "target": "user.x"}}]}},
        {"tools": [{"name": "order", "parameters": [{"name": "shoe_size"}]}]},
        {"tools": [{"name": "order", "http_binding": {"endpoint": "https://x.example/{shoe_size}"}}]},
        {"coordination": {"handoffs": [{"to": "B", "context": {"pass": [{"name": "shoe_size"}]}}]}},
        {"coordination": {"handoffs": [{"to": "B", "context": {"summary": "Size {shoe_size}"}}]}},
        {"coordination": {"delegates": [{"agent": "B", "input": {"size": "shoe_size + 1"}}]}},
        {"coordination": {"escalation": {"context_for_human": ["shoe_size"]}}},
        {"memory": {"remember": [{"when": "true", "store": {"value": "shoe_size", "target": "user.size"}}]}},
        {"messages": {"bye": "Size {{shoe_size}}"}},
        {"templates": {"card": "{{shoe_size}}"}},
    ],
)
def test_any_use_is_a_use(in_ir, more):
    assert not in_ir(gathering(**more), UNUSED)


@pytest.mark.parametrize(
    "action",
    [
        {"call_spec": {"tool": "t", "with": {"size": "shoe_size"}}},
        {"set": [{"variable": "a", "expression": "shoe_size"}]},
        {"present": "{{shoe_size}}"},
        {"rich_content": {"table": {"rows": "{{shoe_size}}"}}},
        {"on_input": [{"condition": "shoe_size > 3", "respond": "x"}]},
        {"transform": {"source": "shoe_size", "target": "a"}},
        {"gather": {"fields": [{"name": "shoe_size"}, {"name": "b", "activation": {"when": "shoe_size > 3"}}]}},
        {"gather": {"fields": [{"name": "shoe_size"}, {"name": "b", "depends_on": ["shoe_size"], "required": False}]}},
        {"reasoning_zone": {"goal": "Recommend a shoe"}},
    ],
)
def test_any_use_in_a_step_is_a_use(in_ir, action):
    ir = gathering()
    ir["flow"]["definitions"]["t"] = {"name": "t", **action}
    assert not in_ir(ir, UNUSED)


def test_optional_and_conditional_fields_need_no_use(in_ir):
    fields = [{"name": "a", "required": False}, {"name": "b", "activation": {"when": "true"}}]
    assert not in_ir({"gather": {"fields": fields}, "flow": {"definitions": {"s": {"respond": "x"}}}}, UNUSED)


def test_the_step_says_whether_a_field_is_required(in_ir):
    ir = gathering()
    ir["flow"]["definitions"]["s"]["gather"]["fields"][1]["required"] = False
    assert not in_ir(ir, UNUSED)


def test_without_a_flow_the_model_reads_every_field(in_ir):
    assert not in_ir(FIELDS, UNUSED)


def test_what_another_agent_reads_at_the_return_is_used(in_ir):
    child = gathering(metadata={"name": "Child"})
    delegates = [{"agent": "Child", "returns": {"shoe_size": "size"}}]
    parent = {"metadata": {"name": "P"}, "coordination": {"delegates": delegates}}
    assert not in_ir(child, UNUSED, agents={"Child": child, "P": parent})


# -- session variables that nothing fills ------------------------------------------------------------------------


def declared(**more):
    return {"metadata": {"name": "A"}, "memory": {"session": [{"name": "state", **more}]}}


def test_a_session_variable_that_nothing_fills_is_reported(in_ir):
    assert [one.path for one in in_ir(declared(), "W801")] == ["memory.session.0.name"]


@pytest.mark.parametrize("given", [{"initial_value": 0}, {"initial_value": False}, {"source": "the caller's record"}])
def test_a_value_from_the_start_fills_it(in_ir, given):
    assert not in_ir(declared(**given), "W801")


@pytest.mark.parametrize(
    "more",
    [
        {"on_start": {"set": [{"variable": "state", "expression": "1"}]}},
        {"on_start": {"set": [{"variable": "session.state", "expression": "1"}]}},
        {"on_start": {"set": [{"variable": "state.of.mind", "expression": "1"}]}},
        {"gather": {"fields": [{"name": "state"}]}},
        {"on_start": {"call_as": "state"}},
        {"tools": [{"name": "t", "description": "d", "returns": {"fields": {"state": {}}}}]},
        {"coordination": {"delegates": [{"agent": "B", "returns": {"x": "state"}}]}},
        {"identity": {"goal": "Keep `state` up to date."}},
    ],
)
def test_anything_that_fills_it_is_enough(in_ir, more):
    assert not in_ir({**declared(), **more}, "W801")


def test_a_parent_fills_it_when_it_is_compiled_too(in_ir):
    child, context = declared(), {"pass": ["state"], "set": {}}
    parent = {"metadata": {"name": "P"}, "coordination": {"handoffs": [{"to": "A", "context": context}]}}
    assert not in_ir(child, "W801", agents={"A": child, "P": parent})


# -- intent and state --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ('intent.category == "claim" OR turn_count > 5', 1),
        ('(user.intent == "a" OR amount > 3) AND turn_count > 1', 1),
        ('intent == "a" OR intent == "b"', 0),
        ('intent == "a" AND turn_count > 5', 0),
        ('turn_count > 5 OR channel == "voice"', 0),
        ('intent == "a" OR true', 0),
        ("the user wants money or is angry", 0),
    ],
)
def test_intent_and_state_in_one_or_are_reported(in_ir, when, expected):
    ir = {"coordination": {"handoffs": [{"to": "B", "when": when}]}}
    assert len(in_ir(ir, "MIXED_ROUTING_CONDITION_STATE")) == expected
