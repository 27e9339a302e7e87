"""Names in texts, calls, assignments and passed values."""

import pytest

FIELDS = 'GATHER:\n  tracking_code:\n    prompt: "Which code?"\n'
TOOL = 'TOOLS:\n  find(code: string) -> object\n    description: "d"\n'
STEP = TOOL + FIELDS + "FLOW:\n  look:\n    REASONING: false\n"
ENDING = "    THEN: COMPLETE\n"


@pytest.mark.parametrize(
    "text",
    [
        FIELDS + 'COMPLETE:\n  - WHEN: tracking_code IS SET\n    RESPOND: "About {{traking_code | upper}}."\n',
        FIELDS + "COMPLETE:\n  - WHEN: tracking_code IS SET\n    STORE: traking_code -> user.last\n",
        FIELDS + "COMPLETE:\n  - WHEN: tracking_code IS SET\n    STORE: {traking_code, turn_count} -> user.last\n",
        FIELDS + "HANDOFF:\n  - TO: B\n    WHEN: true\n    CONTEXT:\n      pass: [traking_code]\n",
        FIELDS + 'HANDOFF:\n  - TO: B\n    WHEN: true\n    CONTEXT:\n      summary: "About {traking_code}"\n',
        FIELDS + "DELEGATE:\n  - AGENT: B\n    WHEN: true\n    INPUT: {code: traking_code}\n",
        FIELDS + "ON_START:\n  SET: copy = UPPER(traking_code)\n",
        STEP + "    CALL: find(traking_code)\n      AS: found\n" + ENDING,
        STEP + "    CALL: find\n      WITH: {code: traking_code}\n      AS: found\n" + ENDING,
        STEP + '    RESPOND: "{{#each tracking_code}}{{this}} of {{traking_code}}{{/each}}"\n' + ENDING,
    ],
)
def test_a_misspelt_name_is_reported_where_it_stands_and_mended(in_text, mended, text):
    found = in_text(text, "UNDEFINED_NAME")
    assert len(found) == 1
    assert "Did you mean tracking_code?" in found[0].message
    assert mended(found[0], text).count("tracking_code") == text.count("tracking_code") + 1


@pytest.mark.parametrize(
    "name", ["session.any", "user.any", "this.any", "last_find_result", "find.status", "turn_count", "_action.value"]
)
def test_names_of_the_engine_are_known(in_text, name):
    assert not in_text(STEP + f'    RESPOND: "{{{{{name}}}}}"\n' + ENDING, "UNDEFINED_NAME")


def test_a_name_near_nothing_may_come_from_outside_of_a_single_text(in_text):
    assert not in_text(STEP + '    RESPOND: "{{weather}}"\n' + ENDING, "UNDEFINED_NAME")


def test_a_name_near_nothing_is_reported_where_no_model_could_set_it(in_project):
    text = "AGENT: A\nGOAL: g\n" + STEP + '    RESPOND: "{{weather}}"\n' + ENDING
    assert [one.line for one in in_project("UNDEFINED_NAME", a=text)] == [12]
    assert not in_project("UNDEFINED_NAME", a='AGENT: A\nGOAL: g\nON_START:\n  RESPOND: "{{weather}}"\n')


def test_another_word_of_a_compound_is_no_slip(in_text):
    assert not in_text('ON_START:\n  RESPOND: "{{customer_no}} {{tracking_codes}}"\n' + FIELDS, "UNDEFINED_NAME")


def test_a_misspelt_literal_is_meant_as_one(in_text):
    (found,) = in_text("ON_START:\n  SET: greeted = treu\n", "UNDEFINED_NAME")
    assert found.fix.edits[0].text == "true"


def test_a_misspelt_field_is_reported_once_where_it_is_declared(in_project):
    text = """
        AGENT: A
        GOAL: g
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - trakcing_code: required
            THEN: say
          say:
            REASONING: false
            RESPOND: "{{tracking_code}} and {{tracking_code}}"
            THEN: COMPLETE
    """
    (found,) = in_project(a=text)
    assert (found.code, found.line, found.fix.edits[0].text) == ("UNUSED_REQUIRED_GATHER_FIELD", 7, "tracking_code")


@pytest.mark.parametrize(("name", "is_found"), [("weather", True), ("code", False), ("call", False)])
def test_the_question_before_a_call_shows_nothing_that_is_not_known_by_then(in_text, name, is_found):
    tool = TOOL + f'    confirm: always\n    confirm_message: "Find {{{{{name}}}}}?"\n'
    assert [one.line for one in in_text(tool, "UNDEFINED_NAME")] == [7] * is_found
