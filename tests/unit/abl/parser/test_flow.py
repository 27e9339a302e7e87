"""FLOW: shape, steps, gathers, digressions. Spec: abl-language 5."""

import pytest

from abl.syntax.flow import Digression, Step
from abl.syntax.gather import GatherField
from abl.syntax.steps import Do

DONE = "REASONING: false\n    THEN: COMPLETE"
STEPS = f"  ask:\n    {DONE}\n  look:\n    {DONE}\n"


def names(flow):
    return [step.name for step in flow.steps]


@pytest.mark.parametrize("word", ["FLOW", "STEPS"])
def test_a_flow_has_steps_in_the_order_of_their_definition(read, word):
    flow = read(f"{word}:\n{STEPS}").flow
    assert flow.steps == [Step(name=name, reasoning=False, then="COMPLETE") for name in ("ask", "look")]


@pytest.mark.parametrize("width", [0, 1, 2, 4, 8])
def test_steps_may_stand_in_any_column(read, width):
    pad = " " * width
    text = f"FLOW:\n{pad}entry_point: look\n{pad}ask:\n{pad}  REASONING: false\n\n{pad}look:\n{pad}  REASONING: false\nPERSONA: x\n"
    document = read(text)
    assert names(document.flow) == ["ask", "look"]
    assert document.flow.entry_point == "look"
    assert document.persona == "x"


def test_steps_in_column_0_may_bear_the_name_of_a_section(read):
    flow = read("FLOW:\ngather:\n  REASONING: false\ngoal:\n  REASONING: false\n").flow
    assert names(flow) == ["gather", "goal"]


@pytest.mark.parametrize(
    "written",
    [
        "entry_point: look",
        "ENTRY_POINT: look",
        'entry_point: "look"',
        "entry_point: look  # said",
        "entry_point:   look",
    ],
)
def test_the_entry_point_is_a_step_name(read, written):
    flow = read(f"FLOW:\n  {written}\n{STEPS}").flow
    assert flow.entry_point == "look"
    read.stands(flow, "entry_point")


@pytest.mark.parametrize(
    "written", ["ask -> look -> done", "ask->look->done", "ask \u2192 look \u2192 done", "ask -> look -> done  # said"]
)
def test_a_line_of_arrows_is_a_sequence(read, written):
    assert read(f"FLOW:\n  {written}\n{STEPS}").flow.sequences == [["ask", "look", "done"]]


def test_several_sequences_are_kept(read):
    assert read(f"FLOW:\n  ask -> look\n  look -> done\n{STEPS}").flow.sequences == [["ask", "look"], ["look", "done"]]


@pytest.mark.parametrize(
    "written",
    [
        "steps:\n    - ask\n    - look",
        "STEPS:\n    - ask\n    - look",
        "steps: [ask, look]",
        "steps:\n  - ask\n  - look",
        "steps: ask, look",
    ],
)
def test_a_list_of_steps_gives_their_order(read, written):
    flow = read(f"FLOW:\n  {written}\n{STEPS}").flow
    assert flow.order == ["ask", "look"]
    assert names(flow) == ["ask", "look"]


def test_steps_may_be_wrapped(read):
    inner = STEPS.replace("\n", "\n  ").rstrip(" ")
    assert names(read(f"FLOW:\n  entry_point: ask\n  steps:\n  {inner}").flow) == ["ask", "look"]


def test_a_step_knows_its_place(read):
    step = read(f"FLOW:\n{STEPS}").flow.steps[1]
    assert step.pos == (7, 3, read.text.index("look:"))
    read.stands(step, "name")


def test_a_property_before_any_step_is_reported_and_ignored(read):
    flow = read(f"FLOW:\n  RESPOND: Hello   #! PROPERTY_BEFORE_STEP\n{STEPS}").flow
    assert names(flow) == ["ask", "look"]
    assert not flow.steps[0].respond


