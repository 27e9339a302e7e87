"""Source text and places in it. Spec: abl-language 1.1."""

import pytest

from abl.source import Pos, Source, normalise


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("a\nb", "a\nb"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\rb\r", "a\nb\n"),
        ("a\r\r\nb", "a\n\nb"),
        ("a\n\rb", "a\n\nb"),
        ("\ufeffa", "a"),
        ("\ufeff\ufeffa", "\ufeffa"),
        ("a\ufeff", "a\ufeff"),
        ("\u2028a\x0cb\x85", "\u2028a\x0cb\x85"),
        ("", ""),
    ],
)
def test_a_mark_at_the_start_is_dropped_and_every_line_end_is_the_same(written, plain):
    assert normalise(written) == plain
    assert Source(written).text == plain
    assert normalise(plain).removeprefix("\ufeff") == plain.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("offset", "place"),
    [
        (0, Pos(1, 1, 0)),
        (1, Pos(1, 2, 1)),
        (2, Pos(1, 3, 2)),
        (3, Pos(2, 1, 3)),
        (4, Pos(3, 1, 4)),
        (6, Pos(3, 3, 6)),
        (99, Pos(3, 3, 6)),
        (-5, Pos(1, 1, 0)),
    ],
)
def test_an_offset_has_a_line_and_a_column_from_1(offset, place):
    assert Source("ab\n\ncd").pos(offset) == place


def test_an_empty_text_has_one_place():
    assert Source("").pos(0) == Pos(1, 1, 0)


def test_characters_beyond_the_first_plane_count_as_one():
    source = Source("\U0001f600a\n\u00e9b")
    assert source.pos(1) == Pos(1, 2, 1)
    assert source.pos(4) == Pos(2, 2, 4)


@pytest.mark.parametrize(("number", "text"), [(1, "ab"), (2, ""), (3, "cd"), (4, ""), (0, ""), (5, ""), (-1, "")])
def test_a_line_is_found_by_its_number(number, text):
    assert Source("ab\r\n\r\ncd\r\n").line(number) == text


def test_the_last_line_needs_no_line_end():
    assert Source("ab\ncd").line(2) == "cd"
    assert Source("ab\ncd").starts == [0, 3]


def test_every_offset_leads_to_its_line_and_column():
    source = Source("ab\n\n c\n\n\nlonger line\n")
    for offset in range(len(source.text)):
        line, column, _ = source.pos(offset)
        assert source.starts[line - 1] + column - 1 == offset
        assert (source.line(line) + "\n")[column - 1] == source.text[offset]


def test_a_source_may_have_a_path():
    assert Source("a").path is None
    assert Source("a", "agents/a.agent.abl").path == "agents/a.agent.abl"
