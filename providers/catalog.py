"""Known models: family, tier, context length, prices. Pure but for reading `prices.json` once.

The table is dated and comes from `tools/import_prices.py`; prices that somebody configures come before it. A model it
does not know has no price: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from domain.model_calls import Usage
from providers.specs import Price, ProviderSpec

TABLE: Final = Path(__file__).with_name("prices.json")
TOKENS_PER_PRICE: Final = 1_000_000
MAX_KEPT_NAMES: Final = 1_024

Tier = Literal["fast", "balanced", "powerful"]
TIERS: Final = frozenset({"fast", "balanced", "powerful", "voice"})
"""Words that stand for the model a project takes for them. Spec: platform-api 14.5."""

HOSTS: Final[Mapping[str, str]] = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "api.mistral.ai": "mistral",
    "api.deepseek.com": "deepseek",
    "api.x.ai": "x-ai",
    "api.groq.com": "groq",
    "api.cohere.com": "cohere",
    "api.cerebras.ai": "cerebras",
    "api.together.xyz": "together",
}
"""Host of a provider -> the vendor whose prices hold there."""

NO_URL_HOST: Final[Mapping[str, str]] = {"openai_compatible": "api.openai.com"}
"""Kind of a provider without an address -> where its models are then."""

KIND_VENDORS: Final[Mapping[str, str]] = {"anthropic": "anthropic", "gemini": "google"}
"""Kind of a provider -> the vendor of its models, wherever its address is."""

_FAMILIES: Final = (
    (re.compile(r"claude"), "claude", "anthropic"),
    (re.compile(r"gemini|gemma"), "gemini", "google"),
    (re.compile(r"gpt|chatgpt|codex|o\d"), "gpt", "openai"),
    (re.compile(r"mistral|ministral|magistral|codestral|mixtral"), "mistral", "mistral"),
    (re.compile(r"deepseek"), "deepseek", "deepseek"),
    (re.compile(r"grok"), "grok", "x-ai"),
    (re.compile(r"command"), "command", "cohere"),
    (re.compile(r"llama|meta-llama"), "llama", ""),
    (re.compile(r"qwen"), "qwen", ""),
)
"""How names of a family begin, the family, and the vendor that serves it under a bare name."""

_TIERS: Final[tuple[tuple[re.Pattern[str], Tier], ...]] = (
    (re.compile(r"haiku|-mini\b|nano|lite|small|instant|\b[1-9]b\b"), "fast"),
    (re.compile(r"opus|fable|mythos|\bpro\b|large|argon|\bo[13]\b|-sol\b"), "powerful"),
)

DEFAULTS: Final[Mapping[str, Mapping[str, str]]] = {
    "anthropic": {"fast": "claude-haiku-5-5", "balanced": "claude-sonnet-5-5", "powerful": "claude-opus-5-5"},
    "google": {"fast": "gemini-3.1-flash-lite", "balanced": "gemini-3.8-flash", "powerful": "gemini-4-argon"},
    "openai": {"fast": "gpt-4o-mini", "balanced": "gpt-6.1-terra", "powerful": "gpt-6.1-sol"},
}
"""Vendor -> tier -> what is asked where nobody has named a model."""

_SEES: Final[Mapping[str, re.Pattern[str]]] = {
    "anthropic": re.compile(r"claude-(?!instant|v?[12]\b)"),
    "google": re.compile(r"gemini-(?!.*(?:tts|embedding|live))"),
    "openai": re.compile(
        r"(?:gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|o[134](?!-mini)|o4-mini)(?!.*(?:audio|realtime|transcribe|tts|search))"
    ),
}
"""Vendor -> names of its models that take pictures."""
_FETCH_IMAGES: Final = frozenset({"anthropic", "openai"})
"""Vendors that fetch a picture from its address; the others take it with the request only."""

_DATE: Final = re.compile(r"(-latest|[-@]\d{8}|-\d{4}-\d{2}-\d{2})$")


class Above(Struct, frozen=True):
    """Prices of a call whose input is longer than `tokens`; they hold for all of its tokens."""

    tokens: int
    input: float | None = None
    output: float | None = None
    cached: float | None = None
    written: float | None = None


class DatedPrice(Struct, frozen=True, rename={"since": "from"}):
    """Prices in US dollars per million tokens, from a day on."""

    input: float
    output: float
    cached: float | None = None
    written: float | None = None
    since: date | None = None
    above: tuple[Above, ...] = ()


class KnownModel(Struct, frozen=True):
    """A model of the table."""

    id: str
    prices: tuple[DatedPrice, ...]
    names: tuple[str, ...] = ()
    context_tokens: int | None = None


class _Table(Struct, frozen=True):
    source: str
    dated: date
    vendors: dict[str, tuple[KnownModel, ...]]


def price_of(spec: ProviderSpec, model: str, input_tokens: int, on: date) -> Price | None:
    """Return the price of a call of a provider's model on a day: the configured one, else the vendor's; None: unknown.

    Embedded models cost nothing. Spec: platform-api 14.5.
    """
    if (configured := spec.prices.get(model)) is not None:
        return configured
    if spec.kind == "embedded":
        return Price(0.0, 0.0)
    known = find_model(vendor_of(spec), model)
    if known is None:
        return None
    dated = [one for one in known.prices if one.since is None or one.since <= on]
    return _at(dated[-1], input_tokens) if dated else None


def cost_usd(usage: Usage, price: Price) -> float:
    """Return what the tokens of a call cost; tokens of a cache without a price of their own cost what input costs."""
    plain = max(usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens, 0)
    cached = price.input if price.cached is None else price.cached
    written = price.input if price.written is None else price.written
    total = (
        plain * price.input
        + usage.cached_tokens * cached
        + usage.cache_write_tokens * written
        + usage.output_tokens * price.output
    )
    return round(total / TOKENS_PER_PRICE, 10)


@lru_cache(maxsize=MAX_KEPT_NAMES)
def find_model(vendor: str, model: str) -> KnownModel | None:
    """Return what is known of a vendor's model; a name may carry a date."""
    names = _names().get(vendor, {})
    plain = model.lower().removeprefix("models/")
    return names.get(plain) or names.get(_DATE.sub("", plain)) or names.get(f"{_DATE.sub('', plain)}-latest")


