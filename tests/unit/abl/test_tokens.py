import pytest

from abl.tokens import MAX_ERRORS, SIGNS, TOKEN_TYPES, Token, tokenize
from benchmarks.shapes import of_signs
from tests.support.proportion import grows_in_proportion


def types(text):
    return [token.type for token in tokenize(text).tokens]


def test_a_step_gives_its_tokens():
    text = 'STEPS:\n  1. Ask # hello\n    RESPOND "Which \\"code\\"?"\n    PATTERN(/[A-Z]{2}/i) -> 2\n'
    result = tokenize(text)
    assert result.errors == []
    assert [token.type for token in result.tokens] == [
        "StepsKeyword", "NewLine", "StepNumber", "Identifier", "NewLine", "Respond", "StringLiteral", "NewLine",
        "Pattern", "LParen", "RegexLiteral", "RParen", "Arrow", "NumberLiteral", "NewLine",
    ]  # fmt: skip


def test_a_token_knows_its_place():
    token = tokenize("AGENT: X\r\n  GOTO two").tokens[-2]
    assert token == Token("Goto", "GOTO", 2, 3, 11, 15)
    assert token.to_dict() == {"type": "Goto", "image": "GOTO", "line": 2, "column": 3, "offset": 11, "end_offset": 15}


def test_every_image_is_the_text_at_its_offsets():
    text = 'SUPERVISOR: X\nAGENTS:\n  a: "p" [b, c]\n|---|:--|\n| x => y → z != 1.5 >= 2. <= -3\n'
    tokens = tokenize(text).tokens
    assert [text[token.offset : token.end_offset] for token in tokens] == [token.image for token in tokens]
    assert {token.type for token in tokens} <= TOKEN_TYPES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("STATE: AGENTS: INTENTS:", ["StateKeyword", "AgentsKeyword", "IntentsKeyword"]),
        ("POLICIES: COMMUNICATION: BEHAVIOR:", ["PoliciesKeyword", "CommunicationKeyword", "BehaviorKeyword"]),
        ("IDENTITY: CONTRACT: TOOLS:", ["IdentityKeyword", "ContractKeyword", "ToolsKeyword"]),
        ("GUARDRAILS: TESTS:", ["GuardrailsKeyword", "TestsKeyword"]),
        ("FLOW:", ["Identifier", "Colon"]),
        ("AGENT :", ["Identifier", "Colon"]),
        ("MY_AGENT:", ["Identifier", "Colon"]),
        ("AND OR NOT IS SET", ["And", "Or", "Not", "Is", "Set"]),
        ("ANDROID ORDER isnull stringy", ["Identifier"] * 4),
        ("WAIT_INPUT MAX_ATTEMPTS: 3", ["WaitInput", "MaxAttempts", "Colon", "NumberLiteral"]),
        ("true false null", ["True", "False", "Null"]),
        ("string number boolean datetime date array enum", [
            "StringType", "NumberType", "BooleanType", "DatetimeType", "DateType", "ArrayType", "EnumType"]),
        ("1. 1.5 1.x 2.", ["StepNumber", "NumberLiteral", "StepNumber", "Identifier", "StepNumber"]),
        ("|---| |:--|--:| | a |", ["TableSeparator", "TableSeparator", "Pipe", "Identifier", "Pipe"]),
        ("a.b[0] @x? *", ["Identifier", "Dot", "Identifier", "LBracket", "NumberLiteral", "RBracket", "At",
                          "Identifier", "Question", "Asterisk"]),
        ("'it\\'s' \"a # b\"", ["StringLiteral", "StringLiteral"]),
        ("", []),
        ("# only a comment", []),
    ],
)  # fmt: skip
def test_words_and_signs_have_their_types(text, expected):
    result = tokenize(text)
    assert [token.type for token in result.tokens] == expected
    assert result.errors == []


def test_every_sign_is_one_token():
    for sign, name in SIGNS.items():
        assert types(sign) == [name]


def test_an_unexpected_character_is_shown_with_a_caret_and_a_hint():
    result = tokenize("STEPS:\n\t1. Ask\n    RESPOND “Hi” $$$")
    first = result.errors[0]
    assert (first.line, first.column, first.offset, first.length) == (3, 13, 27, 1)
    assert first.message.split("\n") == [
        "Line 3, Column 13: Unexpected character '“'",
        "    RESPOND “Hi” $$$",
        "            ^",
        'Hint: Typographic quote, often from copying out of a word processor; write ".',
    ]
    assert [one.length for one in result.errors] == [1, 1, 3]
    assert result.errors[2].to_dict()["message"].endswith("^^^")
    assert result.tokens[-1].image == "Hi"


@pytest.mark.parametrize(
    ("sign", "hint"),
    [("—", "dash"), ("⇒", "arrow"), ("\u00a0", "space"), ("\u200b", "Invisible"), ("é", "ASCII"), ("’", "apostrophe")],
)
def test_typical_characters_of_copied_text_have_a_hint(sign, hint):
    [error] = tokenize(f"GOTO {sign} 2").errors
    assert hint in error.message.split("Hint: ")[1]


def test_an_unclosed_quote_is_one_error_and_ends_with_its_line():
    result = tokenize('RESPOND "It\'s ! \\"\nGOTO 2')
    assert len(result.errors) == 1
    assert "never closed" in result.errors[0].message
    assert [token.type for token in result.tokens] == ["Respond", "NewLine", "Goto", "NumberLiteral"]


def test_a_single_slash_does_not_hide_the_rest_of_its_line():
    result = tokenize("a / b\nhttps://x")
    assert [one.length for one in result.errors] == [1, 2]
    assert types("a / b\nhttps://x") == ["Identifier", "Identifier", "NewLine", "Identifier", "Colon", "Identifier"]


@pytest.mark.parametrize("value", [None, 5, b"AGENT: X", ["AGENT"], {}])
def test_a_value_that_is_no_text_gives_one_error(value):
    result = tokenize(value)
    assert result.tokens == []
    assert [one.message.split(":")[0] for one in result.errors] == ["Cannot parse non-string ABL source"]
    assert result.to_dict()["errors"][0]["line"] == 1


@pytest.mark.parametrize(
    "piece",
    ['"\\', "'", "/", "/\\", "\\", "$", "$%", "|", "|-", "|--", "- ", "1", "1.", "“", "#", "A", "=", "\n", " ", "\r"],
)
def test_any_text_is_read_in_linear_time(piece):
    grows_in_proportion(tokenize, of_signs("", piece, ""), len(piece) * 50_000)
    result = tokenize(piece * 50_000)
    assert len(result.errors) <= MAX_ERRORS
