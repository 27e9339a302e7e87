"""Nothing raises and nothing hangs, whatever is handed in: spoilt texts of the corpus, and texts made up of its parts.

A failing input is printed as a Python literal: save it under `tests/corpus/abl/` and mend the cause.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import abl
from abl.expressions import compile_condition, compile_expression
from abl.project import Project, check_project
from abl.syntax.document import HEADERS, SECTIONS
from abl.syntax.node import NODES
from abl.templates import render_template

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 10
"""Longest time of the processor that one input may take, in seconds; every one of these takes milliseconds."""
VARIABLES = {"amount": 12, "name": "Ada", "items": [{"price": 3}, {"price": "x"}], "parcel": {"status": "missed"}}


@dataclass(frozen=True)
class Entry:
    """One way in: what is called, what it is fed, and how many inputs it gets by default and in the soak."""

    name: str
    call: Callable[[str], object]
    feed: str
    spoilt: int
    made: int


def serialized(text: str) -> None:
    document = abl.parse(text).document
    if document is not None:
        abl.serialize(document)
        abl.serialize(document, format="yaml")


def checked(text: str) -> None:
    project = Project.from_files({"a.abl": text, "b.abl": "AGENT: B\nGOAL: x\nHANDOFF:\n  - TO: A\n"})
    check_project(project)


def condition(text: str) -> None:
    abl.expression_to_python(abl.parse_condition(text))
    compile_condition(text)(VARIABLES)


def expression(text: str) -> None:
    abl.expression_to_python(abl.parse_expression(text))
    compile_expression(text)(VARIABLES)


ENTRIES = (
    Entry("parse", abl.parse, "texts", 300, 120),
    Entry("parse_strict", lambda text: abl.parse(text, strict=True), "texts", 80, 20),
    Entry("tokenize", abl.tokenize, "texts", 120, 40),
    Entry("parse_yaml_abl", abl.parse_yaml_abl, "yaml", 120, 30),
    Entry("serialize", serialized, "texts", 150, 50),
    Entry("parse_condition", condition, "values", 200, 60),
    Entry("parse_expression", expression, "values", 100, 40),
    Entry("render_template", lambda text: render_template(text, VARIABLES), "values", 100, 40),
    Entry("format_text", abl.format_text, "texts", 90, 30),
    Entry("validate_abl", abl.validate_abl, "texts", 90, 30),
    Entry("compile_abl_to_ir", abl.compile_abl_to_ir, "texts", 90, 30),
    Entry("check_project", checked, "texts", 50, 20),
)
TOTAL = 2_000
SOAK = 100_000


def test_the_default_run_has_the_promised_number_of_inputs() -> None:
    assert sum(entry.spoilt + entry.made for entry in ENTRIES) == TOTAL


# --- inputs ---------------------------------------------------------------------------------------------------------


@cache
def seeds(feed: str) -> tuple[str, ...]:
    """Return what inputs are made from: whole files, or the values that stand in them."""
    suffixes = (".yaml",) if feed == "yaml" else (".abl", ".yaml")
    files = [
        path
        for folder in (ROOT / "examples", ROOT / "tests/corpus/abl")
        for path in sorted(folder.rglob("*"))
        if path.suffix in suffixes
    ]
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files]
    if feed != "values":
        return tuple(texts)
    values = (line.partition(":")[2].strip() for text in texts for line in text.splitlines())
    return tuple(dict.fromkeys(value for value in values if len(value) > 3))


FRAGMENTS = (
    *("- ", "- :", "-", "{", "}", "[", "]", "(", ")", "|", ">", "\n|\n", ":", "::", ": ", '"', "'", "->", "\u2192", "="),
    *("\t", "  ", "\n", "\n\n", "\r\n", "\r", "\x00", "\x85", "\u2028", "\ufeff", "\ud83d", "\u201c", "\u201d", "é", "²", "٣"),
    *("#", " # a # b", "//", "/*", "*/", "---", "```", "{{", "}}", "{{#if a}}", "{{/if}}", "{{#each a}}", "\\", "@", "&a", "*a"),
    *("IF", "ELSE", "- IF: x", "THEN: ", "AND ", " OR ", "NOT ", "==", "IN [", 'MATCHES "("', "1e999", "NaN", "9" * 400),
    *("AGENT:", "SUPERVISOR: B", "FLOW:\n", "STEPS:\n  1. x", "TOOLS:\n  f(", "GATHER:\n", "CALL: f(", "SET: ", "AS:", "WITH:"),
    *("agent: a\n", "!!python/object:x", "? a", "<<: *a", "(((((((((((((((((((((((((", "[[[[[[[[[[[[[[[[[[[[[[[[[["),
)  # fmt: skip


def spoil(text: str, chance: random.Random) -> str:
    """Return `text` after one to eight edits of signs, bytes and lines."""
    for _ in range(chance.randint(1, 8)):
        text = chance.choice(EDITS)(text, chance)
    return text


def _insert(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(FRAGMENTS) + text[at:]


def _drop(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.randint(1, 30) :]


def _flip_byte(text: str, chance: random.Random) -> str:
    raw = bytearray(text.encode("utf-8", "surrogatepass")) or bytearray(b"x")
    raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return raw.decode("utf-8", "replace")


def _odd_signs(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + "".join(chr(chance.randint(1, 0x2FFF)) for _ in range(5)) + text[at:]


def _indent(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    lines[at] = " " * chance.randint(0, 9) + lines[at].strip()
    return "\n".join(lines)


def _copy_line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    lines[chance.randrange(len(lines))] = lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def _shuffle(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    begin = chance.randrange(len(lines))
    part = lines[begin : begin + chance.randint(2, 12)]
    chance.shuffle(part)
    lines[begin : begin + len(part)] = part
    return "\n".join(lines)


def _repeat(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at : at + chance.randint(1, 12)] * chance.randint(2, 60) + text[at:]


EDITS = (_insert, _insert, _drop, _flip_byte, _odd_signs, _indent, _copy_line, _shuffle, _repeat)

KEYS = sorted({*SECTIONS, *HEADERS, *(row.key for cls in NODES.values() for row in cls.PROPS)})
VALUES = st.sampled_from(seeds("values")) | st.sampled_from(FRAGMENTS) | st.text(max_size=12)
LINES = st.builds(
    lambda indent, dash, key, colon, value: " " * indent + dash + key + colon + value,
    st.sampled_from((0, 0, 2, 2, 4, 6, 8, 3)),
    st.sampled_from(("", "", "- ", "-")),
    st.sampled_from(KEYS) | st.sampled_from(("a", "first_step", "code")),
    st.sampled_from((": ", ":", " ", "", " = ")),
    VALUES | st.just(""),
)
MADE = {
    "texts": st.builds(lambda head, lines: "\n".join([*head, *lines]), st.sampled_from(
        (["AGENT: A", "GOAL: x"], ["SUPERVISOR: A"], ["TOOLS:"], ["BEHAVIOR_PROFILE: p"], ["AGENT: A", "FLOW:"], [])
    ), st.lists(LINES, max_size=20)),
    "yaml": st.lists(LINES.map(str.lower), max_size=15).map("\n".join),
    "values": st.lists(VALUES, min_size=1, max_size=6).map(" ".join),
}  # fmt: skip
"""What hypothesis makes up: lines of known keys with values from everywhere."""


# --- the tests ------------------------------------------------------------------------------------------------------


class Hangs(Exception):
    """An input takes longer than any input may."""


@contextmanager
def patience(seconds: float = PATIENCE_S) -> Iterator[None]:
    """Raise Hangs in the block when it takes too long."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hangs

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def feed(entry: Entry, text: str) -> None:
    try:
        with patience():
            entry.call(text)
    except Exception as error:
        error.add_note(f"{entry.name} on this input:\n{text!r}")
        raise


