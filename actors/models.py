"""The models of each project: those of the installation, and those that its tenant brings, with keys of their own.

The order of wishes is `providers.resolve`'s; here they are collected. What is read is kept for `KEPT_S`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from actors.reported_models import ReportedModels
from actors.session.models import ChosenModel
from actors.session.store import SessionPin
from domain.errors import LastingOutage, NotFound, Unavailable
from domain.json_values import JsonObject
from domain.model_calls import Message, ModelRequest
from domain.models import ProjectModels, Resolved
from domain.recent import Recent
from engine import AskModel
from providers.catalog import DEFAULTS, fetches_images, sees_images, vendor_of
from providers.registry import ModelRegistry
from providers.resolve import ModelWishes, find_model, resolve_model
from providers.retry import Seconds
from providers.specs import Price, ProviderSpec
from storage.database import Database
from storage.repositories.deployments import Deployments
from storage.repositories.model_providers import ModelProviders, OpenProvider
from storage.repositories.projects import Projects
from storage.vault import Vault

KEPT_S: Final = 10.0
"""How long a change of keys or defaults may take to be seen."""
MAX_KEPT: Final = 1_000
CHECK_TOKENS: Final = 16
BALANCED: Final = "balanced"
EMBEDDED: Final = "embedded"
Form = TypeVar("Form")


class _Override(Struct, rename="camel"):
    """What a deployment says of the calls of one agent. Spec: platform-api 6.4."""

    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None


class _ModelRow(Struct, rename={"input": "inputPricePerMTok", "output": "outputPricePerMTok"}):
    """A model of a provider, as far as calls need it; prices in US dollars. Spec: platform-api 14.5."""

    id: str
    input: float | None = None
    output: float | None = None
    cached: float | None = msgspec.field(default=None, name="cachedInputPricePerMTok")
    written: float | None = msgspec.field(default=None, name="cacheWritePricePerMTok")
    most_tokens: int | None = msgspec.field(default=None, name="maxOutputTokens")
    takes_tools: bool | None = msgspec.field(default=None, name="supportsTools")
    sees_images: bool | None = msgspec.field(default=None, name="supportsImages")


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of one project under one deployment."""

    registry: ModelRegistry
    wishes: ModelWishes
    overrides: Mapping[str, _Override] = field(default_factory=dict)
    specs: Sequence[ProviderSpec] = ()
    rows: Mapping[str, _ModelRow] = field(default_factory=dict)
    """`provider/model` -> what a tenant's provider says of it."""

    def serves(self, model: str) -> bool:
        """Return whether a provider serves a model name."""
        return self.registry.find(model) is not None

    def resolved(self, wishes: ModelWishes) -> ChosenModel:
        """Return the model of the first who names one that is served. Raises as `resolve_model`."""
        found = resolve_model(wishes, knows=self.serves)
        name = self.registry.full_name(found.model)
        row = self.rows.get(name) or _ModelRow(name)
        served = self.registry.find(name)
        is_known_to_see = served is not None and sees_images(*served)
        return ChosenModel(
            self.registry,
            name,
            found.source,
            most_tokens=row.most_tokens,
            takes_tools=row.takes_tools is not False,
            sees_images=is_known_to_see if row.sees_images is None else row.sees_images,
            fetches_images=served is not None and fetches_images(served[0]),
        )


