"""Cutting a text into sections, and what a repeated, unknown or misspelt one does. Spec: abl-language 1.2, 1.5, 3.0."""

import pytest

from abl.syntax.document import HEADERS, SECTIONS, Document

BODIES = {
    "VERSION": " 1.0.0", "DESCRIPTION": " a", "LANGUAGE": " de", "PERSONA": " a", "SYSTEM_PROMPT": " a",
    "IDENTITY": "\n  role: a", "EXECUTION": "\n  model: a", "CONVERSATION": "\n  listening: {barge_in: true}",
    "NLU": "\n  languages: [de]", "MULTI_INTENT": "\n  enabled: true", "FLOW": "\n  ask:\n    REASONING: false",
    "ESCALATE": "\n  CONNECTOR_ACTION: a", "ON_START": "\n  RESPOND: a", "HOOKS": "\n  before_turn:\n    RESPOND: a",
    "MESSAGES": "\n  greeting: a",
}  # fmt: skip
MERGED = {
    "TOOLS": ("\n  {}() -> any", "tools"),
    "GATHER": ("\n  {}:\n    type: text", "gather"),
    "ATTACHMENTS": ("\n  {}:\n    category: image", "attachments"),
    "ENTITIES": ("\n  {}:\n    TYPE: text", "entities"),
    "INTENTS": ("\n  {}: x", "intents"),
    "LOOKUP_TABLES": ("\n  {}:\n    values: [a]", "lookup_tables"),
    "MEMORY": ("\n  session:\n    - {}", "memory"),
    "CONSTRAINTS": ("\n  - REQUIRE {}", "constraints"),
    "GUARDRAILS": ("\n  {}:\n    check: a", "guardrails"),
    "DELEGATE": ("\n  - AGENT: {}", "delegates"),
    "HANDOFF": ("\n  - TO: {}", "handoffs"),
    "RETURN_HANDLERS": ("\n  {}:\n    CONTINUE: true", "return_handlers"),
    "COMPLETE": ("\n  - WHEN: {}", "complete"),
    "ON_ERROR": ("\n  {}:\n    RESPOND: a", "on_error"),
    "ACTION_HANDLERS": ("\n  {}:\n    RESPOND: a", "action_handlers"),
    "TEMPLATES": ("\n  {}: x", "templates"),
    "DESTINATIONS": ("\n  {}:\n    url: https://x.example", "destinations"),
}


@pytest.mark.parametrize("word", BODIES)
def test_a_section_that_may_stand_once_is_an_error_the_second_time(read, word):
    first = f"{word}:{BODIES[word]}\n"
    read.raw(f"AGENT: A\nGOAL: b\n{first}\n{first}")
    assert [one.code for one in read.findings] == ["DUPLICATE_SECTION"]
    found = read.findings[0]
    assert found.severity == "error"
    assert found.message.startswith(f"Duplicate section {word}")
    assert "line 3" in found.message
    assert found.offset == read.text.rindex(f"{word}:")


@pytest.mark.parametrize("word", ["AGENT", "SUPERVISOR"])
def test_a_second_header_is_an_error(read, word):
    document = read(f"AGENT: A\nGOAL: b\n{word}: B   #! DUPLICATE_SECTION\n")
    assert document.name == "A"
    assert "line 1" in read.finding("DUPLICATE_SECTION").message


def test_a_second_goal_is_an_error_and_the_first_counts(read):
    assert read("GOAL: c   #! DUPLICATE_SECTION\n").goal == "Help"


@pytest.mark.parametrize("word", MERGED)
def test_a_section_that_may_be_repeated_is_merged(read, word):
    body, field = MERGED[word]
    one, two = ("tool_error", "api_error") if word == "ON_ERROR" else ("one", "two")
    whole = read(f"{word}:{body.format(one)}\nPERSONA: x\n{word}:{body.format(two)}\n")
    once = read(
        f"{word}:{body.format(one)}{body.format(two).removeprefix(chr(10) + '  session:') if word == 'MEMORY' else body.format(two)}\nPERSONA: x\n"
    )
    assert getattr(whole, field) == getattr(once, field)
    assert getattr(whole, field)