def vendor_of(spec: ProviderSpec) -> str:
    """Return whose models a provider serves, empty where its address does not say."""
    return KIND_VENDORS.get(spec.kind) or HOSTS.get(spec.host if spec.base_url else NO_URL_HOST.get(spec.kind, ""), "")


def sees_images(spec: ProviderSpec, model: str) -> bool:
    """Return whether a provider's model is known to take pictures; of a server without a vendor nothing is known."""
    pattern = _SEES.get(vendor_of(spec))
    return pattern is not None and pattern.match(model.lower().removeprefix("models/")) is not None


def fetches_images(spec: ProviderSpec) -> bool:
    """Return whether a provider fetches pictures by itself, from its vendor's network and not from one of ours."""
    at_vendor = not spec.base_url or spec.host in HOSTS
    return at_vendor and vendor_of(spec) in _FETCH_IMAGES


def vendor_of_name(model: str) -> str:
    """Return the vendor that a bare model name belongs to, empty for a name nobody knows."""
    return next((vendor for pattern, _, vendor in _FAMILIES if pattern.match(model.lower())), "")


def family_of(model: str) -> str:
    """Return the family of a model, with or without its provider's name; empty for a name nobody knows."""
    name = model.lower().rpartition("/")[2]
    return next((family for pattern, family, _ in _FAMILIES if pattern.match(name)), "")


def tier_of(model: str) -> Tier:
    """Return the tier that a model's name tells."""
    name = model.lower().rpartition("/")[2]
    return next((tier for pattern, tier in _TIERS if pattern.search(name)), "balanced")


def table_date() -> date:
    """Return the day of the price table."""
    return _table().dated


@cache
def _table() -> _Table:
    return msgspec.json.decode(TABLE.read_bytes(), type=_Table)


@cache
def _names() -> Mapping[str, Mapping[str, KnownModel]]:
    found: dict[str, dict[str, KnownModel]] = {}
    for vendor, models in _table().vendors.items():
        names = found.setdefault(vendor, {})
        for model in models:
            names.update((name.lower(), model) for name in model.names)
        names.update((model.id.lower(), model) for model in models)
    return found


def _at(dated: DatedPrice, input_tokens: int) -> Price:
    price = Price(dated.input, dated.output, dated.cached, dated.written)
    for step in dated.above:
        if input_tokens > step.tokens:
            price = Price(
                step.input if step.input is not None else price.input,
                step.output if step.output is not None else price.output,
                step.cached if step.cached is not None else price.cached,
                step.written if step.written is not None else price.written,
            )
    return price
