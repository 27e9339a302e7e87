"""Conditions, expressions and templates in the texts of a document, with their exact places."""

import pytest

STEP = "FLOW:\n  ask:\n    REASONING: false\n    RESPOND: Hello\n    {line}\n    THEN: COMPLETE\n"


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        ("COMPLETE:\n  - WHEN: turn_count > AND language == 'de'\n", "INVALID_CONDITION", "AND"),
        ("COMPLETE:\n  - WHEN: language = 'de'\n", "SINGLE_EQUALS", "="),
        ("COMPLETE:\n  - WHEN: language === 'de'\n", "TRIPLE_EQUALS", "==="),
        ("COMPLETE:\n  - WHEN: LENGHT(input) == 0\n", "FUNCTION_UNKNOWN", "LENGHT"),
        ("COMPLETE:\n  - WHEN: LENGTH(input, 2, 3) == 0\n", "FUNCTION_ARITY", "LENGTH"),
        ("ON_START:\n  SET: a = turn_count + * 2\n", "INVALID_EXPRESSION", "2"),
        ("ON_START:\n  RESPOND: Turn {{turn_count.\n", "TEMPLATE_UNCLOSED", "{{turn_count."),
        ("ON_START:\n  RESPOND: Turn {{turn_count | uper}}.\n", "TEMPLATE_UNKNOWN_FILTER", "uper"),
        ("ON_START:\n  RESPOND: |\n    Hello.\n      Turn {{turn_count | uper}}.\n", "TEMPLATE_UNKNOWN_FILTER", "uper"),
        ("ON_START:\n  RESPOND: {{#if turn_count > 3}}x\n", "TEMPLATE_SYNTAX", "{{#if turn_count > 3}}"),
        (STEP.format(line="CHECK: turn_count >> 2"), "INVALID_CONDITION", ">"),
        (STEP.format(line="WHEN: the user is tired"), "NATURAL_LANGUAGE_CONDITION", "the user is tired"),
        (STEP.format(line="ON_INPUT:\n      - IF: input = 'x'\n        THEN: ask"), "SINGLE_EQUALS", "="),
        ("CONSTRAINTS:\n  - REQUIRE turn_count > 1 IMPLIES language = 'x'\n    ON_FAIL: No\n", "SINGLE_EQUALS", "="),
        ("ON_START:\n  RESPOND: Hi\n    VOICE: Turn {{turn_count | uper}}\n", "TEMPLATE_UNKNOWN_FILTER", "uper"),
        (
            "ON_START:\n  RESPOND: Hi\n    FORMATS:\n      MARKDOWN: Turn {{turn_count | uper}}\n",
            "TEMPLATE_UNKNOWN_FILTER",
            "uper",
        ),
        (
            "DELEGATE:\n  - AGENT: B\n    WHEN: true\n    INPUT:\n      x: LENGHT(input)\n",
            "FUNCTION_UNKNOWN",
            "LENGHT",
        ),
        ("MESSAGES:\n  greeting: Hi {{language | uper}}\n", "TEMPLATE_UNKNOWN_FILTER", "uper"),
        ("TEMPLATES:\n  card: |\n    Hi {{language | uper}}\nON_START:\n  RESPOND: TEMPLATE(card)\n",
         "TEMPLATE_UNKNOWN_FILTER", "uper"),
    ],
)  # fmt: skip
def test_a_fault_is_marked_exactly(in_text, text, code, marked):
    (found,) = in_text(text)
    whole = 'AGENT: Parcel_Desk\nGOAL: "Help people"\n' + text
    assert found.code == code
    assert whole[found.offset : found.offset + found.length] == marked
    assert whole.split("\n")[found.line - 1][found.column - 1 :].startswith(marked.split("\n")[0])


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("COMPLETE:\n  - WHEN: language = 'de'\n", "language == 'de'"),
        ("COMPLETE:\n  - WHEN: LENGHT(input) == 0\n", "LENGTH(input)"),
        ("ON_START:\n  RESPOND: |\n    Hello.\n    Turn {{turn_count | uper}}.\n", "| upper}}"),
        ("ON_START:\n  SET:\n    a = LENGHT(input)\n  RESPOND: Hi\n", "a = LENGTH(input)"),
    ],
)
def test_the_fix_mends_the_text(in_text, mended, wrong, right):
    (found,) = in_text(wrong)
    after = mended(found, wrong)
    assert right in after
    assert not in_text(after)


@pytest.mark.parametrize(
    "text",
    [
        "HANDOFF:\n  - TO: B\n    WHEN: the caller wants money back\n",
        "ESCALATE:\n  triggers:\n    - WHEN: the caller is angry\n      REASON: Angry\n",
        "COMPLETE:\n  - WHEN: the caller says goodbye\n",
    ],
)
def test_some_conditions_may_be_sentences(in_text, text):
    assert not in_text(text)


def test_braces_in_patterns_and_program_text_mean_nothing(in_text):
    text = """
        TOOLS:
          compute(a: number) -> object
            description: "Computes"
            parameters:
              a:
                description: "A number"
            type: code
            code: |
              return {"a": {"b": {{1}}
    """
    assert not [one for one in in_text(text) if one.code.startswith("TEMPLATE")]


def test_a_profile_without_an_agent_is_read_too(in_text):
    text = 'BEHAVIOR_PROFILE: p\nPRIORITY: 1\nWHEN: channel = "voice"\nINSTRUCTIONS: "x"\n'
    assert [one.code for one in in_text(text)] == ["SINGLE_EQUALS"]


def test_the_yaml_form_is_read_without_exact_places(in_text):
    text = "agent: Desk\ngoal: Help\ncomplete:\n  - {when: 'LENGHT(input) == 0', respond: Bye}\n"
    assert [one.code for one in in_text(text)] == ["FUNCTION_UNKNOWN"]


def test_the_number_of_findings_is_bounded(in_text):
    lines = "".join(f"  m{at}: Hi {{{{language | uper}}}}\n" for at in range(900))
    found = in_text("MESSAGES:\n" + lines, "TEMPLATE_UNKNOWN_FILTER")
    assert len(found) == 500
