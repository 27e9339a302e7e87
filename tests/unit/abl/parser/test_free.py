"""YAML-like bodies to JSON values, and literals. Spec: abl-language 1.4, 3.15, 4.2."""

import pytest

from abl.parser import parse_text
from benchmarks.shapes import of_signs
from tests.support.proportion import grows_in_proportion


def free(read, body):
    """Return the value of a free property."""
    return read.under("NLU", "glossary:" + body.replace("\n", "\n  ")).nlu.glossary


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (" text", "text"),
        (" 12", 12),
        (" true", True),
        (" null", None),
        (' "12"', "12"),
        (" [1, a]", [1, "a"]),
        (" {a: 1, b: {c: d}}", {"a": 1, "b": {"c": "d"}}),
        ("\n  a: 1\n  b:\n    c: d", {"a": 1, "b": {"c": "d"}}),
        ("\n  - a\n  - 2", ["a", 2]),
        ("\n  - a: 1\n    b: 2\n  - a: 3", [{"a": 1, "b": 2}, {"a": 3}]),
        ("\n  - {a: 1}\n  - [2, 3]", [{"a": 1}, [2, 3]]),
        ("\n  a:\n  - 1\n  - 2\n  b: 3", {"a": [1, 2], "b": 3}),
        ("\n  a:\n    - b:\n        c: 1\n      d: 2", {"a": [{"b": {"c": 1}, "d": 2}]}),
        ("\n  a: |\n    one\n    two\n  b: 1", {"a": "one\ntwo", "b": 1}),
        ("\n  -\n    a: 1", [{"a": 1}]),
        ("\n  a: {b: 1,\n    c: 2}", {"a": {"b": 1, "c": 2}}),
        ('\n  "a b": 1', {"a b": 1}),
        ("\n  a: {{user.name}}", {"a": "{{user.name}}"}),
        ("\n  url: https://x.example", {"url": "https://x.example"}),
        ("\n  a: 12  # said\n  # said\n  b: x", {"a": 12, "b": "x"}),
        ("\n  a:", {"a": None}),
    ],
)
def test_a_body_becomes_a_json_value(read, body, value):
    assert free(read, body) == value


def test_a_bracket_that_is_not_closed_is_reported_and_closed(read):
    found = read.under("NLU", "glossary: [a, b   #! UNCLOSED_BRACKET\nconfig_file: x").nlu
    assert found.glossary == ["a", "b"]
    assert found.config_file == "x"
    assert "[a, b]" in read.mended("UNCLOSED_BRACKET")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0", 0),
        ("-1.5", -1.5),
        ("false", False),
        ("null", None),
        ('"0"', "0"),
        ("'a b'", "a b"),
        ("EU", "EU"),
        ("[1, b]", [1, "b"]),
        ("{a: 1}", {"a": 1}),
        ("12 # said", 12),
        ("|\n    a\n    b", "a\nb"),
        ("\n  - a\n  - 1", ["a", 1]),
        ("\n  a: 1", {"a": 1}),
        ("[1,\n    2]", [1, 2]),
    ],
)
def test_a_default_is_a_literal(read, written, value):
    (field,) = read.under("GATHER", "x:\n  default: " + written.replace("\n", "\n  ")).gather.fields
    assert field.default == value
    assert type(field.default) is type(value)


def test_lines_below_a_literal_are_reported(read):
    read.under("GATHER", "x:\n  default: 12\n    more   #! UNEXPECTED_NESTING")


@pytest.mark.parametrize("pad", ["  ", "      "])
def test_properties_of_an_item_may_stand_deeper_than_its_first(read, pad):
    body = f"\n  - title: a\n  {pad}subtitle: b\n  {pad}more:\n  {pad}  - c: 1\n  {pad}    d: 2"
    assert free(read, body) == [{"title": "a", "subtitle": "b", "more": [{"c": 1, "d": 2}]}]


def test_a_property_indented_under_a_value_is_kept_and_reported(read):
    assert free(read, '\n  title: "a"\n    subtitle: b   #! MISPLACED_INDENT\n  c: 1') == {
        "title": "a",
        "subtitle": "b",
        "c": 1,
    }


def test_a_dash_without_its_space_under_a_value_is_text_that_goes_on(read):
    assert free(read, "\n  title: a\n    -b: c\n  e: 1") == {"title": "a\n-b: c", "e": 1}


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_bodies_take_no_recursion_and_little_time(opening):
    shape = of_signs("AGENT: A\nGOAL: b\nNLU:\n  glossary:\n    x: ", opening, "\nPERSONA: c\n")
    grows_in_proportion(parse_text, shape, 20_000)
    result = parse_text(shape(20_000))
    assert result.document.persona == "c"
