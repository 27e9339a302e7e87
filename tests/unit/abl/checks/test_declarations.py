"""Declarations that cannot work; each wrong line is mended by its right one."""

import pytest

PATHS = "MEMORY:\n  persistent:\n    - PATH: user.hub_name\n"
GRANT = "HANDOFF:\n  - TO: B\n    WHEN: true\n    CONTEXT:\n      memory_grants:\n        - path: {}\n          access: read\n"
BUTTON = 'ON_START:\n  RESPOND: "Hi"\n    ACTIONS:\n      - BUTTON: "Go" -> {}\nACTION_HANDLERS:\n  open-claim:\n    RESPOND: "x"\n'
RETURN = "HANDOFF:\n  - TO: B\n    WHEN: true\n    ON_RETURN:\n      HANDLER: {}\nRETURN_HANDLERS:\n  come_back:\n    CONTINUE: true\n"
TTL = "MEMORY:\n  remember:\n    - WHEN: turn_count > 1\n      STORE: turn_count -> user.turns\n      TTL: {}\n"
RANGE = 'GATHER:\n  size:\n    prompt: "?"\n    validate:\n      type: range\n      rule: "{}"\n'
TYPED = 'GATHER:\n  size:\n    prompt: "?"\n    validate:\n      type: {}\n'
SHORT_RANGE = 'GATHER:\n  size:\n    prompt: "?"\n    type: number\n    validate: "{}"\n'
CHOICE = 'GATHER:\n  size:\n    prompt: "?"\n    type: enum\n{}'
ERROR = "FLOW:\n  ask:\n    REASONING: false\n    RESPOND: x\n    THEN: COMPLETE\nON_ERROR:\n  invalid_input:\n    THEN: BACKTRACK\n{}"


@pytest.mark.parametrize(
    ("code", "text", "wrong", "right"),
    [
        ("UNKNOWN_HOOK", "HOOKS:\n  {}:\n    SET: a = 1\n", "befor_turn", "before_turn"),
        ("UNKNOWN_MODEL_OPERATION", "EXECUTION:\n  models:\n    {}: tiny\n", "extractoin", "extraction"),
        (
            "UNKNOWN_MEMORY_PATH",
            PATHS + "  recall:\n    - ON: session:start\n      PATHS: [{}]\n",
            "user.hub_nmae",
            "user.hub_name",
        ),
        ("UNKNOWN_MEMORY_PATH", PATHS + GRANT, "user.hub_nmae", "user.hub_name"),
        ("UNKNOWN_ACTION_ID", BUTTON, "open-clam", "open-claim"),
        ("UNKNOWN_RETURN_HANDLER", RETURN, "come_bak", "come_back"),
    ],
)
def test_a_misspelt_name_is_reported_and_mended(in_text, mended, code, text, wrong, right):
    (found,) = in_text(text.format(wrong), code)
    assert mended(found, text.format(wrong)).endswith(text.format(right))
    assert not in_text(text.format(right), code)