def test_instructions_are_appended(read):
    assert read("INSTRUCTIONS: a\nPERSONA: x\nINSTRUCTIONS: b\n").instructions == "a\nb"


def test_limitations_are_replaced(read):
    assert read("LIMITATIONS: [a]\nLIMITATIONS:\n  - b\n").limitations == ["b"]


@pytest.mark.parametrize("key", ["USE BEHAVIOR_PROFILE", "USE_BEHAVIOR_PROFILE"])
def test_several_profiles_may_be_attached(read, key):
    document = read(f'{key}: phone\n{key}: "night-shift"\n{key}: vip  # said\nPERSONA: x\n')
    assert document.use_behavior_profiles == ["phone", "night-shift", "vip"]
    assert document.persona == "x"


def test_what_stands_in_tests_is_not_read_and_may_be_repeated(read):
    assert read("TESTS:\n  - a: [\nPERSONA: x\nTESTS:\n  b\n").persona == "x"


def test_every_section_of_the_overview_is_known():
    table = (
        "AGENT SUPERVISOR VERSION DESCRIPTION LANGUAGE GOAL PERSONA INSTRUCTIONS LIMITATIONS IDENTITY SYSTEM_PROMPT MODE "
        "TOOLS GATHER ATTACHMENTS ENTITIES INTENTS NLU LOOKUP_TABLES MULTI_INTENT MEMORY CONSTRAINTS GUARDRAILS FLOW STEPS "
        "DELEGATE HANDOFF RETURN_HANDLERS ESCALATE COMPLETE ON_START ON_ERROR HOOKS ACTION_HANDLERS TEMPLATES MESSAGES "
        "EXECUTION CONVERSATION DESTINATIONS BEHAVIOR_PROFILE TESTS AGENTS ROUTING MODEL"
    )
    assert [word for word in table.split() if word not in SECTIONS and word not in HEADERS] == []


@pytest.mark.parametrize("word", ["WIDGETS", "X_MY SECTION", "ZZZ"])
def test_an_unknown_section_is_an_error_that_names_the_valid_ones(read, word):
    document = read(f"{word}: a   #! UNKNOWN_SECTION\n  b: c\nPERSONA: x\n")
    found = read.finding("UNKNOWN_SECTION")
    assert found.severity == "error"
    assert found.message.startswith(f"Unknown section: {word}")
    assert "GATHER" in found.message
    assert read.span("UNKNOWN_SECTION") == word
    assert document.persona == "x"


@pytest.mark.parametrize(
    ("written", "meant"),
    [("GAHTER", "GATHER"), ("CONSTRAINT", "CONSTRAINTS"), ("ON_ERRROR", "ON_ERROR"), ("GUARDRAIL", "GUARDRAILS")],
)
def test_a_misspelt_section_is_read_as_the_one_that_was_meant(read, written, meant):
    body = {
        "GATHER": "code:\n    type: text",
        "CONSTRAINTS": "- REQUIRE a",
        "ON_ERROR": "DEFAULT:\n    RESPOND: a",
    }.get(meant, "x:\n    check: a")
    document = read(f"{written}:   #! UNKNOWN_SECTION\n  {body}\nPERSONA: x\n")
    assert getattr(document, SECTIONS[meant].field)
    assert f"\n{meant}:\n" in read.mended("UNKNOWN_SECTION")


@pytest.mark.parametrize("written", ["Gather", "gather", "GaTHER"])
def test_a_section_in_the_wrong_case_is_read_with_a_warning(read, written):
    document = read(f"{written}:   #! WRONG_CASE_SECTION\n  code:\n    type: text\nPERSONA: x\n")
    assert [one.name for one in document.gather.fields] == ["code"]
    found = read.finding("WRONG_CASE_SECTION")
    assert found.severity == "warning"
    assert "ABL keywords must be uppercase" in found.message
    assert "\nGATHER:\n" in read.mended("WRONG_CASE_SECTION")


