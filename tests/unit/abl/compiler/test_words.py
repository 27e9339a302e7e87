from __future__ import annotations

import pytest

from abl.compiler.words import split_modifiers, without_implications


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a <= 5", ("a <= 5", "", "")),
        ("a <= 5 WHEN b", ("a <= 5", "b", "")),
        ("a <= 5 before calling t", ("a <= 5", "", "calling t")),
        ("a WHEN b BEFORE calling t", ("a", "b", "calling t")),
        ("a BEFORE calling t WHEN b", ("a", "b", "calling t")),
        ('a == "x WHEN y"', ('a == "x WHEN y"', "", "")),
        ("(a WHEN b)", ("(a WHEN b)", "", "")),
        ("a.when == 1 AND before.x", ("a.when == 1 AND before.x", "", "")),
        ("a IMPLIES b WHEN c", ("a IMPLIES b", "c", "")),
        ("", ("", "", "")),
    ],
)
def test_modifiers_are_split_at_the_top_level(text: str, parts: tuple[str, str, str]) -> None:
    assert split_modifiers(text) == parts


def test_implications_are_bounded() -> None:
    lowered = without_implications(" IMPLIES ".join(["a"] * 500))
    assert lowered.count("NOT (") == 16
