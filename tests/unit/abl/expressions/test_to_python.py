"""Trees as Python text: every row of spec 6.5, and that Python reads it."""

from __future__ import annotations

import ast
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from abl.expressions import expression_to_python, parse_expression
from abl.expressions.tree import (
    Array,
    Binary,
    Boolean,
    Conditional,
    Function,
    Null,
    Number,
    String,
    Template,
    Unary,
    Variable,
    Wildcard,
)
from tests.support.cells import over

ROWS = [
    (r'"say \"hi\""', r'"say \"hi\""'),
    (r'"\d+"', r'"\\d+"'),
    ("3", "3"),
    ("2.50", "2.5"),
    ("true", "True"),
    ("false", "False"),
    ("null", "None"),
    ('[a, "b"]', '[state["a"], "b"]'),
    ("a", 'state["a"]'),
    ("a.b.c", 'state["a"]["b"]["c"]'),
    ("f(a, 1)", 'f(state["a"], 1)'),
    ("a AND b", '(state["a"] and state["b"])'),
    ("a OR b AND c", '(state["a"] or (state["b"] and state["c"]))'),
    ('a == "x"', '(state["a"] == "x")'),
    ("a != 1", '(state["a"] != 1)'),
    ("a >= 1", '(state["a"] >= 1)'),
    ("a IN [1]", '(state["a"] in [1])'),
    ("a NOT IN [1]", '(state["a"] not in [1])'),
    ('a CONTAINS "x"', '("x" in state["a"])'),
    ('a MATCHES "x+"', 're.search("x+", state["a"])'),
    ("NOT a", 'not state["a"]'),
    ("NOT a == b", 'not (state["a"] == state["b"])'),
    ("a IS SET", 'state["a"] is not None'),
    ("a IS NOT SET", 'not state["a"] is not None'),
    ("a IS EMPTY", 'len(state["a"]) == 0'),
    ('a STARTS_WITH "x"', 'state["a"].startswith("x")'),
    ('a ENDS_WITH "x"', 'state["a"].endswith("x")'),
    ('"Hello {{name}}"', "f\"Hello {state['name']}\""),
    ("*", "True"),
    ("(NOT a) == b", '((not state["a"]) == state["b"])'),
    ("a ? b : c", '(state["b"] if state["a"] else state["c"])'),
    ("-a + 1", '(-state["a"] + 1)'),
]


@over(("text", "python"), ROWS)
def test_a_tree_prints_as_its_row_says(text: str, python: str) -> None:
    printed = expression_to_python(parse_expression(text))
    assert printed == python
    ast.parse(printed, mode="eval")


def test_the_tilde_of_the_reference_is_an_option() -> None:
    node = parse_expression(r'a MATCHES "\d+"')
    assert expression_to_python(node, matches="tilde") == r'(state["a"] ~ "\d+")'


def test_a_template_that_needs_a_backslash_is_joined() -> None:
    node = Template(("a ", Function("f", (String("it's"),))))
    assert expression_to_python(node) == '("a " + str(f("it\'s")))'


NAMES = st.sampled_from(["a", "b_c", "größe"])
LEAVES = st.one_of(
    st.text(max_size=6).map(String),
    st.integers(-9, 9).map(Number),
    st.floats(allow_nan=False, allow_infinity=False, width=16).map(Number),
    st.booleans().map(Boolean),
    st.just(Null()),
    st.just(Wildcard()),
    st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=3).map(lambda path: Variable(tuple(path))),
)
OPERATORS = "== != > >= < <= in not_in contains matches and or starts_with ends_with + - * / %".split()


def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    many = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Binary, st.sampled_from(OPERATORS), inner, inner),
        st.builds(Unary, st.sampled_from(["not", "exists", "empty", "neg"]), inner),
        st.builds(Function, NAMES, many),
        st.builds(Array, many),
        st.builds(Conditional, inner, inner, inner),
        st.lists(st.one_of(st.text(max_size=4), inner), min_size=1, max_size=3).map(
            lambda parts: Template(tuple(parts))
        ),
    )


@settings(max_examples=300, deadline=None)
@given(st.recursive(LEAVES, grown, max_leaves=10))
def test_every_tree_prints_as_python(node: Any) -> None:
    ast.parse(expression_to_python(node), mode="eval")


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_a_text_keeps_its_value(value: str) -> None:
    assert ast.literal_eval(expression_to_python(String(value))) == value
