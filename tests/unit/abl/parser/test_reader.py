"""Nested lines to properties: spellings, unknown and repeated keys, indentation. Spec: abl-language 0, 1.2, 1.5."""

import pytest

from abl.parser.values import MAX_NESTING


@pytest.mark.parametrize("key", ["MAX_TURNS", "max_turns", "Max_Turns", "max-turns", "MAX TURNS", '"MAX_TURNS"'])
def test_property_names_are_matched_in_any_case(read, key):
    assert read.step(f"{key}: 3").max_turns == 3


@pytest.mark.parametrize("key", ["toolFilter", "tool_filter", "TOOLFILTER", "toolfilter"])
def test_camel_and_snake_spellings_are_one(read, key):
    assert (
        read.under("EXECUTION", f"pipeline:\n  {key}:\n    maxTools: 4").execution.pipeline.tool_filter.max_tools == 4
    )


@pytest.mark.parametrize("key", ["pass", "PASS", "Pass"])
def test_keys_the_reference_wants_in_lower_case_are_read_in_any(read, key):
    assert read.under("HANDOFF", f"- TO: B\n  CONTEXT:\n    {key}: [a]").handoffs[0].pass_ == ["a"]


def test_names_are_case_sensitive(read):
    fields = read.under("GATHER", "Code:\n  type: string\ncode:\n  type: number").gather.fields
    assert [one.name for one in fields] == ["Code", "code"]


@pytest.mark.parametrize("width", [1, 2, 3, 4, 7])
def test_any_indent_width_will_do(read, width):
    pad = " " * width
    document = read(f"MEMORY:\n{pad}session:\n{pad * 2}- NAME: a\n{pad * 2}  INITIAL: 1\nPERSONA: x\n")
    assert document.memory.session[0].initial_value == 1
    assert document.persona == "x"


def test_siblings_may_be_indented_differently_when_they_are_deeper_than_their_owner(read):
    step = read.step("ON_SUCCESS:\n      RESPOND: a\n   THEN: b")
    assert (step.on_success.respond, step.on_success.then) == ("a", "b")


def test_an_unknown_key_is_kept_word_for_word_with_a_note(read):
    step = read.step("COLOUR_SCHEME: dark   #! UNKNOWN_PROPERTY\nTHEN: COMPLETE")
    assert step.extras == {"COLOUR_SCHEME": "dark"}
    assert step.then == "COMPLETE"
    assert read.finding("UNKNOWN_PROPERTY").severity == "warning"
    assert read.span("UNKNOWN_PROPERTY") == "COLOUR_SCHEME"


def test_an_unknown_key_keeps_its_nested_lines(read):
    step = read.step("""
        X_SETTINGS:   #! UNKNOWN_PROPERTY
          one: 1

          # said
          two:
            - 2
        THEN: COMPLETE
        """)
    assert step.extras["X_SETTINGS"].strip() == "one: 1\n\n# said\ntwo:\n  - 2"
    assert step.then == "COMPLETE"


def test_a_misspelt_key_is_read_as_the_one_that_was_meant(read):
    step = read.step("RESPND: Hello   #! MISSPELT_PROPERTY")
    assert step.respond == "Hello"
    assert step.extras == {}
    assert read.span("MISSPELT_PROPERTY") == "RESPND"
    assert "    RESPOND: Hello\n" in read.mended("MISSPELT_PROPERTY")


def test_a_misspelt_key_of_what_is_written_already_is_kept(read):
    step = read.step("RESPOND: Hello\nRESPND: Bye   #! UNKNOWN_PROPERTY")
    assert step.respond == "Hello"
    assert step.extras == {"RESPND": "Bye"}


def test_the_fix_of_a_misspelt_key_keeps_its_case(read):
    read.under("GATHER", "code:\n  promt: Which?   #! MISSPELT_PROPERTY")
    assert "    prompt: Which?" in read.mended("MISSPELT_PROPERTY")


def test_of_a_property_that_stands_twice_the_last_counts(read):
    step = read.step("MAX_TURNS: 3\nMAX_TURNS: 4   #! DUPLICATE_PROPERTY")
    assert step.max_turns == 4
    assert "line 6" in read.finding("DUPLICATE_PROPERTY").message


