"""`variables.yaml`: what is read, and what is said of what cannot be."""

from __future__ import annotations

import pytest

from abl.variables import Variables, VariablesFault, read_variables, unset_env


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", Variables()),
        ("config:\nenv:\n", Variables()),
        ("config: {A: 1, b.c: 2026-01-02, D: true}", Variables({"A": "1", "b.c": "2026-01-02", "D": "true"})),
        ("config:\n  A: |\n    two\n    lines\nenv:\n  URL: x", Variables({"A": "two\nlines\n"}, {"URL": "x"})),
    ],
)
def test_values_are_texts_as_they_are_written(text: str, found: Variables) -> None:
    assert read_variables(text, "variables.yaml") == found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- A", "v.yaml:1: write `config:` and `env:`"),
        ("A: b", "v.yaml:1: nobody reads 'A'; write `config:` or `env:`"),
        ("config:\n  A: [1]", "v.yaml:2: A is a text"),
        ("config:\n  A: 1\n  A: 2", "v.yaml:3: A is said twice"),
        ("config:\n  1A: 1", "v.yaml:2: '1A' is no name of a variable"),
        ("config:\n  A: " + "x" * 4_097, "v.yaml:2: the value of A has more than 4096"),
        ("env:\n  A: " + "x" * 16_385, "v.yaml:2: the value of A has more than 16384"),
        ("config:\n" + "".join(f"  A{n}: x\n" for n in range(201)), "at most 200"),
        ("config: {", "v.yaml cannot be read"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(VariablesFault) as caught:
        read_variables(text, "v.yaml")
    assert told in str(caught.value)
    assert "xxx" not in str(caught.value), "a value may be a secret"


def test_an_env_variable_nobody_has_set_is_found_where_it_is_used_first() -> None:
    texts = {"a.abl": "x {{ env.A }} {{env.B}}\n{{env.A}}", "b.abl": "# {{env.C}}\n{{env.D}}"}
    assert [tuple(one) for one in unset_env(texts, {"B"})] == [("A", "a.abl", 1), ("D", "b.abl", 2)]