@pytest.mark.parametrize("line", ["FLOW", "GATHER", 'PERSONA "Calm"', "PERSONA |\n  Calm"])
def test_a_section_without_colon_is_read_with_an_error(read, line):
    head, _, rest = line.partition("\n")
    document = read(f"{head}   #! MISSING_COLON\n{rest}\nDESCRIPTION: x\n")
    assert document.description == "x"
    if "PERSONA" in line:
        assert document.persona == "Calm"


def test_a_dash_item_in_column_0_belongs_to_its_section(read):
    document = read("COMPLETE:\n- WHEN: a\n  RESPOND: b\n- WHEN: c\nPERSONA: x\n")
    assert [(one.when, one.respond or "") for one in document.complete] == [("a", "b"), ("c", "")]
    assert document.persona == "x"


def test_a_lower_case_name_in_column_0_does_not_end_a_section(read):
    document = read("GATHER:\ncode:\n  type: text\nHub_Name:\n  type: text\nPERSONA: x\n")
    assert [one.name for one in document.gather.fields] == ["code", "Hub_Name"]
    assert document.persona == "x"


def test_spaces_before_the_colon_of_a_section_do_not_matter(read):
    assert read("PERSONA : Calm\n").persona == "Calm"


@pytest.mark.parametrize("key", ["PRIORITY: 1", "WHEN: a"])
def test_keys_of_a_profile_outside_one_are_errors(read, key):
    read(f"PERSONA: x\n{key}   #! PROFILE_INLINE_SECTION\n")
    assert read.finding("PROFILE_INLINE_SECTION").severity == "error"


INLINE = 'BEHAVIOR_PROFILE: phone\nPRIORITY: 20\nWHEN: channel == "voice"\nINSTRUCTIONS: Be short.\nCONVERSATION:\n  listening: {barge_in: true}\n'


def test_an_inline_profile_holds_four_keys_and_ends_at_any_other_section(read):
    document = read("AGENT: Desk\nGOAL: Help\n" + INLINE + "PERSONA: x\nINSTRUCTIONS: Mine\n")
    (profile,) = document.behavior_profiles
    assert (profile.name, profile.priority, profile.when, profile.instructions) == (
        "phone",
        20,
        'channel == "voice"',
        "Be short.",
    )
    assert profile.conversation == {"listening": {"barge_in": True}}
    assert (document.persona, document.instructions) == ("x", "Mine")


def test_an_inline_profile_ends_at_a_repeated_key(read):
    document = read("AGENT: Desk\nGOAL: Help\n" + INLINE + "INSTRUCTIONS: Mine\n")
    assert document.behavior_profiles[0].instructions == "Be short."
    assert document.instructions == "Mine"


def test_several_inline_profiles_are_kept(read):
    document = read("AGENT: Desk\nGOAL: Help\n" + INLINE + INLINE.replace("phone", "chat").replace("20", "30"))
    assert [(one.name, one.priority) for one in document.behavior_profiles] == [("phone", 20), ("chat", 30)]


def test_a_section_indented_under_the_header_is_read_with_one_warning(read):
    document = read("AGENT: A\n  GOAL: b   #! MISPLACED_INDENT\n  PERSONA: c\n")
    assert (document.goal, document.persona) == ("b", "c")


def test_all_sections_of_a_document_are_rows_of_one_table():
    assert set(SECTIONS.values()) == set(Document.PROPS)


def test_a_template_without_its_name_is_an_unknown_section(read):
    document = read("TEMPLATE: Hello   #! UNKNOWN_SECTION\nPERSONA: kind\n")
    assert document.persona == "kind"
    assert "TEMPLATES" in read.finding("UNKNOWN_SECTION").message
