"""Arguments of calls against the signature."""

import pytest

TEXT = """
TOOLS:
  find(code: string, region: string = "EU") -> object
    description: "d"
FLOW:
  look:
    REASONING: false
    CALL: {call}
      AS: found
    THEN: COMPLETE
"""


@pytest.mark.parametrize(
    ("call", "detail"),
    [
        ('find("a", "b", "c")', "3 are given"),
        ("find()", "code is missing"),
        ('find(region = "EU")', "code is missing"),
    ],
)
def test_too_many_and_too_few_arguments_are_reported(in_text, call, detail):
    (found,) = in_text(TEXT.format(call=call), "CALL_ARITY")
    assert detail in found.message
    assert found.line == 9


@pytest.mark.parametrize("call", ['find("a")', 'find("a", "b")', "find", 'find(code: "a", region = "b")'])
def test_right_calls_are_let_alone(in_text, call):
    found = {one.code for one in in_text(TEXT.format(call=call))}
    assert not found & {"CALL_ARITY", "UNKNOWN_CALL_ARGUMENT"}


@pytest.mark.parametrize(
    "call",
    [
        'find("a", regoin = "b")',
        'find("a", regoin: "b")',
        'find("a")\n      WITH: {regoin: "b"}',
        'find("a")\n      WITH:\n        regoin: "b"',
    ],
)
def test_an_argument_of_an_unknown_name_is_reported_at_its_name(in_text, mended, call):
    text = TEXT.format(call=call)
    (found,) = in_text(text, "UNKNOWN_CALL_ARGUMENT")
    assert "regoin" not in mended(found, text)
    assert not in_text(text, "CALL_ARITY")
