"""One text of the modern grammar to a document, and where its values stand. Spec: abl-language 1.1, 2, 3.1, 3.18."""

import pytest

from abl.parser import parse_text
from abl.parser.document import not_text

AGENT = """AGENT: Desk
VERSION: "2.1.0"
GOAL: Help
GATHER:
  code:
    prompt: "Which code?"
    default: EU
FLOW:
  ask:
    REASONING: false
    SET: a = b
    ON_INPUT:
      - IF: c == 1
        THEN: COMPLETE
"""


def places(document):
    """Return the values of a document that have a place, with that place."""
    (field,), (step,) = document.gather.fields, document.flow.steps
    (one,), (branch,) = step.set, step.on_input
    return [
        (document.name, document.at["name"]),
        (document.version, document.at["version"]),
        (document.goal, document.at["goal"]),
        (field.name, field.at["name"]),
        (field.prompt, field.at["prompt"]),
        (field.default, field.at["default"]),
        (step.name, step.at["name"]),
        (one.variable, one.at["variable"]),
        (one.expression, one.at["expression"]),
        (branch.condition, branch.at["condition"]),
        (branch.then, branch.at["then"]),
    ]


DISGUISES = {
    "plain": lambda text: text,
    "windows line ends": lambda text: text.replace("\n", "\r\n"),
    "old mac line ends": lambda text: text.replace("\n", "\r"),
    "byte order mark": lambda text: "\ufeff" + text,
    "mark and line ends": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "indented": lambda text: "".join(f"      {line}\n" for line in text.splitlines()),
    "comments before it": lambda text: "# said\n\n/* more\n  */\n" + text,
    "blanks behind lines": lambda text: text.replace("\n", "   \n"),
    "blank lines between": lambda text: text.replace("\n", "\n\n"),
    "no last line end": lambda text: text.rstrip("\n"),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_every_value_stands_where_the_document_says(read, disguise):
    document = read.raw(DISGUISES[disguise](AGENT))
    assert read.findings == []
    for value, at in places(document):
        assert read.text[at : at + len(value)] == value
    assert document == read.raw(AGENT)


def test_tabs_are_read_with_one_warning_at_the_first(read):
    document = read.raw(AGENT.replace("    ", "\t\t").replace("  ", "\t"))
    assert read.says == [("TAB_INDENT", 5)]
    assert (read.findings[0].column, read.findings[0].length) == (1, 1)
    for value, at in places(document):
        assert read.text[at : at + len(value)] == value
    assert document == read.raw(AGENT)


def test_a_fence_around_the_text_is_skipped_with_one_warning(read):
    document = read.raw(f"```abl\n{AGENT}```\n")
    assert read.says == [("MARKDOWN_FENCE", 1)]
    assert document == read.raw(AGENT)


@pytest.mark.parametrize("word", ["AGENT", "SUPERVISOR"])
def test_the_header_gives_kind_and_name(read, word):
    document = read.raw(f"{word}: Front_Desk  # said\nGOAL: b\n")
    assert (document.kind, document.name, document.format) == (word.lower(), "Front_Desk", "abl")
    assert document.detected_type == word.lower()
    assert document.pos == (1, 1, 0)
    assert read.findings == []


def test_an_agent_with_mode_is_detected_as_agent_based(read):
    document = read("AGENT: A\nMODE: reasoning   #! MODE_DEPRECATED\nGOAL: b\n")
    assert (document.detected_type, document.mode) == ("agent-based", "reasoning")


@pytest.mark.parametrize("name", ["Front-Desk", "Front Desk", "3rd"])
def test_a_name_that_is_no_identifier_is_kept_with_a_note(read, name):
    document = read(f"AGENT: {name}   #! AGENT_NAME_STYLE\nGOAL: b\n")
    assert document.name == name
    assert read.span("AGENT_NAME_STYLE") == name


def test_a_header_without_name_gives_no_document(read):
    assert read("AGENT:   #! AGENT_NAME_MISSING\nGOAL: b\n") is None


def test_a_text_without_header_gives_no_document(read):
    read.raw("GOAL: b\nGATHER:\n  a:\n    type: text\n", kind="agent-based")
    assert read.document is None
    assert [one.code for one in read.findings] == ["MISSING_AGENT"]
    assert read.findings[0].message.startswith("Missing required AGENT: declaration")


def test_prose_gives_no_document_and_one_error_at_the_beginning(read):
    assert read.raw("Hello, how are you?\nFine.\n") is None
    (one,) = read.findings
    assert (one.code, one.severity, one.line, one.column, one.offset) == ("UNDETECTED_TYPE", "error", 1, 1, 0)
    assert "Unable to detect document type" in one.message


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "\ufeff", "/* open", "```\n", "---\n", "\x00"])
def test_a_text_with_nothing_in_it_gives_one_error(read, text):
    assert read.raw(text) is None
    assert [one.severity for one in read.findings if one.code != "MARKDOWN_FENCE"] == ["error"]


@pytest.mark.parametrize(
    ("value", "name"), [(None, "NoneType"), (3, "int"), (b"AGENT: A", "bytes"), (["AGENT: A"], "list")]
)
def test_what_is_no_text_gives_one_error_that_names_the_type(value, name):
    result = not_text(value)
    assert result.document is None
    assert [one.code for one in result.errors] == ["NOT_TEXT"]
    assert "Cannot parse non-string ABL source" in result.errors[0].message
    assert name in result.errors[0].message


def test_sections_before_the_header_are_read_with_a_warning(read):
    document = read.raw("PERSONA: x\nAGENT: A\nGOAL: b\n")
    assert (document.name, document.persona) == ("A", "x")
    assert read.says == [("CONTENT_BEFORE_AGENT", 1)]


