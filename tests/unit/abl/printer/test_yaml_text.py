"""JSON values as YAML text."""

import pytest
import yaml

from abl.printer.yaml_text import Verbatim, inline, is_plain, quoted, scalar, yaml_lines

VALUES = [
    {"a": "plain words", "b": 'say "hi"', "c": r"\d+", "d": 'it\'s "both" \\'},
    {"on": "yes", "no": "true", "n": "null", "x": "1.0", "e": "", "s": " edge "},
    {"text": "two\nlines", "odd": "a\n b\t\u2028c", "tail": "x\n", "nel": "a\x85b", "bell": "\x07"},
    {"list": ["a", 1, None, True, 0.5, {"deep": [["x"], []]}], "empty": {}, "none": []},
    {"a: b": "c", "#": "d", "é": "ü", "- x": "? y", "": "z"},
    {"long": ["word word word"] * 12, "items": [{"k": "v\nw"}, ["a", ["b"]]]},
]


@pytest.mark.parametrize("value", VALUES)
def test_every_yaml_reader_gives_the_value_back(value):
    assert yaml.safe_load("\n".join(yaml_lines(value))) == value


@pytest.mark.parametrize("word", ["yes", "Off", "n", "true", "null", "1", "a: b", "a #b", "- a", "", " a", "@x", "`"])
def test_words_that_could_be_taken_wrong_are_quoted(word):
    assert not is_plain(word)
    assert yaml.safe_load(scalar(word)) == word


def test_quotes_that_need_no_escapes_are_preferred():
    assert quoted('a == "b"') == "'a == \"b\"'"
    assert quoted("it's") == '"it\'s"'


def test_what_needs_several_lines_is_not_inline():
    assert inline(["a", "b"]) == "[a, b]"
    assert inline({"a": 1}) is None
    assert inline([["a"]]) is None


def test_verbatim_text_stands_as_it_is():
    assert list(yaml_lines({"x": Verbatim("- a\n- b: c")})) == ["x:", "  - a", "  - b: c"]
