"""A parse takes at most sixty times the memory of its text, however dense the text is, and says where it stopped."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

import abl
from abl.parser.bounds import MIN_CHARS
from abl.validation import validate_abl
from benchmarks.scaling import OPERATIONS, SHAPES, Work, forget
from benchmarks.shapes import REALISTIC

HEAD = "AGENT: A\nGOAL: x\n"
YAML = "agent: A\ngoal: x\n"
NUMBERED = "AGENT: A\nSTEPS:\n"
LIMIT = 60
WARM_CHARS = 2_000
DENSE = {
    "fields": (HEAD + "GATHER:\n", "  - f\n"),
    "named fields": (HEAD + "GATHER:\n", "  a:\n"),
    "closing brackets": (HEAD + "GATHER:\n", "]\n}\n"),
    "lone brackets": (HEAD, "}\n"),
    "dashes": (HEAD + "HANDOFF:\n", "  -\n"),
    "words": (HEAD + "INTENTS:\n", "  w\n"),
    "pairs": (HEAD + "ACTION_HANDLERS:\n", "  a: b\n"),
    "blank lines": (HEAD, "\n"),
    "comments": (HEAD, "#\n"),
    "steps": (HEAD + "FLOW:\n", "STEP a:\n"),
    "short steps": (HEAD + "FLOW:\n", "a:\n"),
    "properties of a step": (HEAD + "FLOW:\n  a:\n", "    A: b\n"),
    "headers": ("", "AGENT: A\n"),
    "unknown sections": (HEAD, "A:\n"),
    "block texts": (HEAD, "a: |\n"),
    "list items": (HEAD + "LIMITATIONS:\n", "- a\n"),
    "list on one line": (HEAD + "LIMITATIONS: [", "a,"),
    "assignments": (HEAD + "ON_START:\n  SET: ", "a = 1, "),
    "parameters": ("TOOLS:\n  f(", "a,"),
    "tools on one line": (HEAD + "TOOLS: [", "a,"),
    "free values": (HEAD + "CONVERSATION: [", "[],"),
    "yaml list": (YAML + "limitations: [", "a,"),
    "yaml fields": (YAML + "gather: [", "a,"),
    "yaml tools": (YAML + "tools: [", "{},"),
    "yaml assignments": (YAML + "on_start:\n  set: [", "a=1,"),
    "yaml values": (YAML + "conversation: [", "[],"),
    "yaml keys": (YAML, "a:\n"),
    "numbered steps": (NUMBERED, "1. a\n"),
    "numbered jumps": (NUMBERED, "1. GOTO 2\n"),
    "state of the numbered grammar": ("AGENT: A\nSTATE:\n", " w\n"),
    "policies of the numbered grammar": ("SUPERVISOR: A\nPOLICIES:\n", "  w\n"),
}
"""Name -> what such a text begins with, and what it repeats."""
SLOW = frozenset(
    {"properties of a step", "steps", "block texts", "unknown sections", "words", "headers", "yaml keys", "yaml tools"}
)
"""What is measured in the soak only: a thousand findings each, under a tracer."""


def dense(shape: str, size: int) -> str:
    head, part = DENSE[shape]
    return head + part * (size // len(part)) + "\n"


TELLING = {
    "check": (
        "session names", "hand-overs to one", "returns of itself", "many assignments", "numbered", "yaml flow list",
        "open brackets again",
    ),
    "fmt": ("many assignments", "open brackets again", "yaml merges"),
}  # fmt: skip
"""Shapes that the default run checks and lays out under a tracer; the soak does so with all of them."""


def memory(text: str, work: Work = abl.parse) -> float:
    """Return the greatest memory of some work as a multiple of the text's length.

    What is loaded when it is first needed is loaded, nothing is remembered, and the collector looks for garbage as in a
    process in which nothing else lives: the more there is, the longer it waits.
    """
    work(text[:WARM_CHARS])
    forget()
    gc.collect()
    gc.freeze()
    gc.collect()  # only this counts anew what lives
    tracemalloc.start()
    try:
        work(text)
        return tracemalloc.get_traced_memory()[1] / len(text)
    finally:
        tracemalloc.stop()
        gc.unfreeze()


@pytest.mark.parametrize("shape", [shape for shape in DENSE if shape not in SLOW])
def test_a_dense_text_takes_memory_in_proportion(shape: str) -> None:
    assert memory(dense(shape, MIN_CHARS)) <= LIMIT


@pytest.mark.soak
@pytest.mark.parametrize("shape", DENSE)
def test_a_dense_megabyte_takes_memory_in_proportion(shape: str) -> None:
    assert memory(dense(shape, 1_000_000)) <= LIMIT


@pytest.mark.parametrize(("operation", "shape"), [(one, shape) for one in TELLING for shape in TELLING[one]])
def test_telling_texts_are_laid_out_and_checked_in_proportion(operation: str, shape: str) -> None:
    assert memory(SHAPES[shape](MIN_CHARS), OPERATIONS[operation]) <= LIMIT


@pytest.mark.soak
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_takes_memory_in_proportion(operation: str, shape: str) -> None:
    assert memory(SHAPES[shape](MIN_CHARS), OPERATIONS[operation]) <= LIMIT


@pytest.mark.parametrize("shape", REALISTIC)
def test_a_realistic_text_is_checked_whole(shape: str) -> None:
    found = validate_abl(REALISTIC[shape](MIN_CHARS))
    assert [one.code for one in found if one.code == "TEXT_TOO_LARGE"] == []


@pytest.mark.soak
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", REALISTIC)
def test_a_realistic_megabyte_takes_memory_in_proportion(operation: str, shape: str) -> None:
    assert memory(REALISTIC[shape](1_000_000), OPERATIONS[operation]) <= LIMIT


def test_what_one_agent_cannot_hold_is_said_by_the_check() -> None:
    found = [one for one in validate_abl(SHAPES["hand-overs to one"](MIN_CHARS)) if one.code == "TEXT_TOO_LARGE"]
    assert len(found) == 1
    assert found[0].line is not None


@pytest.mark.parametrize("shape", ["fields", "blank lines", "assignments", "yaml fields", "numbered jumps"])
def test_what_one_document_cannot_hold_is_said_once(shape: str) -> None:
    found = [one for one in abl.parse(dense(shape, MIN_CHARS)).errors if one.code == "TEXT_TOO_LARGE"]
    assert len(found) == 1
    assert found[0].offset is not None


def test_a_document_that_was_cut_can_be_written_and_read_again() -> None:
    document = abl.parse(dense("fields", MIN_CHARS)).document
    assert document is not None
    assert abl.parse(abl.serialize(document)).document == document


def test_an_ordinary_text_of_any_size_is_read_to_its_end() -> None:
    field = '  field_{}:\n    prompt: "What is it that you want to know?"\n    type: string\n'
    result = abl.parse(HEAD + "GATHER:\n" + "".join(field.format(n) for n in range(8_000)))
    assert result.document is not None
    assert not result.errors
    assert len(result.document.gather.fields) == 8_000
