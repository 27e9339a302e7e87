"""Lists, maps, nodes and entries of the YAML form in their several shapes."""

from textwrap import dedent

import pytest

from abl.yaml_form import parse_yaml

HEAD = "agent: Desk\ngoal: Help\n"


def read(body):
    result = parse_yaml(HEAD + dedent(body))
    assert not result.errors
    return result.document


def codes(body):
    return [one.code for one in parse_yaml(HEAD + dedent(body)).findings]


@pytest.mark.parametrize(
    ("written", "items"),
    [("[a, b c]", ["a", "b c"]), ("a, b", ["a", "b"]), ('"a, b"', ["a, b"]), ("", []), ("{a: 1, b: 2}", ["a", "b"])],
)
def test_a_list_may_be_a_list_a_line_or_the_keys_of_a_map(written, items):
    assert read(f"limitations: {written}\n").limitations == items


@pytest.mark.parametrize("fields", ["[code]", "{code: }", "[{name: code}]", "{fields: [code]}", "{fields: {code: {}}}"])
def test_entries_may_be_names_maps_or_a_list(fields):
    assert [one.name for one in read(f"gather: {fields}\n").gather.fields] == ["code"]


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("required", ("required", True)),
        ("optional", ("required", False)),
        ("number", ("type", "number")),
        ('"Which code?"', ("prompt", "Which code?")),
        ("{prompt: Where?}", ("prompt", "Where?")),
    ],
)
def test_the_short_form_of_a_field_says_one_thing(field, said):
    (made,) = read(f"gather: {{code: {field}}}\n").gather.fields
    assert getattr(made, said[0]) == said[1]


def test_one_entry_with_its_name_inside_is_no_map_of_entries():
    (one,) = read("handoff: {to: Claims, when: lost}\n").handoffs
    assert (one.to, one.when) == ("Claims", "lost")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("memory: 3\n", "EXPECTED_MAP"),
        ("gather: {code: [a]}\n", "EXPECTED_MAP"),
        ("handoff: [[a]]\n", "EXPECTED_MAP"),
        ("goal: a\n", "DUPLICATE_PROPERTY"),
    ],
)
def test_a_value_of_another_shape_is_reported(body, code):
    assert code in codes(body)
