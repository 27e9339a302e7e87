"""Name -> model: which providers there are, and one ready model per name, wrapped in deadline, retry and fallback.

Imports an adapter only when a provider of its kind is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from importlib import import_module
from typing import Final, TypeAlias

from domain.errors import InvalidInput, NotFound
from domain.model_calls import Usage
from providers.addresses import AddressPolicy
from providers.catalog import cost_usd, price_of, vendor_of, vendor_of_name
from providers.chat.resilient import FallbackModel, Resilience, ResilientModel
from providers.http import HttpClient
from providers.ports import ChatModel
from providers.specs import ProviderSpec

ADAPTERS: Final[Mapping[str, str]] = {
    "openai_compatible": "providers.chat.openai_compatible",
    "anthropic": "providers.chat.anthropic",
    "gemini": "providers.chat.gemini",
    "embedded": "providers.embedded.chat",
    "scripted": "providers.chat.scripted",
    "mock": "providers.chat.scripted",
}
"""Kind -> the module whose `open_model(spec, model, client)` makes one."""

MILLISECONDS_PER_SECOND: Final = 1_000
DEFAULT_TIMEOUT_MS: Final = 30_000
LEAST_TIMEOUT_MS: Final[Mapping[str, int]] = {"embedded": 100_000}
"""Provider -> how long a call may take at the least: what a small machine computes itself takes its time."""
NAMES_SHOWN: Final = 10

FOREIGN_KINDS: Final = frozenset({"openai_compatible", "anthropic", "gemini", "mock"})
"""What a tenant may bring: nothing that uses the machine itself."""


OpenModel: TypeAlias = Callable[[ProviderSpec, str, HttpClient], ChatModel]


class ModelRegistry:
    """All chat models of a deployment. Model names are `provider/model`, or `model` where one provider serves it."""

    def __init__(
        self,
        providers: Iterable[ProviderSpec],
        *,
        client: HttpClient | None = None,
        foreign_client: HttpClient | None = None,
        resilience: Resilience | None = None,
        scope: str = "",
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        """Take the providers.

        Args:
            providers: Earlier ones come first where two could serve a name.
            client: For the operator's providers; by default every address may be called.
            foreign_client: For those of tenants; by default public addresses only.
            resilience: Shared by all models.
            scope: Whose failures are counted together: stands before the name in the key of a breaker.
            today: Which prices hold.
        """
        self._providers = {provider.name: provider for provider in providers}
        self._client = client or HttpClient(AddressPolicy(everything=True))
        self._foreign_client = foreign_client or HttpClient(AddressPolicy())
        self._resilience = resilience or Resilience()
        self._scope = scope
        self._today = today
        self._models: dict[str, ChatModel] = {}

    def extended(self, providers: Iterable[ProviderSpec], scope: str) -> ModelRegistry:
        """Return these providers before those that are here, over the same connections; it is never closed itself."""
        own = list(providers)
        names = {one.name for one in own}
        rest = [one for one in self._providers.values() if one.name not in names]
        return ModelRegistry(
            [*own, *rest],
            client=self._client,
            foreign_client=self._foreign_client,
            resilience=self._resilience,
            scope=scope,
            today=self._today,
        )

    def names(self) -> tuple[str, ...]:
        """Return the full names of all models that providers list."""
        return tuple(f"{spec.name}/{model}" for spec in self._providers.values() for model in spec.models)

    def find(self, model: str) -> tuple[ProviderSpec, str] | None:
        """Return the provider of a model name and the name it has there, None when nobody knows it."""
        head, slash, rest = model.partition("/")
        spec = self._providers.get(head)
        if slash and rest and spec is not None and (not spec.models or rest in spec.models):
            return spec, rest
        for one in self._providers.values():
            if model in one.models:
                return one, model
        if spec is not None and not slash and spec.models:
            return spec, spec.models[0]
        return self._of_vendor(model) if not slash else None

    def full_name(self, model: str) -> str:
        """Return `provider/model` of a model name, the name itself when nobody knows it."""
        found = self.find(model)
        return f"{found[0].name}/{found[1]}" if found else model

    def open(self, model: str, *, fallback: str = "", timeout_ms: int = DEFAULT_TIMEOUT_MS) -> ChatModel:
        """Return the model, guarded by deadline, retry and breaker; `fallback` is asked when it fails.

        Raises:
            NotFound: No provider knows `model`; an unknown `fallback` is left out.
        """
        first = self._guarded(model, timeout_ms)
        if fallback and fallback != model and self.find(fallback) is not None:
            return FallbackModel([first, self._guarded(fallback, timeout_ms)])
        return first

    def cost_usd(self, model: str, usage: Usage) -> float | None:
        """Return what a call of a model cost by today's prices, None where none is known."""
        found = self.find(model)
        if found is None:
            return None
        price = price_of(*found, usage.input_tokens, self._today())
        return cost_usd(usage, price) if price is not None else None

    async def close(self) -> None:
        """Close the connections of all models."""
        self._models.clear()
        await self._client.close()
        await self._foreign_client.close()

    def _of_vendor(self, model: str) -> tuple[ProviderSpec, str] | None:
        """Return the provider whose vendor makes models of this name."""
        if vendor := vendor_of_name(model):
            for one in self._providers.values():
                if not one.models and vendor_of(one) == vendor:
                    return one, model
        return None

    def _guarded(self, model: str, timeout_ms: int) -> ResilientModel:
        full = self.full_name(model)
        return ResilientModel(
            self._adapter(full),
            f"{self._scope}{full}",
            timeout_s=max(timeout_ms, LEAST_TIMEOUT_MS.get(full.partition("/")[0], 0)) / MILLISECONDS_PER_SECOND,
            resilience=self._resilience,
            provider=full.partition("/")[0],
            name=full.partition("/")[2],
            cost_usd=lambda usage: self.cost_usd(full, usage),
        )

    def _adapter(self, model: str) -> ChatModel:
        ready = self._models.get(model)
        if ready is not None:
            return ready
        found = self.find(model)
        if found is None:
            raise NotFound(f"No provider knows the model {model!r}. {self._known()}")
        spec, name = found
        made = factory(spec)(spec, name, self._foreign_client if spec.is_foreign else self._client)
        self._models[model] = made
        return made

    def _known(self) -> str:
        listed = ", ".join(self.names()[:NAMES_SHOWN])
        open_ones = ", ".join(f"{one.name}/<model>" for one in self._providers.values() if not one.models)
        known = ", ".join(one for one in (listed, open_ones) if one)
        return f"Known models: {known}." if known else "No provider is configured: set a key such as ANTHROPIC_API_KEY."


def factory(spec: ProviderSpec) -> OpenModel:
    """Return what makes the models of a provider.

    Raises:
        InvalidInput: There is no adapter of its kind, or it is none for tenants.
    """
    module = ADAPTERS.get(spec.kind)
    if module is None or (spec.is_foreign and spec.kind not in FOREIGN_KINDS):
        raise InvalidInput(f"The provider {spec.name!r} is of the unknown kind {spec.kind!r}")
    open_model: OpenModel = import_module(module).open_model  # an adapter costs its imports only where it is used
    return open_model
