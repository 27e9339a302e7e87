"""Values that are one piece of text. Spec: abl-language 1.3, 1.4."""

import pytest


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Help people", "Help people"),
        ('"Help people"', "Help people"),
        ('"  Help people  "', "Help people"),
        ('Help people"', "Help people"),
        ('say "hi"', 'say "hi"'),
        ('"a" and "b"', 'a" and "b'),
        ("'Help'", "Help"),
        ("'I'm here'", "I'm here"),
        ("'a' or 'b'", "'a' or 'b'"),
        ("Handle ticket #12", "Handle ticket #12"),
        ("Handle ticket # 12", "Handle ticket # 12"),
        ('"Help" # said', "Help"),
        (r'"one\ntwo"', r"one\ntwo"),
        (r'"say \"hi\" now"', r"say \"hi\" now"),
        ("a: b: c", "a: b: c"),
    ],
)
def test_text_is_trimmed_and_loses_one_pair_of_quotes(read, written, text):
    document = read(f"AGENT: Desk\nGOAL: {written}\n")
    assert document.goal == text
    read.stands(document, "goal")


def test_a_text_whose_quote_is_not_closed_is_read_with_a_warning(read):
    document = read('PERSONA: "Calm   #! UNCLOSED_STRING\nLANGUAGE: de-DE\n')
    assert (document.persona, document.language) == ("Calm", "de-DE")
    read.stands(document, "persona")
    assert 'PERSONA: "Calm"\n' in read.mended("UNCLOSED_STRING")


def test_a_quoted_text_may_span_lines(read):
    document = read('PERSONA: "Calm,   #! MULTILINE_STRING\n  brief,\n  kind"\nLANGUAGE: de-DE\n')
    assert document.persona == "Calm,\nbrief,\nkind"
    assert document.language == "de-DE"


def test_typographic_quotes_count_as_straight_ones(read):
    document = read("PERSONA: \u201cCalm\u201d   #! TYPOGRAPHIC_QUOTE\n")
    assert document.persona == "Calm"
    assert 'PERSONA: "Calm"\n' in read.mended("TYPOGRAPHIC_QUOTE")


@pytest.mark.parametrize("key", ["GOAL", "PERSONA", "DESCRIPTION", "INSTRUCTIONS", "SYSTEM_PROMPT"])
@pytest.mark.parametrize("sign", ["", " |", " >", " |-"])
def test_a_text_section_takes_the_deeper_lines(read, key, sign):
    head = "AGENT: Desk\n" if key == "GOAL" else "AGENT: Desk\nGOAL: Help\n"
    document = read(f"{head}{key}:{sign}\n  one # kept\n    two\n\n  three\nLANGUAGE: de\n")
    assert getattr(document, key.lower()) == "one # kept\n  two\n\nthree"
    read.stands(document, key.lower(), "one # kept")
    assert document.language == "de"


@pytest.mark.parametrize("sign", ["", " |"])
def test_the_purpose_of_a_delegate_takes_the_deeper_lines(read, sign):
    document = read(f"DELEGATE:\n  - AGENT: B\n    PURPOSE:{sign}\n      one\n      two\n    WHEN: x\n")
    assert document.delegates[0].purpose == "one\ntwo"
    assert document.delegates[0].when == "x"


def test_lines_below_a_bare_text_continue_it(read):
    assert read("PERSONA: Calm\n  and brief\n").persona == "Calm\nand brief"


def test_lines_below_a_quoted_text_are_reported(read):
    read('PERSONA: "Calm"\n  and brief   #! UNEXPECTED_NESTING\n')


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("a == 1", "a == 1"),
        ('a == "x"', 'a == "x"'),
        ('"the user is angry"', '"the user is angry"'),
        ("a == 1 # said", "a == 1"),
        ("ready # said", "ready"),
    ],
)
def test_the_quotes_of_a_condition_belong_to_it(read, written, kept):
    step = read.step(f"WHEN: {written}")
    assert step.when == kept
    read.stands(step, "when")


@pytest.mark.parametrize("sign", ["", " |"])
def test_a_condition_may_stand_on_deeper_lines(read, sign):
    assert read.step(f"WHEN:{sign}\n  a == 1\n  AND b == 2").when == "a == 1 AND b == 2"


@pytest.mark.parametrize("written", ["look", '"look"', "'look'", "GOTO look", "-> look", "look  # said"])
def test_a_target_is_a_step_name_without_trimmings(read, written):
    step = read.step(f"THEN: {written}")
    assert step.then == "look"
    read.stands(step, "then")


@pytest.mark.parametrize(
    "written", ["COMPLETE", "complete", "Complete", '"complete"', "ESCALATE", "escalate", "Escalate"]
)
def test_the_targets_complete_and_escalate_may_have_any_case(read, written):
    assert read.step(f"THEN: {written}").then == written.strip('"').upper()


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("TRUE", True),
        ("False", False),
        ("yes", True),
        ("No", False),
        ('"true"', True),
        ("true # said", True),
    ],
)
def test_a_boolean_may_be_written_in_any_case_and_as_yes_or_no(read, written, value):
    assert read.step(f"CORRECTIONS: {written}").corrections is value


@pytest.mark.parametrize(("written", "meant"), [("on", "true"), ("flase", "false"), ("off", "false"), ("ture", "true")])
def test_what_is_no_boolean_is_kept_and_the_meant_one_offered(read, written, meant):
    step = read.step(f"CORRECTIONS: {written}   #! EXPECTED_BOOLEAN")
    assert step.corrections is None
    assert step.extras == {"CORRECTIONS": written}
    assert f"CORRECTIONS: {meant}" in read.mended("EXPECTED_BOOLEAN")


