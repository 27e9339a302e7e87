"""YAML text to a bounded tree."""

import pytest

from abl.source import Source
from abl.yaml_form.tree import MAX_NESTING, Mapping, Scalar, Sequence, YamlFault, compose
from abl.yaml_form.values import json_value


def tree(text):
    return compose(Source(text))


def test_scalars_keep_their_text_and_place():
    made = tree("a: 1.0\né: 'x'\nc: |\n  t\n")
    assert isinstance(made, Mapping)
    (_, one), (_, two), (_, three) = made.pairs
    assert (one.text, one.plain, one.offset) == ("1.0", True, 3)
    assert (two.text, two.plain, two.offset) == ("x", False, 10)
    assert (three.text, three.block) == ("t\n", True)


def test_only_true_and_false_are_booleans():
    made = tree("[yes, on, no, true, False, null, ~, 3, 0x1f, 2001-01-01, '1', !!str 5]")
    assert json_value(made) == ["yes", "on", "no", True, False, None, None, 3, "0x1f", "2001-01-01", "1", "5"]


def test_tags_are_never_acted_on():
    assert json_value(tree("a: !!python/object/apply:os.system [x]")) == {"a": ["x"]}


def test_aliases_and_merge_keys_stand_for_what_they_name():
    made = tree("a: &x {k: 1, l: 2}\nb: *x\nc: {<<: *x, k: 3}\n")
    assert json_value(made) == {"a": {"k": 1, "l": 2}, "b": {"k": 1, "l": 2}, "c": {"k": 3, "l": 2}}


def bomb():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (bomb(), "YAML_INVALID"),
        ("a: &a [*a]", "YAML_INVALID"),
        ("a: *b", "YAML_INVALID"),
        ("a: [1", "YAML_INVALID"),
        ("a: b\n---\nc: d", "YAML_INVALID"),
        ("a: \x00", "YAML_INVALID"),
        ("a: \ud800", "YAML_INVALID"),
        ('a: "\\UFFFFFFFF"', "YAML_INVALID"),
        ("\t- a", "YAML_INVALID"),
        ("{a: " * 5000, "NESTING_TOO_DEEP"),
        ("- " * 5000, "NESTING_TOO_DEEP"),
        ("? " * 5000, "NESTING_TOO_DEEP"),
    ],
    ids=["bomb", "self", "unknown", "open", "two", "nul", "surrogate", "char", "tab", "maps", "lists", "keys"],
)
def test_what_cannot_be_read_is_a_fault(text, code):
    made = tree(text)
    assert isinstance(made, YamlFault)
    assert made.code == code
    assert 0 <= made.offset <= len(text)


def test_nesting_up_to_the_bound_is_read():
    depth = MAX_NESTING
    made = tree("[" * depth + "]" * depth)
    for _ in range(depth - 1):
        assert isinstance(made, Sequence)
        made = made.items[0]
    assert isinstance(tree("[" * (depth + 1) + "]" * (depth + 1)), YamlFault)


def test_an_alias_cannot_get_around_the_bound_on_nesting():
    half = MAX_NESTING // 2 + 1
    text = f"a: &a {'[' * half}{']' * half}\nb: {'[' * half}*a{']' * half}\n"
    assert isinstance(tree(text), YamlFault)


def test_an_empty_text_has_no_tree():
    assert tree("") is None
    assert isinstance(tree("x"), Scalar)
