"""Name -> model: which providers there are, and one ready model per name, wrapped in deadline, retry and fallback.

Imports an adapter only when a provider of its kind is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Final, TypeAlias

from domain.errors import InvalidInput, NotFound
from providers.addresses import AddressPolicy
from providers.chat.resilient import FallbackModel, Resilience, ResilientModel
from providers.http import HttpClient
from providers.ports import ChatModel
from providers.specs import ProviderSpec

ADAPTERS: Final[Mapping[str, str]] = {
    "openai_compatible": "providers.chat.openai_compatible",
    "scripted": "providers.chat.scripted",
    "mock": "providers.chat.scripted",
}
"""Kind -> the module whose `open_model(spec, model, client)` makes one."""

MILLISECONDS_PER_SECOND: Final = 1_000
DEFAULT_TIMEOUT_MS: Final = 30_000


OpenModel: TypeAlias = Callable[[ProviderSpec, str, HttpClient], ChatModel]


class ModelRegistry:
    """All chat models of a deployment. Model names are `provider/model`, or `model` where one provider lists it."""

    def __init__(
        self,
        providers: Iterable[ProviderSpec],
        *,
        client: HttpClient | None = None,
        resilience: Resilience | None = None,
    ) -> None:
        self._providers = {provider.name: provider for provider in providers}
        self._client = client or HttpClient(AddressPolicy(everything=True))
        self._resilience = resilience or Resilience()
        self._models: dict[str, ChatModel] = {}

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
        return None

    def open(self, model: str, *, fallback: str = "", timeout_ms: int = DEFAULT_TIMEOUT_MS) -> ChatModel:
        """Return the model, guarded by deadline, retry and breaker; `fallback` is asked when it fails.

        Raises:
            NotFound: No provider knows `model`; an unknown `fallback` is left out.
        """
        chosen = [ResilientModel(self._adapter(model), model, timeout_s=_s(timeout_ms), resilience=self._resilience)]
        if fallback and fallback != model and self.find(fallback) is not None:
            second = self._adapter(fallback)
            chosen.append(ResilientModel(second, fallback, timeout_s=_s(timeout_ms), resilience=self._resilience))
        return FallbackModel(chosen) if len(chosen) > 1 else chosen[0]

    async def close(self) -> None:
        """Close the connections of all models."""
        self._models.clear()
        await self._client.close()

    def _adapter(self, model: str) -> ChatModel:
        ready = self._models.get(model)
        if ready is not None:
            return ready
        found = self.find(model)
        if found is None:
            known = ", ".join(self.names()[:10]) or "none"
            raise NotFound(f"No provider knows the model {model!r}. Known models: {known}.")
        spec, name = found
        made = _factory(spec)(spec, name, self._client)
        self._models[model] = made
        return made


def _factory(spec: ProviderSpec) -> OpenModel:
    module = ADAPTERS.get(spec.kind)
    if module is None:
        raise InvalidInput(f"The provider {spec.name!r} is of the unknown kind {spec.kind!r}")
    open_model: OpenModel = import_module(module).open_model  # an adapter costs its imports only where it is used
    return open_model


def _s(timeout_ms: int) -> float:
    return timeout_ms / MILLISECONDS_PER_SECOND