def test_text_before_the_header_is_reported_once(read):
    document = read.raw("Here is your agent\nand more\nAGENT: A\nGOAL: b\n", kind="agent")
    assert document.name == "A"
    assert read.says == [("TEXT_OUTSIDE_SECTION", 1)]


@pytest.mark.parametrize("written", ["AGNET: A", "AGENT A", "Agent: A", "agent A"])
def test_a_misspelt_header_is_read(read, written):
    document = read.raw(f"{written}\nGOAL: b\nPERSONA: c\n")
    assert (document.name, document.goal, document.persona) == ("A", "b", "c")
    assert len(read.findings) == 1
    assert read.findings[0].fix.apply(read.text).startswith("AGENT: A\n")


PROFILE = """BEHAVIOR_PROFILE: phone-callers
PRIORITY: 20
WHEN: channel == "voice"
INSTRUCTIONS: |
  Speak in short sentences.
CONSTRAINTS:
  - "Do not list more than three hubs"
RESPONSE:
  max_buttons: 0
  max_response_length: 300
  fallback_format: plain_text
VOICE:
  instructions: "warm, slow"
TOOLS:
  HIDE: [export_pdf]
  ADD:
    send_sms:
      description: "Send a text message"
      returns: object
GATHER:
  confirmation: on_change
  FIELD_OVERRIDES:
    iban:
      skip: true
FLOW:
  SKIP: [show_map]
  OVERRIDES:
    greet:
      respond: "Hello."
  INSERTIONS:
    - AFTER: greet
      STEP: ask_name
"""


def test_a_profile_is_a_document_of_its_own(read):
    document = read(PROFILE)
    (profile,) = document.behavior_profiles
    assert (document.kind, document.name, document.detected_type) == ("profile", "phone-callers", "agent-based")
    assert (profile.priority, profile.when, profile.instructions) == (
        20,
        'channel == "voice"',
        "Speak in short sentences.",
    )
    assert profile.constraints == ["Do not list more than three hubs"]
    assert (profile.response.max_buttons, profile.response.fallback_format) == (0, "plain_text")
    assert profile.voice.instructions == "warm, slow"
    assert profile.tools.hide == ["export_pdf"]
    assert [(one.name, one.returns.base) for one in profile.tools.add] == [("send_sms", "object")]
    assert profile.gather.confirmation == "on_change"
    assert [(one.name, one.skip) for one in profile.gather.field_overrides] == [("iban", True)]
    assert profile.flow.skip == ["show_map"]
    assert [(one.name, one.respond) for one in profile.flow.overrides] == [("greet", "Hello.")]
    assert [(one.after, one.step) for one in profile.flow.insertions] == [("greet", "ask_name")]


HEAD = "BEHAVIOR_PROFILE: a\nPRIORITY: 1\nWHEN: b\n"


@pytest.mark.parametrize(
    ("body", "get"),
    [
        ("TOOLS_HIDE: [a]", lambda p: p.tools_hide == ["a"]),
        ("TOOLS_ADD:\n  a:\n    description: b", lambda p: p.tools_add[0].name == "a"),
        ("RESPONSE_RULES:\n  max_buttons: 2", lambda p: p.response.max_buttons == 2),
        ("GATHER_OVERRIDES:\n  confirmation: never", lambda p: p.gather.confirmation == "never"),
        ("FLOW_MODIFICATIONS:\n  SKIP: [a]", lambda p: p.flow.skip == ["a"]),
        ("FLOW_REPLACE:\n  ask:\n    REASONING: false", lambda p: p.flow_replace.steps[0].name == "ask"),
        ("FLOW:\n  REPLACE:\n    ask:\n      REASONING: false", lambda p: p.flow.replace.steps[0].name == "ask"),
        ("FLOW:\n  OVERRIDE:\n    a:\n      transition: b", lambda p: p.flow.overrides[0].transition == "b"),
    ],
)
def test_the_sections_of_a_profile_have_aliases(read, body, get):
    assert get(read(f"{HEAD}{body}\n").behavior_profiles[0])


@pytest.mark.parametrize("written", [' "a == 1"', " |\n  a == 1", "\n  a == 1", " a == 1"])
def test_the_condition_of_a_profile_may_be_quoted_a_block_or_indented(read, written):
    (profile,) = read(f"BEHAVIOR_PROFILE: a\nPRIORITY: 1\nWHEN:{written}\nINSTRUCTIONS: c\n").behavior_profiles
    assert profile.when.strip('"') == "a == 1"
    assert profile.instructions == "c"


def test_an_unknown_or_repeated_section_of_a_profile_is_an_error(read):
    read(f"{HEAD}WIDGETS: x   #! UNKNOWN_SECTION\nPRIORITY: 2   #! DUPLICATE_SECTION\n")
    assert read.document.behavior_profiles[0].priority == 1


def test_a_text_that_is_read_as_tools_without_tools_gives_no_document(read):
    assert read.raw("PERSONA: x\n", kind="tools") is None
    assert [one.code for one in read.findings] == ["EXPECTED_TOOLS"]
    assert read.findings[0].message.startswith("Expected TOOLS: section")
    assert read.raw("nothing\n", kind="tools") is None
    assert [one.code for one in read.findings] == ["NO_TOOLS_SECTION"]


@pytest.mark.parametrize("length", [0, 10, 40, 77, 113, 161, 240])
def test_any_beginning_of_a_text_gives_a_result(length):
    for text in (AGENT[:length], PROFILE[:length], AGENT[length:], PROFILE[length:]):
        result = parse_text(text)
        assert result.findings or result.document
