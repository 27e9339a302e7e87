"""Spelling of single values."""

import pytest

from abl.parser import parse_text
from abl.parser.values import literal as read_literal
from abl.printer.scalars import fits_quotes, inline_list, is_event, is_phrase, literal, number, word
from abl.printer.serialize import serialize


@pytest.mark.parametrize("text", ["plain", 'with "inner" quotes', "a # b", "{{x}}", "|", "a: b"])
def test_texts_on_one_line_fit_into_quotes(text):
    assert fits_quotes(text)


@pytest.mark.parametrize("text", ["two\nlines", 'a" # b', "key: | # c"])
def test_texts_that_would_be_misread_do_not(text):
    assert not fits_quotes(text)


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (0.5, "0.5"), (1e-7, "0.0000001"), (1e20, "100000000000000000000")]
)
def test_numbers_have_no_exponent(value, text):
    assert number(value) == text


def test_words_stand_bare_and_all_else_in_quotes():
    assert [word("user.tier"), word("de-DE"), word("two words")] == ["user.tier", "de-DE", '"two words"']


def test_short_words_make_an_inline_list():
    assert inline_list(["a", "image/png"]) == "[a, image/png]"
    assert inline_list(["two words"]) is None
    assert inline_list(["a" * 30] * 3) is None


@pytest.mark.parametrize("value", [None, True, 3, -0.5, "text", [], {}, ["a", 1, None], {"a": {"b": ["c d"]}}])
def test_a_literal_is_read_back(value):
    assert read_literal(literal(value)) == value


def test_events_and_phrases_are_told_from_texts():
    assert is_event("tool:*:after")
    assert not is_event("^a$")
    assert is_phrase("HANDOFF Claims_Desk")
    assert not is_phrase("a: b")


def test_a_quote_before_slashes_is_written_as_a_block():
    document = parse_text("TOOLS:\n  parcel()\n    description: x\n").document
    document.tools[0].description = '" // not'
    assert parse_text(serialize(document)).document == document
