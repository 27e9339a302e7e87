"""Text to significant lines. Spec: abl-language 1.1 to 1.4."""

import pytest

from abl.parser.lines import dedent, scan
from abl.source import Source
from benchmarks.shapes import of_signs
from tests.support.proportion import grows_in_proportion


def lines_of(text):
    return scan(Source(text))


def test_a_line_knows_its_indent_text_column_offset_and_number():
    lines = lines_of("AGENT: A\n\n  GOAL: b  \n")
    assert lines.texts == ["AGENT: A", "GOAL: b"]
    assert lines.indents == [0, 2]
    assert lines.columns == [0, 2]
    assert lines.offsets == [0, 12]
    assert lines.numbers == [1, 3]
    assert len(lines) == 2


def test_a_common_indentation_is_removed_from_every_line():
    lines = lines_of("\n    AGENT: A\n      GOAL: b\n    PERSONA: c\n")
    assert lines.indents == [0, 2, 0]
    assert lines.columns == [4, 6, 4]


def test_a_line_left_of_the_first_one_counts_as_not_indented():
    assert lines_of("    A: 1\n  B: 2\n").indents == [0, 0]


def test_a_tab_counts_one_and_the_first_is_remembered():
    lines = lines_of("A:\n\tb: 1\n\t\tc: 2\n")
    assert lines.indents == [0, 1, 2]
    assert lines.tab == 3


def test_a_tab_behind_the_indent_is_not_remembered():
    assert lines_of("A:\tb\n").tab == -1


@pytest.mark.parametrize(
    "comment",
    [
        "# one",
        "  # indented",
        "// two",
        "/* three */",
        "/*\nfour\n*/",
        "  /* five\n  six */",
        "/* seven */\n/* eight */",
    ],
)
def test_comments_are_no_lines(comment):
    lines = lines_of(f"A: 1\n{comment}\nB: 2\n")
    assert lines.texts == ["A: 1", "B: 2"]
    assert lines.numbers == [1, 3 + comment.count("\n")]


def test_a_comment_that_is_never_closed_hides_the_rest():
    assert lines_of("A: 1\n/* open\nB: 2\n").texts == ["A: 1"]


def test_a_line_of_dashes_separates_nothing():
    assert lines_of("---\nA: 1\n---\n").texts == ["A: 1"]


def test_markdown_fences_are_no_lines_but_remembered():
    lines = lines_of("```abl\nA: 1\n```\n")
    assert lines.texts == ["A: 1"]
    assert lines.fences == [0, 12]


def test_the_body_of_a_line_is_the_run_of_deeper_lines():
    lines = lines_of("A:\n  b:\n     c: 1\n   d: 2\n  e: 3\nF: 4\n")
    assert lines.texts == ["A:", "b:", "c: 1", "d: 2", "e: 3", "F: 4"]
    assert lines.ends == [5, 4, 3, 4, 5, 6]


@pytest.mark.parametrize("sign", ["|", "|-", "|+", ">", ">-", "|  # a comment"])
def test_a_block_is_cut_by_its_base_indent_and_trimmed(sign):
    lines = lines_of(f"A: {sign}\n\n    one\n      two\n\n    three\n\nB: 1\n")
    assert lines.texts[1] == "B: 1"
    assert lines.block_text(0) == "one\n  two\n\nthree"
    assert lines.source.text[lines.block_offset(0) :].startswith("one")


def test_comments_inside_a_block_are_text():
    assert lines_of("A: |\n  # one\n  // two\n  /* three\nB: 1\n").block_text(0) == "# one\n// two\n/* three"


def test_a_block_goes_on_while_lines_are_deeper_than_its_key():
    lines = lines_of("A: |\n    one\n  two\nB: 1\n")
    assert lines.block_text(0).split("\n")[-1].strip() == "two"
    assert lines.texts == ["A: |", "B: 1"]


def test_a_block_ends_at_a_line_that_is_not_deeper_than_its_key():
    lines = lines_of("A:\n  b: |\n    one\n  c: 1\n")
    assert lines.block_text(1) == "one"
    assert lines.texts[2] == "c: 1"


def test_a_block_without_deeper_lines_is_empty():
    lines = lines_of("A: |\nB: 1\n")
    assert lines.block_text(0) == ""
    assert lines.texts == ["A: |", "B: 1"]


def test_a_block_at_the_end_of_the_text_is_whole():
    assert lines_of("A: |\n  one\n  two").block_text(0) == "one\ntwo"


def test_the_block_of_a_dash_item_ends_before_its_next_key():
    lines = lines_of("A:\n  - b: |\n      one\n    c: 1\n")
    assert lines.block_text(1) == "one"
    assert lines.texts[-1] == "c: 1"


@pytest.mark.parametrize("line", ["A: b |", "A: a > b", "A: 3 >", "GOAL: x || y"])
def test_a_sign_behind_other_text_opens_no_block(line):
    assert lines_of(f"{line}\n  c\n").blocks == {}


def test_raw_lines_between_two_lines_hold_blank_lines_and_comments():
    lines = lines_of("A:\n  b\n\n  # c\n  d\nE: 1\n")
    assert lines.raw_between(1, 3) == ["  b", "", "  # c", "  d"]
    assert lines.raw_between(2, 2) == []


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (["  a", "    b"], "a\n  b"),
        (["", "  a", "", "  b", ""], "a\n\nb"),
        (["    a", "  b"], "a\nb"),
        ([], ""),
    ],
)
def test_dedent_cuts_by_the_first_line(raw, plain):
    assert dedent(raw) == plain


@pytest.mark.parametrize(
    "unit", ["a: |\n", "- - - -\n", "/*\n", "  x:\n", "A: |\n  y\n", "\n", " # b\n", "``` \n", ": | # \n"]
)
def test_scanning_takes_time_in_proportion_to_the_text(unit):
    grows_in_proportion(lines_of, of_signs("", unit), len(unit) * 20_000)


def test_deep_nesting_is_scanned_without_recursion():
    text = "".join(" " * depth + "a:\n" for depth in range(2000))
    lines = lines_of(text)
    assert lines.ends == [2000] * 2000
