"""Whatever is given, reading and evaluating gives a result, and in linear time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl.expressions import (
    FUNCTIONS,
    Environment,
    analyse,
    compile_condition,
    compile_expression,
    expression_to_python,
    functions,
    parse_assignments,
    parse_condition,
    parse_expression,
    variables,
)
from abl.expressions.faults import apply
from abl.expressions.limits import MAX_TEXT_CHARS
from abl.templates import analyse_template, compile_template
from benchmarks.shapes import of_signs
from tests.support.proportion import grows_in_proportion

PIECES = st.sampled_from(
    "AND OR NOT IN IS SET EMPTY NULL CONTAINS MATCHES STARTS_WITH == != >= <= = === => <> ! && || + - * / % ? : ( ) [ ]"
    " , . { } {{ }} | \" ' \\ a user.name items[0] 3 2.5 true null UPPER( has( x.contains( #each #if /each else"
    " {{#if {{/if}} {{else}} \u201ca\u201d \ud800 \x00 \n 9999999999999999999999 ({ abl.word_count( default: : $".split(
        " "
    )
)
SOUP = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=25).map(" ".join), st.lists(PIECES).map("".join))
DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)


def zone_of(name: str) -> None:
    return None


ENVIRONMENT = Environment(now="2026-05-06T07:08:09Z", unique_id=lambda length: "x" * length, zone=zone_of)


@settings(max_examples=400, deadline=None)
@given(SOUP, st.booleans(), st.booleans())
def test_no_text_breaks_the_reader(text: str, condition: bool, allow_text: bool) -> None:
    analysis = analyse(text, condition=condition, allow_text=allow_text)
    json.dumps(analysis.node.to_dict())
    repr(analysis.node)
    hash(analysis.node)
    expression_to_python(analysis.node)
    assert isinstance(variables(analysis.node), list)
    assert isinstance(functions(analysis.node), list)
    for fault in analysis.faults:
        assert 0 <= fault.start <= len(text)
        assert 0 <= fault.length <= len(text) - fault.start
        assert all(isinstance(said, str) for said in fault.arguments.values())
        if fault.fix is not None:
            assert 0 <= fault.fix[0] <= fault.fix[0] + fault.fix[1] <= len(text)
            assert apply(text, fault.fix) != text
    if analysis.node.kind == "invalid":
        assert analysis.faults


@settings(max_examples=200, deadline=None)
@given(SOUP, DATA)
def test_no_text_breaks_the_evaluation(text: str, value: Any) -> None:
    state = {"a": value, "user": {"name": value}, "items": [value]}
    assert compile_condition(text)(state) in (True, False)
    compile_expression(text)(state)
    compile_expression(text)(state, ENVIRONMENT)


@settings(max_examples=200, deadline=None)
@given(SOUP)
def test_no_text_breaks_templates_and_assignments(text: str) -> None:
    for fault in analyse_template(text).faults:
        assert 0 <= fault.start <= len(text)
        if fault.fix is not None:
            assert 0 <= fault.fix[0] <= fault.fix[0] + fault.fix[1] <= len(text)
    assert isinstance(compile_template(text).render({"a": "{{x}}", "items": [1, 2]}), str)
    for assignment in parse_assignments(text).items:
        assert text[assignment.start :][: assignment.length] == assignment.expression


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(FUNCTIONS)), st.lists(DATA, max_size=4))
def test_no_value_breaks_a_function(name: str, values: list[Any]) -> None:
    entry = FUNCTIONS[name]
    names = [f"v{index}" for index in range(min(max(len(values), entry.least), entry.most))]
    call = compile_expression(f"{name}({', '.join(names)})")
    result = call(dict(zip(names, values, strict=False)), ENVIRONMENT)
    assert not isinstance(result, str) or len(result) <= MAX_TEXT_CHARS
    compile_expression(f"LENGTH({name}({', '.join(names)}))")(dict(zip(names, values, strict=False)))


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.none(), st.integers(), st.floats(), st.binary(), st.lists(st.integers()), st.text()))
def test_nothing_that_is_no_text_raises(value: object) -> None:
    assert parse_condition(value).kind
    assert parse_expression(value).kind
    assert parse_assignments(value) is not None
    assert analyse_template(value) is not None


def test_data_nested_without_end_is_cut() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    other: list[Any] = []
    for _ in range(5_000):
        other = [other]
    wide: list[Any] = [1]
    for _ in range(60):
        wide = [wide, wide]
    state = {"deep": deep, "other": other, "wide": wide, "wide2": [wide]}
    assert compile_condition("deep == other OR wide == wide2[0]")(state) is False
    for text in ('"{{deep}}{{wide}}"', "JSON(wide)", "TO_STRING(deep)", "deep + wide"):
        compile_expression(text)(state)


@pytest.mark.parametrize("piece", ["{{", "{{a", "{{'", "{{#if a}}", "{{/if}}", "{{a b}}", "{", '{{"}}', "{{{"])
def test_hostile_templates_take_linear_time(piece: str) -> None:
    grows_in_proportion(analyse_template, of_signs("", piece, ""), len(piece) * 4_000)
