"""Texts, lists and maps: which of their spellings is read back."""

import pytest

from abl.printer.kinds import map_key, put_pair, put_text, write_condition, write_list, write_name, write_profiles
from abl.printer.nodes import WRITE
from abl.printer.page import Page
from abl.syntax.document import Document
from abl.syntax.node import Kind, Prop

NODE = Document(name="A")


def row(**given):
    return Prop(**{"key": "K", "kind": Kind.TEXT, "doc": "", **given})


def written(write, *arguments):
    page = Page()
    write(page, 0, *arguments)
    return str(page)


def test_a_text_stands_in_quotes_or_as_a_block():
    assert written(put_text, "K:", 'say "hi"') == 'K: "say "hi""\n'
    assert written(put_text, "K:", "a\n\nb") == "K: |\n  a\n\n  b\n"
    assert written(put_text, "K:", 'a "b" # c') == 'K: |\n  a "b" # c\n'


def test_a_condition_stands_as_it_is():
    assert written(write_condition, "WHEN:", 'a == "x"', row(), NODE) == 'WHEN: a == "x"\n'
    assert written(write_condition, "WHEN:", "a\nOR b", row(), NODE) == "WHEN: |\n  a\n  OR b\n"


@pytest.mark.parametrize(("name", "text"), [("a.b", "a.b"), ("two words", '"two words"'), ("12", "12"), ("-1", '"-1"')])
def test_a_name_that_is_no_word_gets_quotes(name, text):
    assert written(write_name, "TO:", name, row(), NODE) == f"TO: {text}\n"


def test_a_list_of_short_words_is_one_line():
    assert written(write_list, "K:", ["a", "b"], row(), NODE) == "K: [a, b]\n"
    assert written(write_list, "K:", ["a b", "c"], row(), NODE) == 'K:\n  - "a b"\n  - "c"\n'
    assert written(write_list, "K:", [], row(), NODE) == "K: []\n"


def test_each_attached_profile_has_a_line_of_its_own():
    assert written(write_profiles, "USE:", ["a", "b c"], row(), NODE) == 'USE: a\nUSE: "b c"\n'


@pytest.mark.parametrize(
    ("value", "given", "text"),
    [
        ("a + 1", {"formula": True}, "k: a + 1\n"),
        ("code", {"field": "returns"}, "k: code\n"),
        ("two words", {"field": "returns"}, 'k: "two words"\n'),
        ("'quoted'", {}, "k: |\n  'quoted'\n"),
        ("a\nb", {"formula": True}, "k: |\n  a\n  b\n"),
        ("x", {}, 'k: "x"\n'),
    ],
)
def test_a_pair_is_written_as_its_map_is_read(value, given, text):
    assert written(put_pair, "k", value, row(**given)) == text


@pytest.mark.parametrize(("key", "text"), [("a.b", "a.b"), ("a b", '"a b"'), ('a"b', "'a\"b'")])
def test_a_key_gets_the_quotes_it_does_not_hold(key, text):
    assert map_key(key) == text


def test_what_is_not_kept_is_not_written():
    assert written(WRITE[Kind.SKIP], "K:", "x", row(), NODE) == "\n"
