"""A parse takes at most sixty times the memory of its text, however dense the text is, and says where it stopped."""

from __future__ import annotations

import tracemalloc

import pytest

import abl
from abl.parser.bounds import MIN_CHARS

HEAD = "AGENT: A\nGOAL: x\n"
LIMIT = 60
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
}
"""Name -> what such a text begins with, and what it repeats."""
SLOW = frozenset({"properties of a step", "steps", "block texts", "unknown sections", "words", "headers"})
"""What is measured in the soak only: a thousand findings each, under a tracer."""


def dense(shape: str, size: int) -> str:
    head, part = DENSE[shape]
    return head + part * (size // len(part)) + "\n"


def memory(text: str) -> float:
    """Return the greatest memory of a parse as a multiple of the text's length."""
    tracemalloc.start()
    try:
        abl.parse(text)
        return tracemalloc.get_traced_memory()[1] / len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [shape for shape in DENSE if shape not in SLOW])
def test_a_dense_text_takes_memory_in_proportion(shape: str) -> None:
    assert memory(dense(shape, MIN_CHARS)) <= LIMIT


@pytest.mark.soak
@pytest.mark.parametrize("shape", DENSE)
def test_a_dense_megabyte_takes_memory_in_proportion(shape: str) -> None:
    assert memory(dense(shape, 1_000_000)) <= LIMIT


@pytest.mark.parametrize("shape", ["fields", "blank lines", "assignments"])
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