class StoredModels:
    """Satisfies `actors.session.models.Models`."""

    def __init__(
        self,
        installed: ModelRegistry,
        default_model: str,
        database: Database,
        vault: Vault,
        *,
        reported: ReportedModels | None = None,
        seconds: Seconds = time.monotonic,
    ) -> None:
        """`reported` knows the names under which usage and traces tell of models."""
        self._reported = reported
        self._installed = installed
        self._default = default_model
        self._providers = ModelProviders(database, vault)
        self._projects = Projects(database)
        self._deployments = Deployments(database)
        self._kept: Recent[tuple[str, str, str], _Known] = Recent(KEPT_S, MAX_KEPT, seconds)
        self._reading = asyncio.Lock()

    async def choose(self, pin: SessionPin, effect: AskModel) -> ChosenModel:
        """Return the model of a session's call. Raises Unavailable."""
        known = await self._known((pin.tenant_id, pin.project_id, pin.deployment_id))
        asked = effect.request.model
        is_fallback = bool(asked) and asked == effect.fallback_model  # the first one has failed: not that one again
        override = known.overrides.get(effect.agent, _Override()) if not is_fallback else _Override()
        chosen = known.resolved(replace(known.wishes, deployment=override.model, agent=asked))
        return replace(chosen, temperature=override.temperature, max_tokens=override.max_tokens)

    async def resolve(self, tenant_id: str, project_id: str, *, model_id: str = "", tier: str = "") -> ChosenModel:
        """Return the model of a call without an agent; `tier` counts where no model is named. Spec: platform-api 4.3.

        Raises:
            InvalidInput: Nobody serves `model_id`.
            Unavailable: Nobody has named a model that is served, or a key cannot be opened.
        """
        known = await self._known((tenant_id, project_id, ""))
        return known.resolved(replace(known.wishes, override=model_id, tier=tier))

    async def has_model(self, pin: SessionPin) -> bool:
        """Return whether a call that names no model would find one."""
        known = await self._known((pin.tenant_id, pin.project_id, pin.deployment_id))
        try:
            return find_model(known.wishes, knows=known.serves) is not None
        except LastingOutage:  # the project has chosen one that is gone
            return False

    async def for_completion(self, tenant_id: str, project_id: str, *, model_id: str, tier: str) -> ChosenModel:
        """Return the model of a call without an agent; a tier is not looked at where a model is named.

        Raises:
            InvalidInput: `model_id` is none that is served.
            Unavailable: No model is configured.
        """
        known = await self._known((tenant_id, project_id, ""))
        model_id = await self.name_served(tenant_id, project_id, model_id) or model_id
        return known.resolved(replace(known.wishes, override=model_id, tier="" if model_id else tier))

    async def explain(
        self,
        tenant_id: str,
        project_id: str,
        *,
        deployment_id: str = "",
        agent: str = "",
        asked: str = "",
        tier: str = "",
    ) -> Resolved:
        """Return which model the calls of an agent go to, or those without one. Spec: platform-api 14.5.

        Args:
            tenant_id: Whose project it is.
            project_id: The project.
            deployment_id: What the agent is deployed with, if it is.
            agent: Its name.
            asked: The model that its definition names.
            tier: What the request, or the agent, asks for instead.

        Raises:
            Unavailable: Nobody has named a model that is served.
        """
        known = await self._known((tenant_id, project_id, deployment_id))
        override = known.overrides.get(agent, _Override())
        chosen = known.resolved(replace(known.wishes, deployment=override.model, agent=asked, tier=tier))
        name = chosen.name.partition("/")[0]
        opened = await self._providers.list(tenant_id, project_id)
        provider_id = next((one.provider_id for one in opened if one.name == name), name)
        return Resolved(chosen.name, provider_id, chosen.source)

    async def name_served(self, tenant_id: str, project_id: str, model: str) -> str:
        """Return a name under which a provider of a project serves a model: as given, or as its usage reports it.

        Empty when nobody does.
        """
        known = await self._known((tenant_id, project_id, ""))
        if not model or known.serves(model):
            return model
        found = await self._reported.full_names(tenant_id, project_id, model) if self._reported is not None else ()
        return next((name for name in found if known.serves(name)), "")

    async def answers(self, spec: ProviderSpec, model: str, scope: str, timeout_ms: int) -> None:
        """Ask a tenant's provider for a word, past what is kept and counted. Raises what the call raises."""
        registry = self._installed.extended([spec], scope)
        request = ModelRequest(messages=(Message("user", "Say OK."),), max_tokens=CHECK_TOKENS)
        await registry.open(f"{spec.name}/{model}", timeout_ms=timeout_ms).answer(request)

    def forget(self, tenant_id: str) -> None:
        """Read the models of a tenant's projects again: they were changed here."""
        self._kept.forget_all(lambda key: key[0] == tenant_id)

    async def _known(self, key: tuple[str, str, str]) -> _Known:
        if (known := self._kept.get(key)) is not None:
            return known
        async with self._reading:
            if (known := self._kept.get(key)) is not None:
                return known
            last = self._kept.last(key)
            try:
                known = await self._read(key, last)
            except Unavailable:
                if last is None:
                    raise
                known = last  # the store is away for a moment: what was true a moment ago serves
            self._kept.put(key, known)
            return known

    async def _read(self, key: tuple[str, str, str], last: _Known | None) -> _Known:
        tenant_id, project_id, deployment_id = key
        opened = nearest(await self._providers.resolve(tenant_id, project_id))
        project = await self._projects.find(tenant_id, project_id)
        models = _converted(project.settings.get("models") if project else None, ProjectModels)
        specs = [spec_of(one) for one in opened]
        if last is not None and last.specs == specs:
            registry = last.registry
        elif specs:
            registry = self._installed.extended(specs, f"{tenant_id}/{project_id}/")
        else:
            registry = self._installed
        own = _first_default([one for one in opened if one.meta.project_id is not None])
        shared = _first_default([one for one in opened if one.meta.project_id is None])
        installed = registry.find(self._default)
        is_embedded = installed is not None and installed[0].kind == EMBEDDED
        tenant = shared if is_embedded or registry.find(shared) is not None else self._default
        project_model = models.default_model_id or own
        wishes = ModelWishes(
            tiers={**tiers_of(registry, project_model or tenant), **models.tiers},
            project=project_model,
            tenant=tenant,
            embedded=self._default if is_embedded else "",
        )
        return _Known(registry, wishes, await self._overrides(tenant_id, deployment_id), specs, _rows_of(opened))

    async def _overrides(self, tenant_id: str, deployment_id: str) -> Mapping[str, _Override]:
        if not deployment_id:
            return {}
        try:
            deployment = await self._deployments.get(tenant_id, deployment_id)
        except NotFound:
            return {}
        return _converted(deployment.details.get("modelOverrides"), dict[str, _Override])


