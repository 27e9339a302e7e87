"""Work grows with the text and not faster, nesting has a bound, and memory stays in proportion, whatever the shape."""

from __future__ import annotations

import pytest

import abl
from benchmarks.scaling import (
    HOSTILE,
    MEGABYTE,
    OPERATIONS,
    PROMISED,
    REALISTIC,
    SMALL_CHARS,
    growth,
    memory,
    time_of,
)

SHAPES = {**REALISTIC, **HOSTILE}
LENIENT = 3.0
"""What the default run asks of one of three tries: a square gives 4, and small sizes on a busy machine are noisy."""
MEMORY_LIMIT = 60
NEGLIGIBLE_S = 0.02
"""Below this a ratio says nothing."""
REALISTIC_CHARS = 4 * SMALL_CHARS
PATIENCE_S = 60
"""A shape that would take longer than this for 8 MB (a finding in every second character) stops at 2 MB."""


def best_growth(operation: str, shape: str, size: int, bound: float) -> float:
    """Return the smallest of three ratios; fewer tries when one keeps the bound."""
    best = float("inf")
    for _ in range(3):
        ratio, seconds = growth(OPERATIONS[operation], SHAPES[shape], size, tries=1)
        best = min(best, ratio)
        if best <= bound or seconds < NEGLIGIBLE_S:
            return min(best, bound)
    return best


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", HOSTILE)
def test_hostile_shapes_cost_time_in_proportion(operation: str, shape: str) -> None:
    assert best_growth(operation, shape, SMALL_CHARS, LENIENT) <= LENIENT


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", REALISTIC)
def test_realistic_texts_cost_time_in_proportion(operation: str, shape: str) -> None:
    assert best_growth(operation, shape, REALISTIC_CHARS, LENIENT) <= LENIENT


@pytest.mark.soak
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_time_doubles_with_the_text_up_to_eight_megabytes(operation: str, shape: str) -> None:
    assert best_growth(operation, shape, MEGABYTE, PROMISED) <= PROMISED
    megabyte_s = time_of(OPERATIONS[operation], SHAPES[shape](MEGABYTE))
    most = 8 if 8 * megabyte_s <= PATIENCE_S else 2
    assert best_growth(operation, shape, most * MEGABYTE, PROMISED) <= PROMISED


NESTED = {
    "free values": "AGENT: A\nGOAL: x\nON_START:\n  RESPOND: x\n    FORMATS:\n      SLACK:\n"
    + "".join(" " * (8 + depth) + "a:\n" for depth in range(400)),
    "types": "TOOLS:\n  f(a: " + "{a: " * 400 + "string" + "}" * 400 + ") -> object\n",
    "rules": "AGENT: A\nGOAL: x\nCONSTRAINTS:\n" + "".join(" " * depth + "a:\n" for depth in range(1, 400)),
    "properties": "AGENT: A\nGOAL: x\nIDENTITY:\n" + "".join(" " * depth + "goal: v\n" for depth in range(1, 400)),
    "yaml": "agent: A\ngoal: x\nlimitations: " + "[" * 400 + "]" * 400 + "\n",
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_deep_nesting_gives_a_diagnostic(text: str) -> None:
    result = abl.parse(text)
    assert [one.code for one in result.findings if one.code in ("NESTING_TOO_DEEP", "YAML_INVALID")]


@pytest.mark.parametrize("condition", ["(" * 5000, "NOT " * 5000, "a[" * 5000, "a OR " * 5000 + "a", "f(" * 5000])
def test_a_deep_condition_is_a_finding(condition: str) -> None:
    findings = abl.validate_abl(f"AGENT: A\nGOAL: x\nCOMPLETE:\n  - WHEN: {condition}\n    RESPOND: Bye\n")
    assert [one for one in findings if one.line == 4]


@pytest.mark.parametrize("shape", REALISTIC)
def test_a_parse_takes_memory_in_proportion(shape: str) -> None:
    assert memory(REALISTIC[shape](SMALL_CHARS)) <= MEMORY_LIMIT


@pytest.mark.soak
@pytest.mark.parametrize("shape", REALISTIC)
def test_a_parse_of_a_megabyte_takes_memory_in_proportion(shape: str) -> None:
    assert memory(REALISTIC[shape](MEGABYTE)) <= MEMORY_LIMIT
