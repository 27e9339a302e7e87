"""Answers, formats, elements and templates."""

import pytest

from abl.printer.page import Page
from abl.printer.rich import labelled, put_element, put_format, put_option, put_template
from abl.syntax.rich import Element, Option, Template, Voice


def written(put, *arguments):
    page = Page()
    put(page, 0, *arguments)
    return str(page)


@pytest.mark.parametrize(
    ("option", "label"),
    [
        (Option(label="Yes", id="yes"), '"Yes" -> yes'),
        (Option(label="Yes", id="y e s"), '"Yes"'),
        (Option(label="a -> b", id="x"), ""),
        (Option(label="a → b", id="x"), ""),
        (Option(id="x"), ""),
        (Option(label="two\nlines"), ""),
    ],
    ids=str,
)
def test_a_label_stands_before_its_arrow_if_it_is_read_back(option, label):
    assert labelled(option)[0] == label


def test_what_the_label_does_not_say_stands_below_it():
    assert written(put_option, Option(label="Yes", id="y e s")) == '- "Yes"\n  ID: "y e s"\n'
    assert written(put_option, Option(label="a -> b", id="x")).startswith("- ")


def test_an_element_is_named_by_its_type_and_holds_its_options():
    element = Element(type="select", label="Hub", id="hub", options=[Option(label="Graz", id="graz")])
    assert written(put_element, element) == '- SELECT: "Hub" -> hub\n  OPTIONS:\n    - "Graz" -> graz\n'


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("markdown", "**a**", 'MARKDOWN: "**a**"\n'),
        ("adaptive_card", '{"a": 1}', 'ADAPTIVE_CARD: |\n  {"a": 1}\n'),
        ("adaptive_card", {"a": 1}, "ADAPTIVE_CARD:\n  a: 1\n"),
    ],
)
def test_a_format_is_a_text_a_block_of_json_or_a_body(name, value, text):
    assert written(put_format, name, value) == text


def test_a_template_is_one_text_unless_it_has_formats():
    assert written(put_template, Template(name="hi", text="Hello")) == 'hi: "Hello"\n'
    tall = Template(name="hi", text="Hello", formats={"markdown": "*Hi*"}, voice=Voice(plain_text="Hello there"))
    assert written(put_template, tall).startswith('hi:\n  DEFAULT: "Hello"\n  MARKDOWN: "*Hi*"\n  VOICE:')
