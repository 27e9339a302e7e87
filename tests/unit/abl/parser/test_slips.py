"""Which unknown keys are read as a known one. Spec: abl-language 0, 5.1."""

import pytest

from abl.parser.slips import is_slip


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("promt", "prompt"), ("THEM", "THEN"), ("typ", "type"), ("TEMPLTE", "TEMPLATE"), ("on_filure", "on_failure"),
        ("synonym", "synonyms"), ("CONSTRAINTS", "STEP_CONSTRAINTS"),
    ],
)  # fmt: skip
def test_one_wrong_letter_is_a_slip(word, meant):
    assert is_slip(word, meant)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("optional", "options"), ("THEN", "WHEN"), ("MESSAGE", "MESSAGE_KEY"), ("TRANSITIONS", "TRANSITION"),
        ("author", "auth"), ("timeout", "timeouts"), ("mode", "model"), ("RESULT", "RESET"), ("INIT", "UNIT"),
        ("score", "store"), ("as", "is"), ("RETURN_TO", "RETURN"),
    ],
)  # fmt: skip
def test_a_word_that_may_mean_something_else_is_none(word, meant):
    assert not is_slip(word, meant)


def test_a_key_of_another_place_is_kept_and_no_other_is_proposed(read):
    step = read.step("RESPOND: Hello\nMESSAGE: Hi   #! UNKNOWN_PROPERTY\nTHEN: COMPLETE")
    assert (step.message_key, step.extras) == ("", {"MESSAGE": "Hi"})
    assert "Did you mean" not in read.finding("UNKNOWN_PROPERTY").message


def test_a_key_that_is_merely_near_is_kept_and_the_near_one_is_named(read):
    (field,) = read.under("GATHER", "a:\n  optional: true   #! UNKNOWN_PROPERTY").gather.fields
    assert (field.options, field.extras) == ([], {"optional": "true"})
    assert "Did you mean options?" in read.finding("UNKNOWN_PROPERTY").message
    assert read.finding("UNKNOWN_PROPERTY").fix is None
