"""The providers of models that tenants bring, and the models that projects take of them. Spec: platform-api 14.5."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from actors.models import StoredModels, first_model, spec_of
from actors.programs import StoredPrograms
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import AppError, Conflict, InvalidInput, NotFound
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.models import (
    KEYED,
    NO_PORT,
    ProjectModels,
    ProviderCheck,
    ProviderFields,
    ProviderStatus,
    ProviderView,
    Resolved,
    destination,
)
from engine.prompts import reasoning_model
from providers.addresses import OF_ONES_OWN, AddressPolicy, host_refusal
from providers.registry import FOREIGN_KINDS
from storage.database import Connection, Database
from storage.errors import Duplicate
from storage.repositories.audit import AuditLog
from storage.repositories.model_providers import ModelProviders, NewProvider, OpenProvider, ProviderMeta
from storage.repositories.project_models import clear_provider, put_project_models
from storage.repositories.projects import Projects
from storage.vault import Vault

KIND: Final = "model_provider"
MAX_PROVIDERS: Final = 50
"""Of one tenant: all of them are read for a call."""
CHECK_TIMEOUT_MS: Final = 10_000
ERROR_SHOWN_CHARS: Final = 500
NO_PROVIDER: Final = "Provider not found"
HIDDEN: Final = "***"


class ModelDesk(Protocol):
    """Providers of tenants, which all of its projects may use, and the models of projects."""

    async def list(self, tenant_id: str) -> Sequence[ProviderView]:
        """Return the providers of a tenant, the oldest first."""
        ...

    async def add(self, tenant_id: str, wanted: ProviderFields, api_key: str, by: Initiator) -> ProviderView:
        """Keep a new provider.

        Raises:
            InvalidInput: Tenants bring none of this kind, or at no such address, or there are too many.
            Conflict: The name is taken (DUPLICATE_NAME).
            Unavailable: There is no master key to seal its key under.
        """
        ...

    async def change(
        self, tenant_id: str, provider_id: str, changes: JsonObject, api_key: str | None, by: Initiator
    ) -> ProviderView:
        """Change fields of a provider, by their names in `ProviderFields`; an empty key takes it away, None keeps it.

        None takes it away too where kind, scheme, host or port change: it was given for another server.

        Raises:
            NotFound: There is no such provider. Else as `add`.
        """
        ...

    async def remove(self, tenant_id: str, provider_id: str, by: Initiator) -> None:
        """Remove a provider, and what projects take of it as their models. Raises NotFound."""
        ...

    async def check(self, tenant_id: str, provider_id: str) -> ProviderCheck:
        """Ask a provider for a word; what goes wrong is told, not raised. Raises NotFound."""
        ...

    async def of_project(self, tenant_id: str, project_id: str) -> ProjectModels:
        """Return the models that a project takes. Raises NotFound."""
        ...

    async def put(self, tenant_id: str, project_id: str, models: ProjectModels, by: Initiator) -> ProjectModels:
        """Put them in the place of the last ones. Raises InvalidInput: Nobody serves one of them."""
        ...

    async def resolve(self, tenant_id: str, project_id: str, *, tier: str, agent: str) -> Resolved:
        """Return the model of a call, of an agent where one is named.

        Raises:
            NotFound: There is no such agent.
            Unavailable: Nobody has named a model that is served.
        """
        ...


class StoredModelDesk:
    """Satisfies `ModelDesk`."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        models: StoredModels,
        programs: StoredPrograms,
        audit: AuditLog,
        ids: IdSource,
        policy: AddressPolicy,
    ) -> None:
        self._database = database
        self._providers = ModelProviders(database, vault)
        self._projects = Projects(database)
        self._models = models
        self._programs = programs
        self._audit = audit
        self._ids = ids
        self._policy = policy

    async def list(self, tenant_id: str) -> Sequence[ProviderView]:
        """Return the providers of a tenant, the oldest first."""
        metas = await self._providers.list(tenant_id)
        default = next((one.provider_id for one in metas if one.is_default and _has_model(one)), "")
        return [_view(one, is_default=one.provider_id == default) for one in metas]

    async def add(self, tenant_id: str, wanted: ProviderFields, api_key: str, by: Initiator) -> ProviderView:
        """Keep a new provider."""
        _check_kind(wanted.kind)
        self._check_address(wanted.kind, wanted.base_url)
        if len(await self._providers.list(tenant_id)) >= MAX_PROVIDERS:
            raise InvalidInput(f"There are {MAX_PROVIDERS} providers already; delete one first")
        provider_id, provider = self._ids.new(PREFIXES[KIND]), NewProvider(**msgspec.structs.asdict(wanted))
        try:
            async with self._database.transaction() as connection:
                meta = await self._providers.create(tenant_id, provider_id, provider, api_key or None, connection)
                if meta.is_default:
                    await self._providers.make_only_default(connection, tenant_id, meta)
                await self._note(connection, tenant_id, meta, "create", by, {"kind": meta.kind})
        except Duplicate as error:
            raise _taken() from error
        return await self._shown(tenant_id, provider_id)

    async def change(
        self, tenant_id: str, provider_id: str, changes: JsonObject, api_key: str | None, by: Initiator
    ) -> ProviderView:
        """Change fields of a provider."""
        try:
            async with self._database.transaction() as connection:
                before = _of_all(await self._providers.hold(connection, tenant_id, provider_id))
                known = {name: getattr(before, name) for name in NewProvider.__struct_fields__}
                provider = NewProvider(**{**known, **changes})
                _check_kind(provider.kind)
                if "base_url" in changes:
                    self._check_address(provider.kind, provider.base_url)
                meta = await self._providers.update(tenant_id, provider_id, provider, api_key, connection)
                if changes.get("is_default"):
                    await self._providers.make_only_default(connection, tenant_id, meta)
                has_new_key = api_key is not None or meta.has_key != before.has_key
                fields = sorted([*changes, *(["api_key"] if has_new_key else [])])
                await self._note(connection, tenant_id, meta, "update", by, {"fields": fields})
        except Duplicate as error:
            raise _taken() from error
        return await self._shown(tenant_id, provider_id)

    async def remove(self, tenant_id: str, provider_id: str, by: Initiator) -> None:
        """Remove a provider, and what projects take of it as their models."""
        meta = await self._of_tenant(tenant_id, provider_id)
        others = [one for one in await self._providers.list(tenant_id) if one.provider_id != provider_id]
        own = _listed([meta]) - _listed(others)
        async with self._database.transaction() as connection:
            if not await self._providers.delete(tenant_id, provider_id, connection):
                raise NotFound(NO_PROVIDER)
            changed = await clear_provider(connection, tenant_id, meta.name, own)
            await self._note(connection, tenant_id, meta, "delete", by, {"kind": meta.kind, "projects": len(changed)})
            for project_id, models in changed.items():
                await self._audit.append(connection, tenant_id, _taken_by(project_id, models, by))
        self._models.forget(tenant_id)

    async def check(self, tenant_id: str, provider_id: str) -> ProviderCheck:
        """Ask a provider for a word."""
        await self._of_tenant(tenant_id, provider_id)
        opened = await self._opened(tenant_id, provider_id)
        began = time.monotonic()
        error = ""
        try:
            model = first_model(opened)
            if not model:
                raise InvalidInput("The provider names no model to ask")
            await self._models.answers(spec_of(opened), model, f"check/{tenant_id}/{provider_id}/", CHECK_TIMEOUT_MS)
        except AppError as failure:
            error = _without_key(str(failure), opened.api_key)
        return ProviderCheck(latency_ms=round((time.monotonic() - began) * 1_000), error=error)

    async def of_project(self, tenant_id: str, project_id: str) -> ProjectModels:
        """Return the models that a project takes."""
        project = await self._projects.get(tenant_id, project_id)
        return msgspec.convert(project.settings.get("models") or {}, ProjectModels)

    async def put(self, tenant_id: str, project_id: str, models: ProjectModels, by: Initiator) -> ProjectModels:
        """Put them in the place of the last ones."""
        named = {
            "/defaultModelId": models.default_model_id,
            **{f"/tiers/{one}": to for one, to in models.tiers.items()},
        }
        served = {
            path: await self._models.name_served(tenant_id, project_id, model) for path, model in named.items() if model
        }
        fields = [
            {"path": path, "message": f"nobody serves {named[path]}"} for path, model in served.items() if not model
        ]
        if fields:
            raise InvalidInput("Invalid request", details={"fields": fields})
        models = msgspec.structs.replace(
            models,
            default_model_id=served.get("/defaultModelId", ""),
            tiers={one: served[f"/tiers/{one}"] for one, to in models.tiers.items() if to},
        )
        written: JsonObject = msgspec.to_builtins(models)
        async with self._database.transaction() as connection:
            await put_project_models(connection, tenant_id, project_id, written)
            await self._audit.append(connection, tenant_id, _taken_by(project_id, written, by))
        self._models.forget(tenant_id)
        return models

    async def resolve(self, tenant_id: str, project_id: str, *, tier: str, agent: str) -> Resolved:
        """Return the model of a call."""
        if not agent:
            return await self._models.explain(tenant_id, project_id, tier=tier)
        chosen = await self._programs.choose(tenant_id, project_id, deployment_id="", environment="", agent=agent)
        found = (await self._programs.get(tenant_id, project_id, chosen.program_id)).find(agent)
        if found is None:
            raise NotFound("Agent not found")
        return await self._models.explain(
            tenant_id,
            project_id,
            deployment_id=chosen.deployment_id,
            agent=found.name,
            asked=reasoning_model(found.ir["execution"]),
            tier=tier,
        )

    def _check_address(self, kind: str, base_url: str) -> None:
        """Refuse an address at which no server of models can be; any other is judged when it is called.

        Raises:
            InvalidInput: It is a cloud's metadata service, link-local, or kept for something else. Decision: 0018.
        """
        place = destination(kind, base_url)
        if not place.host:
            return
        judged = host_refusal(place.host, place.port or NO_PORT, self._policy)
        if judged is not None and judged not in OF_ONES_OWN:
            message = f"may not be called: {place.host} is {judged}"
            raise InvalidInput("Invalid request", details={"fields": [{"path": "/baseUrl", "message": message}]})

    async def _of_tenant(self, tenant_id: str, provider_id: str) -> ProviderMeta:
        """Return a provider that is no project's own. Raises NotFound."""
        return _of_all(await self._providers.get(tenant_id, provider_id))

    async def _opened(self, tenant_id: str, provider_id: str) -> OpenProvider:
        for one in await self._providers.resolve(tenant_id, ""):
            if one.meta.provider_id == provider_id:
                return one
        raise NotFound(NO_PROVIDER)

    async def _shown(self, tenant_id: str, provider_id: str) -> ProviderView:
        self._models.forget(tenant_id)
        for one in await self.list(tenant_id):
            if one.id == provider_id:
                return one
        raise NotFound(NO_PROVIDER)

    async def _note(
        self, connection: Connection, tenant_id: str, meta: ProviderMeta, verb: str, by: Initiator, details: JsonObject
    ) -> None:
        entry = AuditEntry(
            by=by,
            action=f"{KIND}.{verb}",
            category=AuditCategory.CREDENTIALS,
            resource=Resource(KIND, meta.provider_id, meta.name),
            details=details,
        )
        await self._audit.append(connection, tenant_id, entry)


