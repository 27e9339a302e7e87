"""Snippets and their plain form."""

from __future__ import annotations

import pytest

from abl.editor.suggestion import escaped, plain, property_snippet
from abl.syntax.node import NODES


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("A: $0", "A: "),
        ("A: ${1:b}$0", "A: b"),
        ("A: ${1|x,y|}", "A: x"),
        ('A: "$1"$0', 'A: ""'),
        ("{a: b\\}", "{a: b}"),
    ],
)
def test_a_snippet_without_its_tab_stops(snippet: str, text: str) -> None:
    assert plain(snippet) == text


def test_a_text_within_a_snippet_comes_back() -> None:
    assert plain(escaped("f() -> {a: $b}")) == "f() -> {a: $b}"


def test_every_property_has_a_snippet_that_begins_with_its_key() -> None:
    for cls in NODES.values():
        for row in cls.PROPS:
            assert plain(property_snippet(row)).startswith(f"{row.key}:"), row
