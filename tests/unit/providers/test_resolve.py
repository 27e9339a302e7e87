"""Which model a call goes to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.errors import Unavailable
from providers.resolve import ModelWishes, find_model, resolve_model

ALL = ModelWishes(
    override="o", deployment="d", agent="a", tier="fast", tiers={"fast": "t"}, project="p", tenant="w", embedded="e"
)
ORDER = [
    ("override", "o", "request"),
    ("deployment", "d", "deployment"),
    ("agent", "a", "agent"),
    ("tier", "t", "tier"),
    ("project", "p", "project"),
    ("tenant", "w", "tenant"),
    ("embedded", "e", "embedded"),
]


def test_each_wish_gives_way_to_the_one_before_it() -> None:
    wishes = ALL
    for name, model, source in ORDER:
        found = resolve_model(wishes)
        assert (found.model, found.source) == (model, source)
        wishes = replace(wishes, **{name: ""})
    assert find_model(wishes) is None


def test_an_operation_can_have_a_model_of_its_own() -> None:
    wishes = ModelWishes(agent="a", operations={"extraction": "small"})
    assert resolve_model(wishes, "extraction").model == "small"
    assert resolve_model(wishes, "reasoning").model == "a"


def test_a_tier_the_project_does_not_know_is_passed_over() -> None:
    assert resolve_model(ModelWishes(tier="powerful", project="p")).model == "p"


def test_without_any_wish_it_says_what_to_configure() -> None:
    with pytest.raises(Unavailable, match="Runtime not configured"):
        resolve_model(ModelWishes())
