"""Texts of YAML values."""

import pytest

from abl.source import Source
from abl.yaml_form.tree import compose
from abl.yaml_form.values import clean, content_offset, one_line, raw_text, text_of


def value(text):
    source = Source(text)
    return compose(source).pairs[0][1], source


def test_texts_are_trimmed_as_blocks_of_the_text_form_are():
    assert clean("  a \r\n  b  \r\n\n") == "a\n  b"
    assert one_line("a ==\n  b\n") == "a == b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a: {{x}}", "{{x}}"), ("a: [b, c]", "[b, c]"), ("a: null", ""), ("a: 'null'", "null"), ("a: 1.50", "1.50")],
)
def test_the_text_of_a_value_is_what_was_written(text, expected):
    assert text_of(*value(text)) == expected


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("a: b c", "b c"),
        ("a: {b: 1,\n  c: 2}", "{b: 1, c: 2}"),
        ("a:\n    b: 1\n    c:\n      - d\n", "\nb: 1\nc:\n  - d"),
    ],
)
def test_unknown_values_are_kept_as_the_text_form_would(text, raw):
    assert raw_text(*value(text)) == raw


@pytest.mark.parametrize(("text", "offset"), [("a: b", 3), ('a: "b"', 4), ("a: |\n\n  b\n", 8)])
def test_content_begins_after_quotes_and_block_signs(text, offset):
    assert content_offset(*value(text)) == offset
