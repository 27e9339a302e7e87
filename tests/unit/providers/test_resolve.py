"""Which model a call goes to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.errors import InvalidInput, LastingOutage, Unavailable
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


@pytest.mark.parametrize("name", [name for name, _, _ in ORDER if name not in ("override", "tier", "project")])
def test_a_model_that_nobody_serves_gives_way_to_the_next_wish(name: str) -> None:
    wishes = replace(ModelWishes(embedded="e"), **{name: "gone"})
    found = find_model(replace(wishes, embedded="e") if name != "embedded" else wishes, knows=lambda one: one == "e")
    assert found is None if name == "embedded" else found is not None and found.model == "e"


def test_a_request_for_a_model_that_nobody_serves_is_refused() -> None:
    with pytest.raises(InvalidInput, match="gone"):
        resolve_model(ModelWishes(override="gone", project="p"), knows=lambda one: one == "p")


@pytest.mark.parametrize("name", ["override", "deployment", "agent", "project"])
def test_the_name_of_a_tier_means_the_model_of_that_tier(name: str) -> None:
    wishes = ModelWishes(tiers={"fast": "small", "powerful": "large"}, tenant="w")
    found = resolve_model(replace(wishes, **{name: "powerful"}))
    assert (found.model, found.source) == ("large", "tier")
    assert resolve_model(replace(wishes, **{name: "voice"})).model == "w"


def test_without_any_wish_the_hint_names_the_keys_to_set() -> None:
    with pytest.raises(Unavailable) as refused:
        resolve_model(ModelWishes())
    assert refused.value.message == "Runtime not configured"
    assert "ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENAI_API_KEY" in refused.value.details["hint"]


@pytest.mark.parametrize(
    "wishes",
    [
        ModelWishes(project="gone/x"),
        ModelWishes(tier="fast", tiers={"fast": "gone/x"}),
        ModelWishes(agent="fast", tiers={"fast": "gone/x"}, project="p"),
        ModelWishes(agent="nobody-s", project="gone/x"),
    ],
)
def test_what_a_project_has_chosen_is_never_taken_from_somebody_else(wishes: ModelWishes) -> None:
    with pytest.raises(LastingOutage) as refused:
        find_model(replace(wishes, tenant="w", embedded="e"), knows=lambda one: one in ("p", "w", "e"))
    assert refused.value.message == "Runtime not configured"
    assert refused.value.details["reason"] == "MODEL_NOT_CONFIGURED"
    assert "gone/x" in refused.value.details["hint"]


def test_a_project_s_choice_is_not_looked_at_where_somebody_before_it_is_served() -> None:
    found = find_model(ModelWishes(agent="a", project="gone/x"), knows=lambda one: one == "a")
    assert found is not None
    assert found.model == "a"
