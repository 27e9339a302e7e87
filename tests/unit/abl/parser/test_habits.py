"""What people write who know other languages, and what a reader of the text would still understand. Spec: abl-language 0, 1.3."""

import pytest

from abl.formatter import format_text
from abl.parser.detect import detect
from abl.parser.slashes import hashed
from abl.syntax.coordination import EscalationTrigger
from abl.syntax.steps import Branch


def test_a_ctrl_z_at_the_end_of_a_file_is_dropped(read):
    read.raw("AGENT: Desk\r\nGOAL: Help\r\n\x1a")
    assert read.says == []
    assert format_text("AGENT: Desk\nGOAL: Help\n\x1a\n") == "AGENT: Desk\nGOAL: Help\n"


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_what_stands_beside_a_fence_is_one_warning_each(read, fence):
    document = read.raw(
        f"Here it is:\n\n{fence}abl\nAGENT: Desk\nGOAL: Help\nFLOW:\n  a:\n    REASONING: false\n"
        f"    THEN: COMPLETE\n{fence}\n\n- It has one step.\n- Shall I go on?\n"
    )
    assert read.says == [("TEXT_OUTSIDE_SECTION", 1), ("MARKDOWN_FENCE", 3), ("TEXT_OUTSIDE_SECTION", 12)]
    assert document.flow.steps[0].extras == {}


def test_sections_after_a_fence_are_read(read):
    document = read.raw("```\nAGENT: Desk\nGOAL: Help\n```\nLIMITATIONS:\n  - none\n")
    assert document.limitations == ["none"]


@pytest.mark.parametrize(
    "line",
    [
        "THEN: COMPLETE // end",
        'RESPOND: "bye" // end',
        "FLOW: // the way",
        "- REQUIRE a > 2 // never less",
        "WHEN: a > 2 AND b // both",
        "SET: a = b + 1 // next",
        "a = b // next",
        "pass: [a, b] // two",
        "find(a: string) -> object // by code",
        "find(a: string) // by code",
        "endpoint: https://a.example/b // production",
        "- name // who",
    ],
)
def test_slashes_after_a_complete_value_begin_a_comment(line):
    made = hashed(line)
    assert made == line.replace(" // ", " #  ")
    assert len(made) == len(line)


@pytest.mark.parametrize(
    "line",
    [
        "GOAL: Open day // night",
        "RESPOND: Look at https://a.example/b",
        'RESPOND: "day // night"',
        "code: return a // b",
        "RESPOND: {{a // b}}",
    ],
)
def test_slashes_within_a_text_are_part_of_it(line):
    assert hashed(line) == line


def test_slashes_at_line_ends_stay_when_the_text_is_laid_out(read):
    text = "AGENT: Desk // one\nGOAL: Help\nFLOW: // way\n  a: // first\n    REASONING: false // no\n    THEN: COMPLETE // end\n"
    document = read.raw(text)
    assert read.says == []
    assert document.name == "Desk"
    assert document.flow.steps[0].then == "COMPLETE"
    read.stands(document.flow.steps[0], "then")
    assert format_text(text) == text.replace("FLOW", "\nFLOW")


def test_triggers_may_stand_directly_under_escalate(read):
    escalate = read(
        """
        ESCALATE:
          - WHEN: a > 2
            REASON: Tired
          - IF: b
          context_for_human: [a]
        """
    ).escalate
    assert escalate.triggers == [EscalationTrigger(when="a > 2", reason="Tired"), EscalationTrigger(when="b")]
    assert escalate.context_for_human == ["a"]


def test_a_trigger_needs_no_dash(read):
    escalate = read("ESCALATE:\n  WHEN: a > 2\n  REASON: Tired\n  WHEN: b\n  PRIORITY: high\n").escalate
    assert escalate.triggers == [
        EscalationTrigger(when="a > 2", reason="Tired"), EscalationTrigger(when="b", priority="high"),
    ]  # fmt: skip


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_around_a_whole_condition_are_no_part_of_it(read, quote):
    trigger = read(f"ESCALATE:\n  triggers:\n    - WHEN: {quote}total > 100{quote}\n").escalate.triggers[0]
    assert trigger.when == "total > 100"
    read.stands(trigger, "when")


@pytest.mark.parametrize("written", ["'the user asks for a human'", '"the user asks for a human"', "'a' == 'b'"])
def test_other_quotes_of_a_condition_are_part_of_it(read, written):
    assert read(f"ESCALATE:\n  triggers:\n    - WHEN: {written}\n").escalate.triggers[0].when == written


def test_single_quotes_around_a_text_stay_where_the_newest_version_keeps_them(read):
    assert read("DESCRIPTION: 'Help'\n").description == "Help"
    assert read("DESCRIPTION: 'Help'\n", strict=True).description == "'Help'"


@pytest.mark.parametrize("bullet", ["*", "+", "\u2022", "\u2013", "\u2014"])
def test_list_items_may_have_another_bullet(read, bullet):
    document = read(f"LIMITATIONS:\n  {bullet} No refunds\n  {bullet} No swearing\n")
    assert document.limitations == ["No refunds", "No swearing"]


