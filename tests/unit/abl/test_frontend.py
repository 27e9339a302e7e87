"""Which grammar a text is read with."""

import pytest

from abl.frontend import (
    is_valid,
    parse,
    parse_agent,
    parse_agent_based_abl,
    parse_supervisor,
    parse_yaml_abl,
    validate,
)

AGENT = "AGENT: Desk\nGOAL: Help\n"
SUPERVISOR = "SUPERVISOR: Front\nGOAL: Route\n"
TOOLS = "TOOLS:\n  find() -> object\n"
PROFILE = "BEHAVIOR_PROFILE: calm\nPRIORITY: 1\nWHEN: true\n"
YAML = "agent: Desk\ngoal: Help\n"
NUMBERED = 'AGENT: Desk\nSTEPS:\n  1. RESPOND "Hello"\n'
OLDER = "AGENT: Desk\nMODE: reasoning\nGOAL: Help\n"


@pytest.mark.parametrize(
    ("text", "kind", "form", "detected"),
    [
        (AGENT, "agent", "abl", "agent"),
        ("# a comment\n\n" + AGENT + "\n\n", "agent", "abl", "agent"),
        ("\ufeff" + AGENT, "agent", "abl", "agent"),
        (AGENT.replace("\n", "\r\n"), "agent", "abl", "agent"),
        (SUPERVISOR, "supervisor", "abl", "supervisor"),
        (TOOLS, "tools", "abl", "tools"),
        (PROFILE, "profile", "abl", "agent-based"),
        (OLDER, "agent", "abl", "agent-based"),
        (YAML, "agent", "yaml", "yaml"),
        (NUMBERED, "agent", "legacy", "agent"),
    ],
)
def test_a_text_is_read_with_its_own_grammar(text, kind, form, detected):
    document = parse(text).document
    assert (document.kind, document.format, document.detected_type) == (kind, form, detected)


def test_prose_has_no_document_and_one_error():
    result = parse("Help people find their parcels\n")
    assert result.document is None
    assert [error.code for error in result.errors] == ["UNDETECTED_TYPE"]


def test_the_type_agent_based_always_means_the_modern_grammar():
    assert parse(NUMBERED, "agent-based").document.format == "abl"
    assert parse(NUMBERED, "agent").document.format == "legacy"


def test_a_type_nobody_knows_is_named_with_the_ones_there_are():
    with pytest.raises(ValueError, match="no type 'novel'; the argument type takes supervisor, agent, agent-based"):
        parse(SUPERVISOR, "novel")


def test_an_agent_is_not_a_supervisor():
    assert parse_agent(AGENT).document.name == "Desk"
    assert parse_supervisor(SUPERVISOR).document.name == "Front"
    for read, text, code in (
        (parse_agent, SUPERVISOR, "EXPECTED_AGENT"),
        (parse_agent, TOOLS, "EXPECTED_AGENT"),
        (parse_agent, "prose", "EXPECTED_AGENT"),
        (parse_agent, "", "EXPECTED_AGENT"),
        (parse_supervisor, AGENT, "EXPECTED_SUPERVISOR"),
    ):
        result = read(text)
        assert result.document is None
        assert [error.code for error in result.errors] == [code]


def test_what_was_expected_is_said_at_the_first_line_that_counts():
    error = parse_supervisor("# comment\n\n  AGENT: Desk\n  GOAL: Help\n").errors[0]
    assert (error.line, error.column, error.offset, error.length) == (3, 3, 13, 6)


def test_texts_of_the_yaml_form_are_routed_to_their_parser():
    assert parse_agent_based_abl(YAML).format == "yaml"
    assert parse_agent_based_abl(AGENT).format == "abl"
    assert parse_yaml_abl(YAML).name == "Desk"


def test_strict_turns_older_forms_into_errors():
    assert is_valid(OLDER)
    assert [one.code for one in parse(OLDER).warnings] == ["MODE_DEPRECATED"]
    assert [one.code for one in validate(OLDER, strict=True)] == ["MODE_DEPRECATED"]


def test_validate_gives_the_errors_of_reading_only():
    assert validate(AGENT + "HANDOFF:\n  - TO: Nobody\n    WHEN: true\n") == []
