"""What can only be said of a whole document. Spec: abl-language 3.1, 3.15, 3.18, 5.1, 5.6, 10.4."""

import pytest

DETERMINISTIC = "FLOW:\n  ask:\n    REASONING: false\n    THEN: COMPLETE\n"


def test_a_missing_goal_is_an_error_at_the_header(read):
    read("AGENT: Desk   #! GOAL_REQUIRED\nPERSONA: x\n")
    found = read.finding("GOAL_REQUIRED")
    assert found.severity == "error"
    assert found.message.startswith("GOAL is required")
    assert read.span("GOAL_REQUIRED") == "AGENT: Desk"
    assert read.mended("GOAL_REQUIRED").startswith("AGENT: Desk\nGOAL: ")


@pytest.mark.parametrize("goal", ["GOAL:", 'GOAL: ""', "GOAL: |"])
def test_an_empty_goal_is_a_missing_one(read, goal):
    read.raw(f"AGENT: Desk\n{goal}\nPERSONA: x\n")
    assert [one.code for one in read.findings] == ["GOAL_REQUIRED"]


@pytest.mark.parametrize("body", [DETERMINISTIC, "MODE: scripted   #! MODE_DEPRECATED\nPERSONA: x\n"])
@pytest.mark.parametrize(("strict", "severity"), [(False, "warning"), (True, "error")])
def test_a_deterministic_agent_may_do_without_a_goal(read, body, strict, severity):
    read(f"AGENT: Desk   #! GOAL_MISSING\n{body}", strict=strict)
    assert read.finding("GOAL_MISSING").severity == severity


def test_a_reasoning_step_makes_the_goal_required(read):
    read("AGENT: Desk   #! GOAL_REQUIRED\nFLOW:\n  ask:\n    REASONING: true\n    GOAL: x\n")


@pytest.mark.parametrize(
    ("body", "goal"), [("role: a", "a"), ("goal: a", "a"), ("role: a\n  goal: b", "b"), ("goal: a\nGOAL: b", "b")]
)
def test_identity_may_give_the_goal(read, body, goal):
    assert read(f"AGENT: Desk\nIDENTITY:\n  {body}\n").goal == goal


def test_identity_gives_what_is_not_written_otherwise(read):
    document = read("IDENTITY:\n  role: a\n  persona: b\n  expertise: [c]\n  limitations: [d]\n")
    assert (document.goal, document.persona, document.limitations) == ("Help", "b", ["d"])
    assert document.identity.expertise == ["c"]
    assert read("PERSONA: x\nLIMITATIONS: [y]\nIDENTITY:\n  persona: b\n  limitations: [d]\n").limitations == ["y"]


@pytest.mark.parametrize(("strict", "severity"), [(False, "warning"), (True, "error")])
def test_a_mode_is_deprecated_and_can_be_removed(read, strict, severity):
    document = read("MODE: reasoning   #! MODE_DEPRECATED\nPERSONA: x\n", strict=strict)
    assert document.mode == "reasoning"
    assert read.finding("MODE_DEPRECATED").severity == severity
    assert read.mended("MODE_DEPRECATED") == "AGENT: Desk\nGOAL: Help\nPERSONA: x\n"


@pytest.mark.parametrize(("strict", "severity"), [(False, "warning"), (True, "error")])
def test_a_step_must_say_whether_it_reasons(read, strict, severity):
    read("FLOW:\n  ask:   #! REASONING_MISSING\n    RESPOND: a\n", strict=strict)
    found = read.finding("REASONING_MISSING")
    assert found.severity == severity
    assert "must declare REASONING" in found.message
    assert "ask" in found.message
    assert "  ask:\n    REASONING: false\n    RESPOND: a\n" in read.mended("REASONING_MISSING")


def test_with_a_mode_a_step_need_not_say_whether_it_reasons(read):
    read("MODE: scripted   #! MODE_DEPRECATED\nFLOW:\n  ask:\n    RESPOND: a\n")


def test_a_reasoning_step_needs_a_goal_of_its_own_or_of_the_agent(read):
    flow = "FLOW:\n  ask:\n    REASONING: true\n"
    read(flow)
    read.raw(f"AGENT: Desk\n{flow}")
    assert sorted(one.code for one in read.findings) == ["GOAL_REQUIRED", "REASONING_WITHOUT_GOAL"]
    assert read.finding("REASONING_WITHOUT_GOAL").severity == "error"


@pytest.mark.parametrize("row", ["GOAL: x", "AVAILABLE_TOOLS: [a]"])
def test_a_deterministic_step_with_a_goal_or_tools_is_warned_about(read, row):
    read.step(f"{row}   #! GOAL_IN_DETERMINISTIC_STEP")
    assert read.finding("GOAL_IN_DETERMINISTIC_STEP").severity == "warning"


