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


def said(text, **others):
    agent = "AGENT: A\nGOAL: g\n" + STEP + f'    RESPOND: "{text}"\n' + ENDING
    return {"a": agent, **others}


@pytest.mark.parametrize("name", ["session.z", "user.q", "user.q.r"])
def test_a_name_below_a_namespace_that_nothing_fills_is_reported(in_project, name):
    (found,) = in_project("UNDEFINED_NAME", **said("{{" + name + "}}"))
    assert found.line == 12
    assert ".".join(name.split(".")[:2]) in found.message


@pytest.mark.parametrize(
    "name", ["session.tracking_code", "session.turn_count", "user.intent", "user.sentiment", "env.X"]
)
def test_a_name_below_a_namespace_that_is_filled_is_known(in_project, name):
    assert not in_project("UNDEFINED_NAME", **said("{{" + name + "}}"))


@pytest.mark.parametrize(
    "other",
    [
        "MEMORY:\n  persistent:\n    - PATH: user.q\n      ACCESS: readwrite\n",
        "ON_START:\n  SET: user.q = 1\n",
        "MEMORY:\n  remember:\n    - WHEN: turn_count > 1\n      STORE: turn_count -> user.q\n",
    ],
)
def test_what_another_agent_stores_of_a_user_is_known(in_project, other):
    assert not in_project("UNDEFINED_NAME", b="AGENT: B\nGOAL: g\n" + other, **said("{{user.q}}"))


def test_a_secret_in_a_text_is_told_and_in_a_tool_it_is_not(in_text):
    assert len(in_text('ON_START:\n  RESPOND: "{{secrets.KEY}}"\n', "SECRET_IN_TEXT")) == 1
    tool = "TOOLS:\n  find() -> object\n    description: d\n    endpoint: https://a.example/{{secrets.KEY}}\n"
    assert not in_text(tool, "SECRET_IN_TEXT")


@pytest.mark.parametrize("written", ["{tracking_code}", "${tracking_code}"])
def test_a_variable_in_single_braces_is_told_and_mended(in_text, mended, written):
    text = STEP + f'    RESPOND: "Code {written}."\n' + ENDING
    (found,) = in_text(text, "SINGLE_BRACES")
    assert '"Code {{tracking_code}}."' in mended(found, text)
    (found,) = in_text(FIELDS.replace("Which code?", f"{written}?"), "SINGLE_BRACES")
    assert written in found.message


@pytest.mark.parametrize("written", ["{{tracking_code}}", "{other}", "{{ tracking_code }}", "{ tracking_code }"])
def test_other_braces_are_text(in_text, written):
    assert not in_text(STEP + f'    RESPOND: "Code {written}."\n' + ENDING, "SINGLE_BRACES")


def test_what_a_tool_sets_of_its_result_must_be_returned(in_text):
    text = "TOOLS:\n  find() -> {a: string}\n    description: d\n    on_result:\n      set:\n        k: result.aa\n"
    (found,) = in_text(text, "UNKNOWN_RESULT_FIELD")
    assert found.line == 8
    assert not in_text(text.replace("result.aa", "result.a"), "UNKNOWN_RESULT_FIELD")
    assert not in_text(text.replace("{a: string}", "object"), "UNKNOWN_RESULT_FIELD")