@pytest.mark.parametrize(
    ("code", "text", "wrong", "right"),
    [
        ("INVALID_TTL", TTL, "thirty days", "30d"),
        ("INVALID_TTL", TTL, "soon", "2 weeks"),
        ("INVALID_RANGE", RANGE, "heavy", "1..10"),
        ("INVALID_RANGE", RANGE, "5", ">= 5"),
        ("INVALID_RANGE", RANGE, "1-10 or 20", "1-20"),
        ("INVALID_RANGE", RANGE, "{{least}}..10", "..10"),
        ("INVALID_RANGE", RANGE, "today..2027-01-01", "2026-01-01..2027-01-01"),
        ("INVALID_RANGE", RANGE, "08:00..2027-01-01", "08:00..17:30"),
        ("EMPTY_RANGE", RANGE, "20-1", "1-20"),
        ("EMPTY_RANGE", RANGE, "2027-01-01 to 2026-01-01", "2026-01-01 to 2027-01-01"),
        ("INVALID_FIELD_CHECK", TYPED, "custom\n      rule: size >> 3", "custom\n      rule: size > 3"),
        ("INVALID_FIELD_CHECK", TYPED, "custom\n      rule: near(size)", "custom\n      rule: LENGTH(size) > 3"),
        ("INVALID_FIELD_CHECK", TYPED, "custom\n      rule: the size fits", "llm\n      rule: the size fits"),
        ("INVALID_FIELD_CHECK", TYPED, "custom", "custom\n      rule: size > 3"),
        ("INVALID_FIELD_CHECK", TYPED, "pattern", "pattern\n      rule: '^a'"),
        ("INVALID_FIELD_CHECK", TYPED, "enum", "enum\n      rule: '[a, b]'"),
        ("INVALID_FIELD_CHECK", TYPED, "enum", "enum\n    options: [a, b]"),
        ("INVALID_FIELD_CHECK", TYPED, "intrinsic\n      rule: emial", "intrinsic\n      rule: email"),
        ("INVALID_FIELD_CHECK", TYPED, "llm", "llm\n      rule: polite"),
        ("EMPTY_RANGE", RANGE, "3 to -3.5", "-3.5 to 3"),
        ("EMPTY_RANGE", SHORT_RANGE, "20..1", "7..7"),
        ("ENUM_WITHOUT_OPTIONS", CHOICE, "", "    options: [a, b]\n"),
        ("BACKTRACK_WITHOUT_TARGET", ERROR, "", "    BACKTRACK_TO: ask\n"),
        (
            "GUARDRAIL_WITHOUT_CHECK",
            "GUARDRAILS:\n  g:\n    kind: input\n    action: block\n{}",
            "",
            "    llm_check: x\n",
        ),
        (
            "GUARDRAIL_BY_DEFAULT",
            "GUARDRAILS:\n  g:\n    check: input CONTAINS 'x'\n    action: block\n{}",
            "",
            "    kind: input\n",
        ),
        (
            "GUARDRAIL_BY_DEFAULT",
            "GUARDRAILS:\n  g:\n    kind: input\n    check: input CONTAINS 'x'\n    message: m\n{}",
            "",
            "    action: block\n",
        ),
    ],
)
def test_what_cannot_work_is_reported_once(in_text, code, text, wrong, right):
    assert len(in_text(text.format(wrong), code)) == 1
    assert not in_text(text.format(right), code)


def test_buttons_of_near_names_side_by_side_are_no_slips(in_text):
    assert not in_text(BUTTON.format("rate-1") + "  rate-2:\n    RESPOND: y\n", "UNKNOWN_ACTION_ID")


def test_a_key_of_input_that_the_other_agent_nearly_knows_is_reported(in_project):
    first = "AGENT: A\nGOAL: g\nDELEGATE:\n  - AGENT: B\n    WHEN: true\n    INPUT: {zip_cdoe: turn_count}\n"
    second = 'AGENT: B\nGOAL: g\nGATHER:\n  zip_code:\n    prompt: "?"\n'
    (found,) = in_project("UNKNOWN_INPUT_FIELD", a=first, b=second)
    assert (found.line, found.fix.edits[0].text) == (6, "zip_code")


def test_a_misspelt_target_of_a_supervisor_is_said_once(in_project):
    front = "SUPERVISOR: F\nGOAL: g\nHANDOFF:\n  - TO: Cads\n    WHEN: true\n"
    found = in_project(a=front, b="AGENT: Cards\nGOAL: g\n")
    assert [one.code for one in found] == ["INVALID_HANDOFF_TARGET"]


def test_a_dangling_step_is_said_with_the_keyword_that_was_written(in_text):
    text = "FLOW:\n  ask:\n    REASONING: false\n    CHECK: turn_count > 1\n    ON_FAIL: nowhere\n    THEN: COMPLETE\n"
    (found,) = in_text(text, "DANGLING_STEP_REF")
    assert "ON_FAIL" in found.message