@pytest.mark.parametrize(("written", "value"), [("3", 3), ('"3"', 3), ("3 # said", 3), ("3.0", 3)])
def test_a_whole_number_is_read(read, written, value):
    found = read.step(f"MAX_TURNS: {written}").max_turns
    assert found == value
    assert isinstance(found, int)


@pytest.mark.parametrize(("written", "meant"), [("three", "3"), ("3 turns", "3"), ("2.5", "2"), ("many", None)])
def test_what_is_no_whole_number_is_kept_and_reported(read, written, meant):
    step = read.step(f"MAX_TURNS: {written}   #! EXPECTED_INTEGER")
    assert step.max_turns is None
    assert step.extras == {"MAX_TURNS": written}
    fix = read.finding("EXPECTED_INTEGER").fix
    assert (fix.edits[0].text if fix else None) == meant


def test_what_is_no_number_is_kept_and_reported(read):
    execution = read.under("EXECUTION", "temperature: warm   #! EXPECTED_NUMBER").execution
    assert execution.extras == {"temperature": "warm"}


@pytest.mark.parametrize(
    ("row", "mended"),
    [("temperature: 3", "2"), ("temperature: -1", "0"), ("max_tokens: 0", "1"), ("compaction_threshold: 1.5", "1")],
)
def test_a_number_out_of_range_is_kept_and_the_nearest_offered(read, row, mended):
    execution = read.under("EXECUTION", f"{row}   #! OUT_OF_RANGE").execution
    key, value = row.split(": ")
    assert getattr(execution, key) == float(value)
    assert f"{key}: {mended}\n" in read.mended("OUT_OF_RANGE")


@pytest.mark.parametrize(
    ("written", "value"), [("15000", 15_000), ("15s", 15_000), ("0.5s", 500), ("2m", 120_000), ("250ms", 250)]
)
def test_a_duration_in_ms_takes_units(read, written, value):
    found = read.under("EXECUTION", f"tool_timeout: {written}").execution.tool_timeout
    assert found == value
    assert isinstance(found, int)


@pytest.mark.parametrize(("written", "value"), [("20", 20), ("20s", 20), ("1h", 3600), ("500ms", 0.5), ("2d", 172_800)])
def test_a_duration_in_seconds_takes_units(read, written, value):
    assert read.under("DELEGATE", f"- AGENT: B\n  TIMEOUT: {written}").delegates[0].timeout == value


def test_what_is_no_duration_is_kept_and_reported(read):
    execution = read.under("EXECUTION", "tool_timeout: 15 sec   #! EXPECTED_DURATION").execution
    assert execution.extras == {"tool_timeout": "15 sec"}
    assert "tool_timeout: 15\n" in read.mended("EXPECTED_DURATION")


@pytest.mark.parametrize(
    ("written", "value"), [("enum", "enum"), ("ENUM", "enum"), ('"enum"', "enum"), ("free-text", "free_text")]
)
def test_a_word_of_a_set_is_stored_as_the_set_spells_it(read, written, value):
    assert read.under("GATHER", f"a:\n  type: {written}").gather.fields[0].type == value


def test_a_word_near_one_of_the_set_is_reported_with_it(read):
    (field,) = read.under("GATHER", "a:\n  prompt_mode: asc   #! UNKNOWN_CHOICE").gather.fields
    assert field.extras == {"prompt_mode": "asc"}
    assert "prompt_mode: ask\n" in read.mended("UNKNOWN_CHOICE")


def test_an_open_set_takes_other_words_without_a_note(read):
    assert read.under("EXECUTION", "reasoning_effort: extreme").execution.reasoning_effort == "extreme"


def test_an_unknown_kind_of_personal_data_is_dropped_with_a_warning(read):
    (field,) = read.under("GATHER", "a:\n  pii_type: shoe_size   #! PII_TYPE_UNKNOWN").gather.fields
    assert field.pii_type == ""


@pytest.mark.parametrize("written", [r'"^[A-Z]{2}\d{9}$"', r"^[A-Z]{2}\d{9}$", r"|" + "\n      " + r"^[A-Z]{2}\d{9}$"])
def test_a_pattern_is_kept_as_written(read, written):
    (field,) = read.under("GATHER", f"a:\n  validate: {written}").gather.fields
    assert field.validation.rule == r"^[A-Z]{2}\d{9}$"
    read.stands(field.validation, "rule")


def test_code_keeps_its_inner_indentation_and_signs(read):
    read.raw('TOOLS:\n  f() -> any\n    code: |\n      if a:\n        # note\n        b = "x"\n')
    assert read.document.tools[0].code == 'if a:\n  # note\n  b = "x"'


def test_the_content_of_a_skipped_section_is_not_read(read):
    document = read("TESTS:\n  anything: [\n  - goes\nPERSONA: x\n")
    assert document.persona == "x"


@pytest.mark.parametrize("written", ["enum(red, green)", "enum[red, green]", 'ENUM("red", green)'])
def test_the_type_of_a_slot_may_bring_its_options(read, written):
    (field,) = read.under("GATHER", f"colour:\n  type: {written}\n  prompt: Which?").gather.fields
    assert (field.type, field.options, field.prompt) == ("enum", ["red", "green"], "Which?")
    read.stands(field, "options.1", "green")
