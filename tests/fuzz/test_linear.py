"""Work grows with the text and not faster, nesting has a bound, and memory stays in proportion, whatever the shape."""

from __future__ import annotations

import math

import pytest

import abl
from benchmarks.folder_shapes import FOLDERS
from benchmarks.scaling import (
    FOLDER,
    MEGABYTE,
    OPERATIONS,
    PATIENCE_S,
    PROMISED,
    PROMISED_SLOPE,
    SHAPES,
    SMALL_CHARS,
    Growth,
    check_folder,
    doubled_for_sure,
    grown,
    memory,
)
from benchmarks.shapes import REALISTIC
from tests.support.proportion import LENIENT, grows_in_proportion

TINY_CHARS = 16_000
TELLING = (
    "one large agent", "stairs", "repeated sections", "steps in no order", "calls of unknown tools", "open brackets",
    "hand-overs to itself", "fields nobody reads", "and many", "tags", "list in one line", "yaml fields", "numbered",
    "yaml tags", "a button of spaces", "ifs around values",
)  # fmt: skip
"""What the default run lays out and checks too; the soak does so with every shape."""
TELLING_FOLDERS = ("profiles nobody uses",)
FOLDER_CHARS = 64_000
"""More files than `MAX_CANDIDATES`: below, every known name is compared with every unknown one, and that is a square."""
LARGEST_BYTES = SMALL_CHARS * 128
"""8 MB."""
MEMORY_LIMIT = 60


@pytest.mark.parametrize("shape", SHAPES)
def test_small_texts_are_read_in_proportion(shape: str) -> None:
    grows_in_proportion(OPERATIONS["parse"], SHAPES[shape], 2 * TINY_CHARS)


@pytest.mark.parametrize("operation", ["fmt", "check"])
@pytest.mark.parametrize("shape", TELLING)
def test_telling_texts_are_laid_out_and_checked_in_proportion(operation: str, shape: str) -> None:
    grows_in_proportion(OPERATIONS[operation], SHAPES[shape], SMALL_CHARS)


@pytest.mark.soak
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_time_doubles_with_the_text_up_to_eight_megabytes(operation: str, shape: str) -> None:
    growth = grown(operation, shape, LARGEST_BYTES, may_settle=False)
    assert growth.seconds[-1] <= PATIENCE_S, growth
    assert growth.worst <= PROMISED, growth
    assert growth.slope <= PROMISED_SLOPE, growth


@pytest.mark.parametrize("folder", TELLING_FOLDERS)
def test_telling_folders_are_checked_in_proportion(folder: str) -> None:
    grows_in_proportion(check_folder, FOLDERS[folder], 2 * FOLDER_CHARS)


@pytest.mark.soak
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_thousands_of_files_is_checked_in_proportion(folder: str) -> None:
    growth = grown(FOLDER, folder, 0, may_settle=False)
    assert growth.is_kept, growth


def test_a_square_is_told_from_work_in_proportion() -> None:
    sizes = (1000, 2000, 4000, 8000)
    line = Growth(sizes, (0.1, 0.2, 0.4, 0.8))
    square = Growth(sizes, (0.1, 0.4, 1.6, 6.4))
    assert line.is_kept
    assert (line.worst, round(line.slope, 2)) == (2.0, 1.0)
    assert not square.is_kept
    assert (math.ceil(square.worst), round(square.slope, 2)) == (4, 2.0)


def test_a_growth_is_settled_when_three_sizes_cost_the_same_for_each_character() -> None:
    sizes = (1000, 2000, 4000)
    assert Growth(sizes, (0.1, 0.2, 0.41)).is_settled
    assert not Growth(sizes, (0.1, 0.2, 0.43)).is_settled
    assert not Growth(sizes[:2], (0.1, 0.2)).is_settled
    assert not Growth(sizes, (0.001, 0.002, 0.004)).is_settled


def test_times_too_short_to_measure_say_nothing() -> None:
    assert Growth((1000, 2000, 4000), (0.0001, 0.001, 0.01)).is_kept


def test_a_square_of_small_texts_is_found() -> None:
    growth = doubled_for_sure(
        lambda text: [text.count("x", 0, at) for at in range(0, len(text), 3)], "x".__mul__, 25_000, 50_000, LENIENT
    )
    assert growth.worst > LENIENT
    assert growth.sizes == (50_000, 100_000)


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