def test_a_property_in_the_column_of_its_step_is_read_with_a_warning(read):
    flow = read(
        "FLOW:\n  ask:\n    REASONING: false\n  THEN: look   #! MISPLACED_INDENT\n  look:\n    REASONING: false\n"
    ).flow
    assert [(step.name, step.then) for step in flow.steps] == [("ask", "look"), ("look", "")]


def test_a_header_without_colon_is_reported_and_read(read):
    flow = read("FLOW:\n  ask   #! PROPERTY_MISSING_COLON\n    REASONING: false\n    THEN: COMPLETE\n").flow
    assert flow.steps == [Step(name="ask", reasoning=False, then="COMPLETE")]


def test_a_step_name_is_an_identifier(read):
    assert names(read("FLOW:\n  ask-it:   #! INVALID_STEP_NAME\n    REASONING: false\n").flow) == ["ask-it"]
    assert "  ask_it:\n" in read.mended("INVALID_STEP_NAME")


def test_a_step_defined_twice_is_an_error(read):
    read(f"FLOW:\n{STEPS}  ask:   #! DUPLICATE_STEP_NAME\n    {DONE}\n")
    assert "line 4" in read.finding("DUPLICATE_STEP_NAME").message


def test_every_word_of_the_table_of_step_properties_is_known():
    words = (
        "REASONING GOAL BEHAVIOR AVAILABLE_TOOLS EXIT_WHEN MAX_TURNS STEP_CONSTRAINTS WHEN MAX_ATTEMPTS ON_EXHAUSTED "
        "GATHER PRESENT CORRECTIONS COMPLETE_WHEN SET CLEAR TRANSFORM CALL CHECK RESPOND MESSAGE_KEY ON_ACTION "
        "AWAIT_ATTACHMENT ON_SUCCESS ON_FAILURE ON_FAIL ON_RESULT ON_INPUT ON_ERROR DIGRESSIONS SUB_INTENTS THEN GOTO "
        "COLLECT PROMPT HUMAN_APPROVAL SUCCESS_WHEN VOICE FORMATS ACTIONS CAROUSEL RICH_CONTENT"
    )
    assert [word for word in words.split() if word not in Step.BY_KEY] == []


CODE, HUB = GatherField(name="code", required=True), GatherField(name="hub", default="EU")
GATHERS = [
    " code: required, hub: default=EU",
    " [code: required, hub: default=EU]",
    "\n  - code: required\n  - hub: default=EU",
    "\n- code: required\n- hub: default=EU",
    "\n  - code:\n    REQUIRED: true\n  - hub:\n    DEFAULT: EU",
    "\n  - code:\n      REQUIRED: true\n  - hub:\n      DEFAULT: EU",
    "\n  code:\n    required: true\n  hub:\n    default: EU",
    "\n  FIELDS:\n    - code: required\n    - hub: default=EU",
    "\n  code: required\n  hub: default=EU",
]


@pytest.mark.parametrize("written", GATHERS)
def test_a_step_gather_may_be_written_in_many_ways(read, written):
    step = read.step(f"GATHER:{written}\nTHEN: COMPLETE")
    assert step.gather.fields == [CODE, HUB]
    assert step.then == "COMPLETE"


def test_the_short_form_of_a_step_gather_needs_no_words(read):
    assert [one.name for one in read.step("GATHER: code, hub").gather.fields] == ["code", "hub"]


def test_a_step_gather_may_have_properties_of_its_own(read):
    gather = read.step("GATHER:\n  STRATEGY: llm\n  PROMPT: Tell me\n  MESSAGE_KEY: ask\n  - code: required").gather
    assert (gather.strategy, gather.prompt, gather.message_key) == ("llm", "Tell me", "ask")
    assert gather.fields == [CODE]