def test_what_would_be_said_or_refused_wrongly_is_an_error_with_what_to_write(in_text):
    text = (
        'GATHER:\n  size:\n    prompt: "?"\n    type: number\n    validate: "20-1"\n'
        'ON_START:\n  SET: total = turn_count +\n  RESPOND: "Number {{total and more"\n'
    )
    found = [(one.code, one.severity, one.fix.edits[0].text) for one in in_text(text) if one.severity == "error"]
    assert found == [
        ("EMPTY_RANGE", "error", "1-20"),
        ("INVALID_EXPRESSION", "error", ""),
        ("TEMPLATE_UNCLOSED", "error", "}}"),
    ]


@pytest.mark.parametrize("name", ["after_all", "on_message", "before_everything"])
def test_a_hook_of_another_name_is_told_with_the_names_there_are(in_text, name):
    (found,) = in_text(f"HOOKS:\n  {name}:\n    SET: a = 1\n", "UNKNOWN_HOOK")
    assert "before_agent, after_agent, before_turn, after_turn" in found.message


def test_a_model_for_no_operation_is_told_with_the_operations_there_are(in_text):
    (found,) = in_text("EXECUTION:\n  models:\n    summarise_everything: tiny\n", "UNKNOWN_MODEL_OPERATION")
    assert "extraction, validation" in found.message


SAID = "FLOW:\n  ask:\n    REASONING: false\n    MESSAGE_KEY: {}\n    THEN: COMPLETE\n"
ASKED = "GATHER:\n  size:\n    prompt: x\n    message_key: {}\n"


@pytest.mark.parametrize("name", ["confirm_cal", "error_generic", "bye"])
def test_a_text_that_nothing_says_is_told(in_text, name):
    text = f"MESSAGES:\n  {name}: x\n"
    assert len(in_text(text, "UNKNOWN_MESSAGE")) == 1
    assert not in_text(text + SAID.format(name), "UNKNOWN_MESSAGE")
    assert not in_text(text + ASKED.format(name.upper()), "UNKNOWN_MESSAGE")


@pytest.mark.parametrize("name", ["greeting", "GREETING", "confirm_call", "voice_repeat"])
def test_a_text_of_the_platform_is_known(in_text, name):
    assert not in_text(f"MESSAGES:\n  {name}: x\n", "UNKNOWN_MESSAGE")


def test_a_text_may_be_named_by_a_profile(in_text):
    assert not in_text("USE BEHAVIOR_PROFILE: vip\nMESSAGES:\n  bye: x\n", "UNKNOWN_MESSAGE")
    assert in_text("USE BEHAVIOR_PROFILE: vip\nMESSAGES:\n  greting: x\n", "UNKNOWN_MESSAGE")


THEN = "ON_ERROR:\n  tool_error:\n    RESPOND: x\n    THEN: {}\n"
STEP_THEN = "FLOW:\n  ask:\n    REASONING: false\n    RESPOND: x\n    ON_ERROR:\n      - TYPE: tool_error\n        THEN: {}\n    THEN: COMPLETE\n"


@pytest.mark.parametrize("text", [THEN, STEP_THEN])
@pytest.mark.parametrize("then", ["asc", "nosuch", "retri", "complete_order", "skip"])
def test_an_error_handler_that_leads_to_nothing_it_does_is_refused(in_text, text, then):
    (found,) = in_text(text.format(then), "UNKNOWN_ERROR_ACTION")
    assert found.severity == "error"
    assert "RETRY_STEP, BACKTRACK" in found.message


def test_an_error_handler_may_lead_to_a_step(in_text):
    assert not in_text(STEP_THEN.format("ask"), "UNKNOWN_ERROR_ACTION")


@pytest.mark.parametrize("text", [THEN, STEP_THEN])
@pytest.mark.parametrize(
    "then", ["RETRY_STEP", "retry", "CONTINUE", "complete", "ESCALATE", "HANDOFF Desk", "handoff to Desk"]
)
def test_what_an_error_handler_does_is_known(in_text, text, then):
    assert not in_text(text.format(then), "UNKNOWN_ERROR_ACTION")


def test_the_step_to_go_back_to_may_stand_behind_backtrack(in_text):
    assert in_text(STEP_THEN.format("BACKTRACK"), "BACKTRACK_WITHOUT_TARGET")
    assert not in_text(STEP_THEN.format("BACKTRACK ask"), "BACKTRACK_WITHOUT_TARGET")