def test_a_model_section_is_used_with_a_warning(read):
    document = read("MODEL: small   #! MODEL_SECTION\nEXECUTION:\n  temperature: 0.2\n")
    assert (document.execution.model, document.execution.temperature, document.model) == ("small", 0.2, "")
    assert read("EXECUTION:\n  model: big\nMODEL: small   #! MODEL_SECTION\n").execution.model == "big"


IMPORT = 'FROM "./a.tools.abl" USE: list'


@pytest.mark.parametrize(("strict", "severity"), [(False, "warning"), (True, "error")])
@pytest.mark.parametrize(
    "row", ["find() -> any\n    server: parcels   #! E720", f"{IMPORT}   #! E720", "USE TOOL: find@1   #! E720"]
)
def test_a_binding_or_an_import_inside_an_agent_belongs_elsewhere(read, row, strict, severity):
    read(f"TOOLS:\n  {row}\n", strict=strict)
    assert read.finding("E720").severity == severity


@pytest.mark.parametrize(
    "row",
    [
        "description: a",
        "confirm: always",
        "side_effects: true",
        "timeout: 5s",
        "store_result: true",
        "parameters:\n      a: string",
    ],
)
def test_other_properties_of_a_tool_are_no_binding(read, row):
    read(f"TOOLS:\n  find(a) -> any\n    {row}\n", strict=True)


@pytest.mark.parametrize("head", ["", "AGENT: Desk\nGOAL: Help\n"])
def test_a_profile_needs_a_priority_and_a_condition(read, head):
    read.raw(f"{head}BEHAVIOR_PROFILE: phone\nINSTRUCTIONS: Be short.\n")
    assert [one.code for one in read.findings] == ["PROFILE_MISSING_PRIORITY", "PROFILE_MISSING_WHEN"]
    assert {one.severity for one in read.findings} == {"error"}
    assert read.document.behavior_profiles[0].instructions == "Be short."


@pytest.mark.parametrize(("row", "code"), [("PRIORITY: -1", "OUT_OF_RANGE"), ("PRIORITY: high", "EXPECTED_INTEGER")])
def test_the_priority_of_a_profile_is_a_whole_number(read, row, code):
    read.raw(f"BEHAVIOR_PROFILE: a\n{row}\nWHEN: b\n")
    assert [one.code for one in read.findings] == [code]


def test_a_profile_needs_no_goal(read):
    read("BEHAVIOR_PROFILE: phone\nPRIORITY: 1\nWHEN: a\n")


def test_a_library_without_tools_is_reported(read):
    read.raw("TOOLS:\n")
    assert [one.code for one in read.findings] == ["EMPTY_SECTION"]


DIGRESSIONS = [
    "- KEYWORDS: [a]   #! DIGRESSION_WITHOUT_INTENT\n  RESPOND: b",
    '- INTENT: "when are you open"   #! DIGRESSION_INTENT_TEXT\n  RESPOND: b',
    "- INTENT: a   #! DIGRESSION_MIXED_FORMS\n  RESPOND: b\n  DO:\n    - RESUME",
    "- INTENT: a\n  DO:\n    - RESUME\n    - RESPOND: b   #! DIGRESSION_AFTER_TERMINAL",
    "- INTENT: a\n  DO:\n    - GOTO: look\n    - SET: b = 1   #! DIGRESSION_AFTER_TERMINAL",
    "- INTENT: a\n  DO:\n    - DELEGATE:   #! DIGRESSION_DELEGATE_RETURN\n        AGENT: B",
    "- INTENT: a\n  COLOUR: red   #! UNKNOWN_ACTION_KEY\n  RESPOND: b",
    "- INTENT: a\n  DO:\n    - PAINT: red   #! UNKNOWN_ACTION_KEY\n    - RESUME",
    "- INTENT: a\n  DO:\n    - DELEGATE: {AGENT: B, RETURN: true, ON_RETURN: {MAP: {c: d}}}\n    - RESUME",
    "- INTENT: a\n  KEYWORDS: [b]\n  RESPOND: c\n  RESUME: true",
]


@pytest.mark.parametrize("body", DIGRESSIONS)
def test_a_digression_has_an_intent_and_one_of_two_forms(read, body):
    assert len(read.step("DIGRESSIONS:\n  " + body.replace("\n", "\n  ")).digressions) == 1
    rows = body.replace("\n", "\n    ")
    assert (
        len(read(f"FLOW:\n  global_digressions:\n    {rows}\n  ask:\n    REASONING: false\n").flow.global_digressions)
        == 1
    )


@pytest.mark.parametrize("body", DIGRESSIONS[:8])
def test_faults_of_a_digression_are_errors_but_a_phrase_is_a_warning(read, body):
    read.step("DIGRESSIONS:\n  " + body.replace("\n", "\n  "))
    (found,) = read.findings
    assert found.severity == ("warning" if found.code == "DIGRESSION_INTENT_TEXT" else "error")