def nearest(opened: Sequence[OpenProvider]) -> Sequence[OpenProvider]:
    """Return one provider of each name, the first: a project's own come before those of its tenant."""
    named: dict[str, OpenProvider] = {}
    for one in opened:
        named.setdefault(one.meta.name, one)
    return list(named.values())


def spec_of(provider: OpenProvider) -> ProviderSpec:
    """Return a tenant's provider as the registry takes it: its address is judged, the operator has not seen it."""
    meta = provider.meta
    rows = _model_rows(provider)
    prices = {
        one.id: Price(one.input, one.output, one.cached, one.written)
        for one in rows
        if one.input is not None and one.output is not None
    }
    return ProviderSpec(
        name=meta.name,
        kind=meta.kind,
        base_url=meta.base_url,
        api_key=provider.api_key,
        models=tuple(one.id for one in rows),
        options=meta.options,
        prices=prices,
        is_foreign=True,
    )


def _model_rows(provider: OpenProvider) -> list[_ModelRow]:
    return [_converted(one, _ModelRow) for one in provider.meta.models]


def _rows_of(opened: Sequence[OpenProvider]) -> Mapping[str, _ModelRow]:
    """Return what providers say of their models, by `provider/model`."""
    return {f"{one.meta.name}/{row.id}": row for one in opened for row in _model_rows(one)}


def tiers_of(registry: ModelRegistry, model: str) -> dict[str, str]:
    """Return the models that a vendor has for each tier, where a model's provider serves any of that vendor."""
    found = registry.find(model)
    if found is None or found[0].models:
        return {}
    spec = found[0]
    return {tier: f"{spec.name}/{name}" for tier, name in DEFAULTS.get(vendor_of(spec), {}).items()}


def first_model(provider: OpenProvider) -> str:
    """Return what is asked of a provider where nobody names a model of it, empty when it has none to ask."""
    rows = _model_rows(provider)
    named = provider.meta.default_model or (rows[0].id if rows else "")
    return named or DEFAULTS.get(vendor_of(spec_of(provider)), {}).get(BALANCED, "")


def _first_default(opened: Sequence[OpenProvider]) -> str:
    """Return what is asked of the default one of these providers, empty when none is one that has a model to ask."""
    marked = (one for one in opened if one.meta.is_default)
    return next((f"{one.meta.name}/{name}" for one in marked if (name := first_model(one))), "")


def _converted(written: JsonObject | None, form: type[Form]) -> Form:
    """Return what is stored in a form of ours.

    Raises:
        LastingOutage: It is of another form; the sentence says where.
    """
    try:
        return msgspec.convert(written or {}, form)
    except msgspec.ValidationError as error:
        raise LastingOutage(f"The models of this project are configured wrongly: {error}") from error
