"""Properties that nothing acts on are told, each with what to do instead."""

import re
from pathlib import Path

import pytest

import abl
from abl.checks.without_effect import WITHOUT_EFFECT
from abl.syntax.node import NODES

ROOT = Path(__file__).parents[4]
ACTING = ("engine", "actors", "gateway", "providers", "storage")
WORD = re.compile(r"\w+")


def test_each_is_a_property_of_the_language() -> None:
    assert all(field in NODES[name].BY_FIELD for name, field in WITHOUT_EFFECT)


def test_what_gets_an_effect_is_taken_out() -> None:
    sources = (path.read_text("utf-8") for part in ACTING for path in (ROOT / part).rglob("*.py"))
    words = set().union(*(WORD.findall(source) for source in sources))
    plain = {"evaluation", "preferences"}  # words of their own
    assert {field for _, field in WITHOUT_EFFECT if field in words} <= plain


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("EXECUTION:\n  enable_thinking: true\n  max_iterations: 4", ["enable_thinking"]),
        ("NLU:\n  default_language: sv", ["default_language"]),
        ("EXECUTION:\n  max_iterations: 4", []),
    ],
)
def test_a_property_without_effect_is_a_warning(lines: str, names: list[str]) -> None:
    found = abl.validate_abl(f'AGENT: A\nGOAL: "Help"\n{lines}\n')
    told = [one for one in found if one.code == "WITHOUT_EFFECT"]
    assert [one.message.partition(" ")[0] for one in told] == names