def test_a_repeated_line_that_says_the_same_can_be_removed(read):
    read.step("MAX_TURNS: 3\nMAX_TURNS: 3   #! DUPLICATE_PROPERTY")
    assert read.mended("DUPLICATE_PROPERTY").count("MAX_TURNS") == 1


@pytest.mark.parametrize(
    "lines",
    [
        "RESPOND: One\nRESPOND: Two   #! ACTION_LOST",
        "CALL: a()\nCALL: b()   #! ACTION_LOST",
        "CHECK: a\nON_FAIL:\n  THEN: x\nON_FAIL:   #! ACTION_LOST\n  THEN: y",
        "ON_INPUT:\n  - IF: a\n    IF: b   #! ACTION_LOST\n    THEN: x",
        "WHEN: a\nWHEN: b   #! ACTION_LOST",
        "GATHER: a\nGATHER: b   #! ACTION_LOST",
        "TRANSFORM: a AS x INTO b\nTRANSFORM: c AS x INTO d   #! ACTION_LOST",
        "ON_INPUT:\n  - IF: a\n    THEN: x\nON_INPUT:   #! ACTION_LOST\n  - ELSE:\n    THEN: y",
        "ON_SUCCESS:\n  THEN: x\nON_SUCCESS:   #! ACTION_LOST\n  THEN: y",
        "ON_ERROR:\n  - TYPE: a\n    THEN: CONTINUE\nON_ERROR:   #! ACTION_LOST\n  - TYPE: b\n    THEN: CONTINUE",
    ],
)
def test_of_two_different_actions_of_one_kind_none_is_lost_in_silence(read, lines):
    read.step(lines)


@pytest.mark.parametrize("key", ["CHECK: n > 5", "DO:", "ON_FAIL: x", "TRANSFORM: a AS x INTO b", "COMPLETE: true"])
@pytest.mark.parametrize("block", ["ON_INPUT:\n  - ELSE:\n    THEN: x", "ON_RESULT:\n  - IF: a\n    THEN: x"])
def test_an_action_that_a_branch_cannot_do_is_not_lost_in_silence(read, block, key):
    read.step(f"{block}\n    {key}   #! ACTION_LOST")


def test_an_action_that_a_hook_or_an_error_handler_cannot_do_is_not_lost_in_silence(read):
    read.step("ON_ERROR:\n  - TYPE: a\n    THEN: CONTINUE\n    SET: x = 1   #! ACTION_LOST")
    read("HOOKS:\n  before_turn:\n    WHEN: a   #! ACTION_LOST\n    SET: x = 1\n")


def test_the_finding_about_a_lost_action_says_what_to_write(read):
    read.step("RESPOND: One\nRESPOND: Two   #! ACTION_LOST")
    assert "first in line 6" in read.finding("ACTION_LOST").message
    assert "DO_AFTER" in read.finding("ACTION_LOST").message
    read.step("ON_INPUT:\n  - ELSE:\n    THEN: x\n    CHECK: a   #! ACTION_LOST")
    assert read.finding("ACTION_LOST").message.startswith("CHECK is nothing that a branch can do")


def test_two_do_lists_are_both_done(read):
    step = read.step("DO:\n  - RESPOND: a\nCALL: f()\nDO:   #! DUPLICATE_PROPERTY\n  - RESPOND: b")
    assert [one.respond for one in step.do] == ["a", "b"]
    assert step.does_first == 1


def test_an_action_that_stands_twice_is_done_once(read):
    read.step("RESPOND: One\nRESPOND: One   #! DUPLICATE_PROPERTY")


def test_properties_that_add_up_may_be_repeated(read):
    step = read.step("SET: a = 1\nSET: b = 2\nCLEAR: c\nCLEAR: d")
    assert [one.variable for one in step.set] == ["a", "b"]
    assert step.clear == ["c", "d"]


def test_a_key_without_colon_is_reported_and_read(read):
    step = read.step("RESPOND Hello   #! PROPERTY_MISSING_COLON")
    assert step.respond == "Hello"
    assert "RESPOND: Hello" in read.mended("PROPERTY_MISSING_COLON")
    assert read.finding("PROPERTY_MISSING_COLON").severity == "warning"


