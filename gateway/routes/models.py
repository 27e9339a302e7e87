"""Model providers of a tenant, and the models that a project takes. Spec: platform-api 14.5."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query

from domain import limits
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.models import (
    ProjectModelsBody,
    ProjectModelsReply,
    ProviderBody,
    ProviderListReply,
    ProviderPatch,
    ProviderReply,
    ProviderTestReply,
    ResolvedReply,
    check_reply,
    new_provider,
    project_models,
    project_models_reply,
    provider_changes,
    provider_item,
    resolved_reply,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import DeletedReply, Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.services import Serving
from gateway.visible import of_whole_tenant

CREATED = 201
READER = caller("api_key", "user", permission=Permission.MODEL_READ)
WRITER = caller("api_key", "user", permission=Permission.MODEL_WRITE)
MAKER = caller("api_key", "user", permission=Permission.MODEL_WRITE, replay="reply")

providers = guarded_router("/api/model-providers", "models")
of_project = guarded_router("/api/projects/{project_id}/models", "models")


@providers.get("", response_model=ProviderListReply, dependencies=[READER])
async def list_providers(
    admitted: Admitted, services: Serving, limit: PageLimit = limits.PAGE_LIMIT_DEFAULT, offset: Offset = 0
) -> ProviderListReply:
    """Return the providers of models that the tenant brings, without their keys."""
    found = await services.desks.models.list(admitted.caller.tenant_id)
    return ProviderListReply(
        providers=[provider_item(one) for one in found[offset : offset + limit]],
        pagination=Totals(total=len(found), limit=limit, offset=offset),
    )


@providers.post("", status_code=CREATED, response_model=ProviderReply, dependencies=[MAKER])
async def add_provider(body: ProviderBody, admitted: Admitted, asking: Asking, services: Serving) -> ProviderReply:
    """Keep a provider for all projects of the tenant; its key is sealed and never shown."""
    who = of_whole_tenant(admitted.caller)
    made = await services.desks.models.add(who.tenant_id, new_provider(body), body.api_key or "", asking)
    return ProviderReply(provider=provider_item(made))


@providers.patch("/{provider_id}", response_model=ProviderReply, dependencies=[WRITER])
async def change_provider(
    provider_id: QueryText, body: ProviderPatch, admitted: Admitted, asking: Asking, services: Serving
) -> ProviderReply:
    """Change a provider."""
    who = of_whole_tenant(admitted.caller)
    desk, changes = services.desks.models, provider_changes(body)
    changed = await desk.change(who.tenant_id, provider_id, changes, body.api_key, asking)
    return ProviderReply(provider=provider_item(changed))


@providers.delete("/{provider_id}", response_model=DeletedReply, dependencies=[WRITER])
async def remove_provider(
    provider_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Remove a provider with its key."""
    who = of_whole_tenant(admitted.caller)
    await services.desks.models.remove(who.tenant_id, provider_id, asking)
    return DeletedReply()


@providers.post("/{provider_id}/test", response_model=ProviderTestReply, dependencies=[MAKER])
async def check_provider(provider_id: QueryText, admitted: Admitted, services: Serving) -> ProviderTestReply:
    """Ask a provider for a word, and tell how long that took or what went wrong."""
    who = of_whole_tenant(admitted.caller)
    return check_reply(await services.desks.models.check(who.tenant_id, provider_id))


@of_project.get("", response_model=ProjectModelsReply, dependencies=[READER])
async def get_project_models(project_id: str, admitted: Admitted, services: Serving) -> ProjectModelsReply:
    """Return the models that a project takes."""
    return project_models_reply(await services.desks.models.of_project(admitted.caller.tenant_id, project_id))


@of_project.put("", response_model=ProjectModelsReply, dependencies=[WRITER])
async def put_project_models(
    project_id: str, body: ProjectModelsBody, admitted: Admitted, asking: Asking, services: Serving
) -> ProjectModelsReply:
    """Put the models that a project takes in the place of the last ones."""
    wanted = project_models(body)
    return project_models_reply(await services.desks.models.put(admitted.caller.tenant_id, project_id, wanted, asking))


@of_project.get("/resolve", response_model=ResolvedReply, dependencies=[READER])
async def resolve_model(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    tier: Literal["fast", "balanced", "powerful", "voice"] | None = None,
    agent_name: Annotated[QueryText, Query(alias="agentName")] = "",
) -> ResolvedReply:
    """Return which model a call goes to, of an agent where one is named, and who named it."""
    tenant_id = admitted.caller.tenant_id
    found = await services.desks.models.resolve(tenant_id, project_id, tier=tier or "", agent=agent_name)
    return resolved_reply(found)
