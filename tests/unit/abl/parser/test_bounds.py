"""How much one parse may hold. The ratios themselves are measured in tests/fuzz/test_memory.py."""

from abl.parser.bounds import CHARS_PER_LINE, MIN_CHARS, elements, most_lines, room
from abl.parser.lines import scan_within_bounds
from abl.source import Source


def test_a_small_text_has_the_bounds_of_a_quarter_of_a_megabyte():
    assert most_lines(0) == most_lines(MIN_CHARS) == MIN_CHARS // CHARS_PER_LINE
    assert room(0, 0) == room(MIN_CHARS, 0)


def test_bounds_grow_with_the_text_and_lines_take_from_the_room_of_nodes():
    assert most_lines(10 * MIN_CHARS) == 10 * most_lines(MIN_CHARS)
    assert room(10 * MIN_CHARS, 0) > room(10 * MIN_CHARS, 1000)


def test_elements_of_a_line_stand_between_commas_bars_and_arrows():
    assert elements("a, b | c -> d") == 3


def test_lines_beyond_the_bound_are_left_and_where_they_begin_is_known():
    most = most_lines(0)
    lines = scan_within_bounds(Source("a\n" * (most + 5)))
    assert len(lines) == most
    assert lines.left == 2 * most


def test_a_long_line_of_too_many_elements_is_left():
    lines = scan_within_bounds(Source("AGENT: A\nLIMITATIONS: [" + "a," * MIN_CHARS))
    assert lines.texts == ["AGENT: A"]
    assert lines.left == len("AGENT: A\n")
    assert lines.ends == [1]