def test_a_line_that_is_no_property_is_reported_once_and_kept(read):
    step = read.step("just words here   #! EXPECTED_PROPERTY\nTHEN: COMPLETE")
    assert step.extras == {"": "just words here"}
    assert step.then == "COMPLETE"


def test_properties_indented_too_deep_are_read_with_one_finding(read):
    step = read.step("""
        MAX_TURNS: 3
          THEN: COMPLETE   #! MISPLACED_INDENT
          WHEN: a == 1
        """)
    assert (step.max_turns, step.then, step.when) == (3, "COMPLETE", "a == 1")
    assert "\n    THEN: COMPLETE\n    WHEN: a == 1" in read.mended("MISPLACED_INDENT")


def test_one_mistake_gives_one_finding_and_nothing_else_is_lost(read):
    document = read("""
        GATHER:
          code:
            typ: string   #! MISSPELT_PROPERTY
            required: maybe   #! EXPECTED_BOOLEAN
            prompt: Which?
        FLOW:
          ask:
            REASONING: false
            THEM: COMPLETE   #! MISSPELT_PROPERTY
        PERSONA: kind
        """)
    (field,) = document.gather.fields
    assert (field.type, field.prompt) == ("string", "Which?")
    assert document.flow.steps[0].then == "COMPLETE"
    assert document.persona == "kind"


def test_nesting_that_is_too_deep_is_reported_and_the_rest_is_read(read):
    rows = "".join(f"{'  ' * (level + 2)}k{level}:\n" for level in range(MAX_NESTING + 20))
    read.raw(f"AGENT: A\nGOAL: b\nNLU:\n  glossary:\n{rows}PERSONA: c\n")
    assert {one.code for one in read.findings} == {"NESTING_TOO_DEEP"}
    assert len(read.findings) == 1
    assert read.document.persona == "c"


@pytest.mark.parametrize(
    "section", ["FLOW", "TOOLS", "GATHER", "MEMORY", "CONSTRAINTS", "NLU", "EXECUTION", "ENTITIES"]
)
def test_no_section_can_be_nested_so_deep_that_reading_fails(read, section):
    rows = "".join(f"{' ' * (level + 1)}ON_SUCCESS:\n" for level in range(3000))
    read.raw(f"AGENT: A\nGOAL: b\n{section}:\n{rows}PERSONA: c\n")
    assert read.document.persona == "c"


def test_the_values_of_an_entry_may_stand_right_below_its_name(read):
    document = read("""
        INTENTS:
          change:
            - change my booking
            - "other: dates"  # said
          book:
            description: "Books a room"
            - book a room
        ENTITIES:
          carrier:
            - dhx
        LOOKUP_TABLES:
          hubs:
            - Berlin
            - Wien
        GATHER:
          colour:
            prompt: "Which?"
            - red
            - green
    """)
    assert [one.examples for one in document.intents.items] == [["change my booking", "other: dates"], ["book a room"]]
    assert document.entities[0].values == ["dhx"]
    assert document.lookup_tables[0].values == ["Berlin", "Wien"]
    assert document.gather.fields[0].options == ["red", "green"]


def test_the_known_properties_of_a_step_begin_with_the_usual_ones_and_say_that_there_are_more(read):
    read.step("RESPOND: Hi\nFROB: x   #! UNKNOWN_PROPERTY")
    message = read.finding("UNKNOWN_PROPERTY").message
    assert all(key in message for key in ("GATHER", "ON_INPUT", "CHECK", "THEN"))
    assert message.endswith(" more.")


def test_a_kind_of_tool_that_there_is_not_is_refused_with_those_that_run(read):
    read("TOOLS:\n  f() -> object\n    description: x\n    type: graphql   #! E720 UNKNOWN_TOOL_TYPE\n")
    found = read.finding("UNKNOWN_TOOL_TYPE")
    assert found.severity == "error"
    assert "http, mcp, sandbox" in found.message
    assert "lambda" not in found.message
    assert "searchai" not in found.message
