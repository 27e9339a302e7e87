"""Finding words and values in a source."""

from __future__ import annotations

from abl.editor.spots import Spots


def test_a_word_is_found_at_its_place_or_later_on_the_line() -> None:
    spots = Spots('call: "find" finder\nfind')
    assert spots.word("find", 7) == 7
    assert spots.word("find", 0) == 7
    assert spots.word("find", 8) is None


def test_the_last_word_before_a_place_is_found() -> None:
    assert Spots("a: a, ab: 1").last_word("a", 0, 6) == 3
    assert Spots("ab: 1").last_word("a", 0, 4) is None


def test_a_value_is_aligned_over_changed_spacing() -> None:
    spots = Spots("IF: a  AND\n    b")
    assert spots.aligned("a AND b", 4) == [4, 5, 7, 8, 9, 10, 15]
    assert spots.aligned("a  AND", 4) == range(4, 10)
    assert spots.aligned("a OR b", 4) is None


def test_comments_are_known() -> None:
    spots = Spots("a: # {{x}}\n  # {{y}}\n// {{z}}\nb")
    assert [spots.comments(offset) for offset in (5, 15, 26, 30)] == [False, True, True, False]
