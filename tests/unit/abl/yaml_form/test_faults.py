"""Texts that are no YAML: named, with a fix that mends them."""

import pytest

from abl.source import Source
from abl.yaml_form import parse_yaml
from abl.yaml_form.tree import YamlFault, compose


def fault(text):
    (one,) = parse_yaml(text).errors
    assert one.code == "YAML_INVALID"
    return one


def mended(text, fix):
    for edit in sorted(fix.edits, key=lambda one: one.offset, reverse=True):
        text = text[: edit.offset] + edit.text + text[edit.offset + edit.length :]
    return text


@pytest.mark.parametrize(
    "text",
    [
        "agent: A\ntools:\n\t- find\n",
        "agent: A\nflow:\n  steps:\n\t  a:\n\t    then: COMPLETE\n",
        "agent: A\ngoal:\n\ttext: b\n",
    ],
)
def test_a_tab_is_named_and_made_spaces(text):
    one = fault(text)
    assert "a tab stands in the indent, and YAML indents with spaces only" in one.message
    assert one.offset == text.index("\t")
    assert one.fix.title == "use spaces"
    assert not isinstance(compose(Source(mended(text, one.fix))), YamlFault)


def test_a_value_that_needs_quotes_gets_them():
    text = "agent: A\ngoal: x: y\n"
    one = fault(text)
    assert one.fix.title == "put the value in quotes"
    assert parse_yaml(mended(text, one.fix)).document.goal == "x: y"


@pytest.mark.parametrize("text", ["agent: A\ngoal: b\n  c: d\n", "agent: A\ntools: [a\ngoal: b\n"])
def test_quotes_that_mend_nothing_are_not_offered(text):
    assert fault(text).fix is None
