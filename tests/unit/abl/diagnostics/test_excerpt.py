"""A source line is cut to a width so that the span stays visible, counted in terminal columns."""

from abl.diagnostics.excerpt import MIN_COLUMNS, columns_of, excerpt, plain
from tests.support.cells import over


def test_a_short_line_is_shown_whole():
    assert excerpt("GOAL: x", 6, 1, 40) == ("GOAL: x", 6, 1)


def test_an_empty_line_still_has_a_place():
    assert excerpt("", 0, 0, 40) == ("", 0, 1)


def test_a_span_behind_the_line_is_moved_to_its_end():
    assert excerpt("GOAL", 99, 5, 40) == ("GOAL", 4, 1)


@over(
    "line",
    [
        "a" * 500,
        "あ" * 500,
        "\t" * 500,
        "e\u0301" * 500,
        "\x00" * 500,
        "a" + "\u0301" * 5000,
        "👩\u200d👩\u200d👧" * 200,
    ],
)
@over("start", [0, 1, 18, 19, 20, 250, 499, 10_000])
@over("length", [0, 1, 7, 400])
@over("columns", [1, MIN_COLUMNS, 37, 2000])
def test_nothing_is_wider_than_it_may_be_and_the_span_is_inside(line, start, length, columns):
    shown = excerpt(line, start, length, columns)
    room = max(columns, MIN_COLUMNS)
    assert columns_of(shown.text) <= room
    assert 0 <= shown.column <= room
    assert shown.columns >= 1
    assert shown.column + shown.columns <= room + 1
    assert "\n" not in shown.text
    assert "\x00" not in shown.text


def test_columns_are_those_of_the_terminal():
    assert columns_of("abc") == 3
    assert columns_of("あい") == 4
    assert columns_of("e\u0301") == 1


def test_control_characters_are_replaced_and_text_is_kept():
    assert plain("Größe: 名前 “x”") == "Größe: 名前 “x”"
    assert plain("a\x1b[2Jb") == "a\ufffd[2Jb"
    assert plain("a\u00a0b") == "a b"