def test_a_blank_line_inside_semantics_does_not_end_it(read):
    gather = read.step(
        "GATHER:\n  - code:\n    SEMANTICS:\n      unit: kg\n\n      locale: de\n    TYPE: number"
    ).gather
    (field,) = gather.fields
    assert (field.semantics.unit, field.semantics.locale, field.type) == ("kg", "de", "number")


def test_the_older_one_field_gather_is_kept_as_written(read):
    step = read.step("COLLECT: code\nPROMPT: Which?")
    assert step.collect is not None
    assert ([one.name for one in step.collect.fields], step.prompt) == (["code"], "Which?")


@pytest.mark.parametrize("text", ["code, hub", "[code, hub]", "\n  - code\n  - hub", "\n- code\n- hub"])
def test_it_may_have_several_fields_as_gather_has(read, text):
    step = read.step(f"COLLECT: {text.strip() if text[0] != chr(10) else text}")
    assert step.collect is not None
    assert [one.name for one in step.collect.fields] == ["code", "hub"]


DIGRESSION = Digression(
    intent="hours", keywords=["open"], condition="a == 1", do=[Do(respond="Always"), Do(resume=True)]
)
BODY = "- INTENT: hours\n  KEYWORDS: [open]\n  CONDITION: a == 1\n  DO:\n    - RESPOND: Always\n    - RESUME"


def test_a_step_and_a_flow_may_have_digressions(read):
    step = read.step("DIGRESSIONS:\n  " + BODY.replace("\n", "\n  "))
    assert step.digressions == [DIGRESSION]
    flow = read("FLOW:\n  global_digressions:\n    " + BODY.replace("\n", "\n    ") + "\n" + STEPS).flow
    assert flow.global_digressions == [DIGRESSION]
    assert names(flow) == ["ask", "look"]


def test_digressions_may_stand_in_the_column_of_their_key(read):
    flow = read("FLOW:\n  GLOBAL_DIGRESSIONS:\n  " + BODY.replace("\n", "\n  ") + "\n" + STEPS).flow
    assert flow.global_digressions == [DIGRESSION]


def test_a_digression_may_act_directly(read):
    (one,) = read.step(
        "DIGRESSIONS:\n  - INTENT: x\n    RESPOND: a\n    CLEAR: b\n    CALL: f()\n      AS: c\n    GOTO: look"
    ).digressions
    assert (one.respond, one.clear, one.call.as_, one.goto) == ("a", ["b"], "c", "look")


def test_a_sub_intent_may_be_a_phrase(read):
    one, two = read.step(
        'SUB_INTENTS:\n  - INTENT: code\n    RESPOND: On the slip\n  - "where is it"\n    RESPOND: There'
    ).sub_intents
    assert (one.intent, one.respond) == ("code", "On the slip")
    assert (two.intent, two.respond) == ("where is it", "There")


def test_a_flow_of_numbered_steps_becomes_the_same_kind_of_flow(read):
    flow = read('STEPS:\n  1. Ask\n    RESPOND "Hello"\n    GOTO 2\n  2. Look\n    SIGNAL: COMPLETE\n').flow
    assert [step.respond or "" for step in flow.steps] == ["Hello", ""]
    assert [step.then for step in flow.steps] == [flow.steps[1].name, "COMPLETE"]


@pytest.mark.parametrize(("call", "field"), [("", "on_input"), ("CALL: find() AS r\n", "on_result")])
@pytest.mark.parametrize("dash", ["", "- "])
def test_branches_right_in_a_step_are_read(read, call, field, dash):
    then = f"\n{' ' * len(dash)}  THEN: COMPLETE"
    step = read.step(f"{call}{dash}IF: a == 1   #! BRANCHES_WITHOUT_KEY{then}\n{dash}ELSE:{then}")
    branches = getattr(step, field)
    assert [(one.condition, one.otherwise, one.then) for one in branches] == [
        ("a == 1", False, "COMPLETE"), ("", True, "COMPLETE")
    ]  # fmt: skip
    if dash:
        read(read.mended("BRANCHES_WITHOUT_KEY"))