def _taken_by(project_id: str, models: JsonObject, by: Initiator) -> AuditEntry:
    return AuditEntry(
        by=by,
        action="project_models.update",
        category=AuditCategory.PROJECT,
        resource=Resource("project", project_id),
        project_id=project_id,
        details={"models": models},
    )


def _listed(metas: Sequence[ProviderMeta]) -> set[str]:
    """Return the names of the models that some providers list."""
    return {name for one in metas for name in spec_of(OpenProvider(one, "")).models}


def _of_all(meta: ProviderMeta) -> ProviderMeta:
    """Return a provider for all projects of its tenant. Raises NotFound: it is a project's own."""
    if meta.project_id is not None:
        raise NotFound(NO_PROVIDER)
    return meta


def _check_kind(kind: str) -> None:
    if kind not in FOREIGN_KINDS:
        raise InvalidInput(
            "Invalid request",
            details={"fields": [{"path": "/kind", "message": "the embedded model is the installation's own"}]},
        )


def _has_model(meta: ProviderMeta) -> bool:
    return bool(first_model(OpenProvider(meta, "")))


def _view(meta: ProviderMeta, *, is_default: bool) -> ProviderView:
    status: ProviderStatus = "ready"
    if not _has_model(meta):
        status = "no_model"
    elif meta.kind in KEYED and not meta.has_key:
        status = "needs_key"
    return ProviderView(
        id=meta.provider_id,
        name=meta.name,
        kind=meta.kind,
        base_url=meta.base_url,
        models=meta.models,
        has_api_key=meta.has_key,
        is_default=is_default,
        status=status,
    )


def _without_key(text: str, key: str) -> str:
    return (text.replace(key, HIDDEN) if key else text)[:ERROR_SHOWN_CHARS] or "It did not answer"


def _taken() -> Conflict:
    return Conflict("There is a provider of this name", details={"reason": "DUPLICATE_NAME"})
