"""User-written patterns: what is refused and why, and that searching takes linear time."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl.patterns import (
    MAX_INPUT_CHARS,
    MAX_PATTERN_CHARS,
    check_pattern,
    compiled,
    full_match,
    groups_of,
    search,
)
from tests.support.proportion import grows_in_proportion

REFUSED = [
    ("(a+)+", "repeats a group"),
    ("([a-z]+)*x", "repeats a group"),
    ("(a|b+)+", "repeats a group"),
    (r"(\s*\w+)+", "repeats a group"),
    ("((a+))+", "repeats a group"),
    ("(?:(?:a*)b?)+", "repeats a group"),
    ("(a+){2,}", "repeats a group"),
    ("(?P<n>a+)+", "repeats a group"),
    ("(?=a)b", "no lookahead"),
    ("(?!a)b", "no negative lookahead"),
    ("(?<=a)b", "no lookbehind"),
    ("(?<!a)b", "no negative lookbehind"),
    ("(?>a)", "no atomic groups"),
    (r"(a)\1", "no back references"),
    ("(?P<n>a)(?P=n)", "no back references"),
    ("(", "missing )"),
    ("[a", "missing ]"),
    ("a**", "bad repetition"),
    ("\ud800", "not valid text"),
    ("a" * (MAX_PATTERN_CHARS + 1), "at most"),
]


@pytest.mark.parametrize(("pattern", "reason"), REFUSED)
def test_a_pattern_is_refused_with_its_reason(pattern: str, reason: str) -> None:
    said = check_pattern(pattern)
    assert said is not None
    assert reason in said
    assert search(pattern, "aaaa") is None
    assert full_match(pattern, "aaaa") is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d{13,16}",
        r"^[A-Za-z]+(\s[A-Za-z]+)*$",
        r"(\w+\.)*\w+",
        "(a|b)+",
        "(a{1,3})+",
        "([*+])+",
        r"(\d{2,}-)*",
        "(a*)?",
        "((a+)?b)+",
        "(?<year>[0-9]{4})",
        "(?P<year>[0-9]{4})",
        "(?i)straße",
        r"[\]+]+",
        "",
    ],
)
def test_an_ordinary_pattern_is_good(pattern: str) -> None:
    assert check_pattern(pattern) is None


def test_a_search_finds_anywhere_and_gives_its_groups() -> None:
    found = search(r"(?P<letters>[A-Z]+)-(\d+)(x)?", "code AB-77.")
    assert found is not None
    assert groups_of(found) == {"0": "AB-77", "1": "AB", "2": "77", "3": None, "letters": "AB"}
    assert search("b", "aaa") is None


def test_both_spellings_of_a_named_group_give_the_name() -> None:
    for pattern in ("(?<n>a)", "(?P<n>a)"):
        found = search(pattern, "a")
        assert found is not None
        assert groups_of(found)["n"] == "a"


def test_a_full_match_needs_the_whole_text() -> None:
    assert full_match(r"\d+", "123") is not None
    assert full_match(r"\d+", "123a") is None
    assert full_match(r"\d*", "1" * (MAX_INPUT_CHARS + 1)) is None


def test_only_the_beginning_of_a_very_long_text_is_searched() -> None:
    assert search("b", "a" * MAX_INPUT_CHARS + "b") is None
    assert search("b", "a" * (MAX_INPUT_CHARS - 1) + "b") is not None


def test_a_text_with_a_lone_surrogate_can_be_searched() -> None:
    assert search("a", "\ud800a") is not None


def test_a_pattern_is_compiled_once() -> None:
    assert compiled("abc+") is compiled("abc+")


def test_what_takes_others_forever_is_fast() -> None:
    for pattern, sign in (("(x|xx|xxx)*y", "x"), ("(.|a)*b", "a")):
        grows_in_proportion(partial(search, pattern), sign.__mul__, 50_000)
        assert search(pattern, sign * 50_000) is None


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=20), st.text(alphabet="ab()[]{}*+?|\\^$.<>:=!P0123,-", max_size=20)), st.text())
def test_no_pattern_raises(pattern: str, text: str) -> None:
    reason = check_pattern(pattern)
    assert reason is None or reason
    found = search(pattern, text)
    assert found is None or groups_of(found)["0"] is not None
    full_match(pattern, text)