@pytest.mark.parametrize("ruler", ["---", "=====", "****", "____"])
def test_a_line_may_only_separate(read, ruler):
    text = f"{ruler}\nAGENT: Desk\n{ruler}\nGOAL: Help\n{ruler}\nTOOLS:\n{ruler}\n  f() -> object\n"
    assert detect(text) == "agent"
    assert read.raw(text).tools[0].name == "f"
    assert read.says == []


@pytest.mark.parametrize(
    ("written", "branch"),
    [
        ("- IF: a == 1 -> one", Branch(condition="a == 1", then="one")),
        ("- IF a == 1 => one", Branch(condition="a == 1", then="one")),
        ("- IF a == 1 THEN one", Branch(condition="a == 1", then="one")),
        ("- IF a == 1: one", Branch(condition="a == 1", then="one")),
        ("- ELSE IF a == 1: one", Branch(condition="a == 1", then="one")),
        ("- ELSE: -> one", Branch(otherwise=True, then="one")),
        ('- IF: a == "x: y" -> one', Branch(condition='a == "x: y"', then="one")),
    ],
)
def test_a_branch_may_name_its_step_on_its_line(read, written, branch):
    assert read.step(f"RESPOND: x\nON_INPUT:\n  {written}\nTHEN: COMPLETE").on_input == [branch]


@pytest.mark.parametrize(
    "written",
    [
        'CALL: r = f(a: "x")',
        'CALL: f(a: "x") AS r',
        'CALL:\n  tool: f(a: "x")\n  as: r',
        'CALL:\n  name: f(a: "x") -> r',
    ],
)
def test_a_call_may_name_its_result_first_or_be_a_block(read, written):
    call = read.step(f"{written}\nTHEN: COMPLETE").call
    assert (call.tool, call.as_, call.arguments[0].name) == ("f", "r", "a")


def test_a_call_without_a_tool_is_one_error(read):
    read("FLOW:\n  a:\n    REASONING: false\n    CALL: #! INVALID_CALL\n    THEN: COMPLETE\n")


def test_maps_may_be_written_over_lines_as_in_json(read):
    document = read(
        """
        GATHER:
          zip:
            validation: {
              type: "pattern",
              rule: "^.{5}$"
            }
            required: false
        HANDOFF:
          - TO: Desk
            CONTEXT: {
              pass: ["zip"],
              history: "last_5"
            }
            RETURN: true
        """
    )
    field, handoff = document.gather.fields[0], document.handoffs[0]
    assert (field.validation.rule, field.validation.type, field.required) == ("^.{5}$", "pattern", False)
    assert (handoff.pass_, handoff.history.count, handoff.return_) == (["zip"], 5, True)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("- age: integer (required)", {"type": "integer", "required": True}),
        ("- age: integer = 3", {"type": "integer", "default": 3}),
        ("- age = 3", {"default": 3}),
        ("- age?: integer", {"type": "integer", "required": False}),
        ("age?: integer", {"type": "integer", "required": False}),
        ("- age: enum(one, two)", {"type": "enum", "options": ["one", "two"]}),
        ('- age: "How old?"', {"prompt": "How old?"}),
        ("- age: How old are you", {"prompt": "How old are you"}),
    ],
)
def test_a_field_may_be_told_on_one_line(read, written, said):
    assert read(f"GATHER:\n  {written}\n").gather.fields[0].to_dict() == {"name": "age", **said}


def test_a_variable_may_be_followed_by_its_first_value(read):
    memory = read(
        """
        MEMORY:
          session:
            total: 0
            currency: "EUR"
            open: true
            cart: array
          persistent:
            user.language: "en"
        """
    ).memory
    assert [one.initial_value for one in memory.session] == [0, "EUR", True, None]
    assert memory.session[3].type == "array"
    assert memory.persistent[0].default_value == "en"


def test_an_error_may_be_followed_by_its_answer(read):
    handlers = read('ON_ERROR:\n  llm_error: "Sorry"\n  tool_error: ESCALATE\n').on_error
    assert [(one.type, one.respond, one.then) for one in handlers] == [
        ("llm_error", "Sorry", ""), ("tool_error", "", "ESCALATE"),
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["[name, mail]", "name, mail", "\n  - name\n  - mail", "\n  name:\n  mail:"])
def test_fields_may_be_a_list_of_names(read, written):
    assert [one.name for one in read(f"GATHER: {written}\n").gather.fields] == ["name", "mail"]


def test_the_items_of_a_list_may_be_numbered(read):
    assert read("LIMITATIONS:\n  1. No refunds\n  2) No swearing\n").limitations == ["No refunds", "No swearing"]


def test_variables_may_stand_directly_under_memory(read):
    memory = read("MEMORY:\n  - visits\n  - user.name\n").memory
    assert [one.name for one in memory.session] == ["visits"]
    assert [one.path for one in memory.persistent] == ["user.name"]


def test_the_first_answer_may_stand_on_its_line(read):
    assert read('ON_START: "Hello!"\n').on_start.respond == "Hello!"


def test_an_entry_that_was_begun_without_its_dash_is_one_entry(read):
    complete = read("COMPLETE:\n  WHEN: a #! EXPECTED_LIST_ITEM\n  RESPOND: Bye\n").complete
    assert [(one.when, one.respond) for one in complete] == [("a", "Bye")]
