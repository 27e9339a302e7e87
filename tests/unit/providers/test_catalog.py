"""What is known of models: prices of a day, families, tiers."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from domain.model_calls import Usage
from providers import catalog
from providers.catalog import (
    DEFAULTS,
    TIERS,
    cost_usd,
    family_of,
    fetches_images,
    find_model,
    price_of,
    sees_images,
    tier_of,
    vendor_of_name,
)
from providers.specs import Price, ProviderSpec

DAY = date(2026, 11, 21)
OPENAI = ProviderSpec("openai", "openai_compatible", "https://api.openai.com/v1")
ANTHROPIC = ProviderSpec("anthropic", "anthropic")
GEMINI = ProviderSpec("gemini", "gemini")


@pytest.mark.parametrize(
    ("spec", "model", "price"),
    [
        (ANTHROPIC, "claude-opus-5", Price(5.0, 25.0, 0.5, 6.25)),
        (ANTHROPIC, "claude-opus-4-5-20251101", Price(5.0, 25.0, 0.5, 6.25)),
        (ANTHROPIC, "claude-3-5-haiku-20241022", Price(0.8, 4.0, 0.08, 1.0)),
        (OPENAI, "gpt-4o-mini", Price(0.15, 0.6, 0.075)),
        (OPENAI, "gpt-4o-2024-11-20", Price(2.5, 10.0, 1.25)),
        (ProviderSpec("o", "openai_compatible"), "gpt-4o-mini", Price(0.15, 0.6, 0.075)),
        (GEMINI, "models/gemini-3.1-flash-lite", Price(0.25, 1.5, 0.025)),
        (ProviderSpec("e", "embedded"), "qwen", Price(0.0, 0.0)),
    ],
)
def test_a_known_model_has_its_price(spec: ProviderSpec, model: str, price: Price) -> None:
    assert price_of(spec, model, 1_000, DAY) == price


@pytest.mark.parametrize(
    ("spec", "model"),
    [
        (ANTHROPIC, "claude-opus-99"),
        (OPENAI, "gpt-4o-mini-of-our-own"),
        (OPENAI, ""),
        (ProviderSpec("local", "openai_compatible", "http://127.0.0.1:8000/v1"), "gpt-4o"),
        (ProviderSpec("scripted", "scripted"), "gpt-4o"),
    ],
)
def test_what_nobody_knows_has_no_price(spec: ProviderSpec, model: str) -> None:
    assert price_of(spec, model, 1_000, DAY) is None


def test_a_configured_price_comes_first() -> None:
    spec = ProviderSpec("openai", "openai_compatible", prices={"gpt-4o": Price(1.0, 2.0), "own": Price(0.1, 0.2)})
    assert price_of(spec, "gpt-4o", 1_000, DAY) == Price(1.0, 2.0)
    assert price_of(spec, "own", 1_000, DAY) == Price(0.1, 0.2)


def test_prices_change_on_their_day() -> None:
    before, after = (price_of(GEMINI, "gemini-4-argon", 1, one) for one in (date(2026, 11, 30), date(2026, 12, 1)))
    assert (before, after) == (Price(2.0, 10.0, 0.1), Price(4.0, 20.0, 0.2))


def test_a_long_prompt_costs_more_where_the_vendor_says_so() -> None:
    short, long = (price_of(ANTHROPIC, "claude-haiku-5-5", tokens, DAY) for tokens in (100_000, 100_001))
    assert (short, long) == (Price(0.1, 0.5, 0.01, 0.125), Price(0.5, 2.5, 0.05, 0.625))


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(), 0.0),
        (Usage(1_000_000, 1_000_000), 12.0),
        (Usage(1_000_000, 0, 400_000), 1.24),
        (Usage(1_000_000, 0, 400_000, 100_000), 1.29),
        (Usage(10, 0, 20), 0.000002),
    ],
)
def test_a_call_costs_what_its_tokens_cost(usage: Usage, cost: float) -> None:
    assert cost_usd(usage, Price(2.0, 10.0, 0.1, 2.5)) == pytest.approx(cost)


def test_a_cache_without_a_price_costs_what_input_costs() -> None:
    assert cost_usd(Usage(1_000_000, 0, 500_000, 500_000), Price(2.0, 10.0)) == 2.0


@pytest.mark.parametrize(
    ("name", "vendor", "family", "tier"),
    [
        ("claude-haiku-5-5", "anthropic", "claude", "fast"),
        ("claude-sonnet-5-5", "anthropic", "claude", "balanced"),
        ("claude-opus-5-5", "anthropic", "claude", "powerful"),
        ("gemini-3.1-flash-lite", "google", "gemini", "fast"),
        ("gemini-3.8-flash", "google", "gemini", "balanced"),
        ("gemini-2.5-pro", "google", "gemini", "powerful"),
        ("gpt-4o-mini", "openai", "gpt", "fast"),
        ("gpt-6.1-terra", "openai", "gpt", "balanced"),
        ("o3", "openai", "gpt", "powerful"),
        ("mistral-small-latest", "mistral", "mistral", "fast"),
        ("llama-3.1-8b", "", "llama", "fast"),
        ("our-model", "", "", "balanced"),
    ],
)
def test_a_name_tells_vendor_family_and_tier(name: str, vendor: str, family: str, tier: str) -> None:
    assert (vendor_of_name(name), family_of(f"provider/{name}"), tier_of(name)) == (vendor, family, tier)


def test_the_models_of_every_tier_are_in_the_table() -> None:
    for vendor, models in DEFAULTS.items():
        assert set(models) <= TIERS
        assert all(find_model(vendor, model) for model in models.values())


def test_the_table_is_dated_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert catalog.table_date() >= date(2026, 11, 21)
    table: Any = catalog._table()
    assert "genai-prices" in table.source
    rows = [model for models in table.vendors.values() for model in models]
    assert len(rows) > 300
    for model in rows:
        assert model.prices
        assert all(price.input >= 0 and price.output >= 0 for price in model.prices)


@pytest.mark.parametrize(
    ("kind", "url", "model", "sees", "fetches"),
    [
        ("anthropic", "", "claude-sonnet-5-5", True, True),
        ("anthropic", "", "claude-2.1", False, True),
        ("anthropic", "https://proxy.example.com", "claude-sonnet-5-5", True, False),
        ("gemini", "", "gemini-3.8-flash", True, False),
        ("gemini", "", "gemini-2.5-flash-preview-tts", False, False),
        ("openai_compatible", "", "gpt-4o-mini", True, True),
        ("openai_compatible", "https://api.openai.com/v1", "o3", True, True),
        ("openai_compatible", "", "o3-mini", False, True),
        ("openai_compatible", "", "gpt-4o-audio-preview", False, True),
        ("openai_compatible", "", "gpt-3.5-turbo", False, True),
        ("openai_compatible", "http://127.0.0.1:8000/v1", "gpt-4o", False, False),
        ("openai_compatible", "https://api.mistral.ai/v1", "pixtral", False, False),
    ],
)
def test_who_takes_pictures_and_who_fetches_them(kind: str, url: str, model: str, sees: bool, fetches: bool) -> None:
    spec = ProviderSpec("p", kind, base_url=url)
    assert (sees_images(spec, model), fetches_images(spec)) == (sees, fetches)