def feed_spoilt(entry: Entry, count: int, seed: int) -> None:
    chance = random.Random(f"{entry.name} {seed}")
    texts = seeds(entry.feed)
    for _ in range(count):
        feed(entry, spoil(chance.choice(texts), chance))


def feed_made(entry: Entry, count: int) -> None:
    @settings(max_examples=count, phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck))
    @given(MADE[entry.feed])
    def answers(text: str) -> None:
        feed(entry, text)

    answers()


STEP = "AGENT: A\nGOAL: x\nFLOW:\n  s:\n    REASONING: false\n"
FOUND = (
    f'{STEP}    CALL: find\n    "AS: found\n',
    f"{STEP}    ON_INPUT:\n      - \n",
    "AGENT: A\nLIMITATIONS: # a # b\n",
    "TOOLS:\n  f() -> object\n    parameters:\n      x: # a # b\n",
    "AGENT: A\nGUARDRAILS:\n  g:\n    action: RETRY ²\n",
    "AGENT: A\nCONVERSATION:\n  -\n",
    "AGENT: A\nESCALATE:\n  on_human_complete:\n    - IF a" + " " * 30_000 + "x\n",
    'TOOLS:\n  FROM "a' + " " * 30_000 + "x\n",
    "SUPERVISOR: A\nROUTING:\n  - x" + " " * 30_000 + "x\n",
    "AGENT: A\nFLOW: a -> b" + " " * 30_000 + "x\n",
    'AGENT: A\nON_START:\n  RESPOND: x\n    ACTIONS:\n      - BUTTON: "a' + " " * 30_000 + "x\n",
    "AGENT: A\nCONSTRAINTS:\n  - REQUIRE a" + " WHEN a" * 4_000 + "\n",
    "AGENT: A\nON_START:\n  RESPOND: " + ("{{" + " " * 9_000 + "a}}") * 5 + "\n",
    "AGENT: A\nON_START:\n  RESPOND: " + ("{{#if a" + " " * 9_000 + "b}}") * 5 + "\n",
    "AGENT: A\nON_START:\n  RESPOND: x\n    FORMATS:\n      SLACK: |\n        a\n" + "\n" * 40_000 + "        b\n",
    'AGENT: A\nON_START:\n  RESPOND: x\n    CAROUSEL:\n      cards: [{buttons: ["a' + " " * 60_000 + 'b"]}]\n',
)
"""What once raised or hung; the number of spaces makes a square of them felt."""


@pytest.mark.parametrize("text", FOUND, ids=lambda text: text[-40:].strip())
def test_what_once_raised_or_hung_does_no_more(text: str) -> None:
    with patience(1):
        abl.validate_abl(text)


EACH = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


@EACH
def test_no_spoilt_text_raises_or_hangs(entry: Entry) -> None:
    feed_spoilt(entry, entry.spoilt, seed=1)


@EACH
def test_no_made_up_text_raises_or_hangs(entry: Entry) -> None:
    feed_made(entry, entry.made)


@pytest.mark.soak
@EACH
@pytest.mark.parametrize("part", range(5))
def test_no_spoilt_text_raises_or_hangs_for_long(entry: Entry, part: int) -> None:
    feed_spoilt(entry, entry.spoilt * SOAK // TOTAL // 5, seed=random.SystemRandom().randrange(1 << 32))


@pytest.mark.soak
@EACH
def test_no_made_up_text_raises_or_hangs_for_long(entry: Entry) -> None:
    feed_made(entry, entry.made * SOAK // TOTAL)
