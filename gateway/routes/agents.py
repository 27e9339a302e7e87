"""Agents of projects and of a tenant: their drafts written, checked, renamed, removed. Spec: platform-api 6.2."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from domain import limits
from domain.clock import iso_ms
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.agents import (
    AgentChangeBody,
    AgentListReply,
    AgentReply,
    DraftBody,
    MadeAgentReply,
    NewAgentBody,
    SavedReply,
    TenantAgentReply,
    TenantAgentsReply,
    ValidateBody,
    ValidatedReply,
    agent_detail,
    agent_item,
    diagnostics,
    named_agent,
    tenant_agent,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import DeletedReply, Offset, PageLimit
from gateway.guarded import guarded_router
from gateway.routes.projects import visible_to
from gateway.services import Serving

CREATED = 201
CACHED = "private, max-age=300"
SEER = caller("api_key", "user", permission=Permission.PROJECT_READ)
READER = caller("api_key", "user", permission=Permission.AGENT_READ)
WRITER = caller("api_key", "user", permission=Permission.AGENT_WRITE)

of_tenant = guarded_router("/api/agents", "agents")
of_project = guarded_router("/api/projects/{project_id}/agents", "agents")


@of_tenant.get("", response_model=TenantAgentsReply, dependencies=[SEER])
async def list_tenant_agents(
    admitted: Admitted, services: Serving, limit: PageLimit = limits.PAGE_LIMIT_DEFAULT, offset: Offset = 0
) -> TenantAgentsReply:
    """Return the agents of all projects that the caller sees, the oldest first."""
    found = await services.desks.agents.names(
        admitted.caller.tenant_id, visible_to(admitted), limit=limit, offset=offset
    )
    return TenantAgentsReply(agents=[named_agent(one) for one in found.rows], total=found.total)


@of_tenant.get("/{agent_name}", response_model=TenantAgentReply, dependencies=[SEER])
async def get_tenant_agent(
    agent_name: QueryText,
    admitted: Admitted,
    services: Serving,
    response: Response,
    project_id: Annotated[QueryText, Query(alias="projectId")] = "",
) -> TenantAgentReply:
    """Return an agent by name; when several projects have one, that of the oldest, or of `projectId`."""
    visible = visible_to(admitted)
    if project_id:
        await services.gate.check_project(admitted.caller, project_id)
        visible = [project_id]
    found = await services.desks.agents.oldest(admitted.caller.tenant_id, visible, agent_name)
    response.headers["Cache-Control"] = CACHED
    return TenantAgentReply(agent=tenant_agent(found))


@of_project.get("", response_model=AgentListReply, dependencies=[READER])
async def list_agents(project_id: str, admitted: Admitted, services: Serving) -> AgentListReply:
    """Return the agents of a project, the oldest first."""
    found = await services.desks.agents.list(admitted.caller.tenant_id, project_id)
    return AgentListReply(agents=[agent_item(one) for one in found])


@of_project.post(
    "",
    status_code=CREATED,
    response_model=MadeAgentReply,
    dependencies=[caller("api_key", "user", permission=Permission.AGENT_WRITE, replay="reply")],
)
async def create_agent(
    project_id: str, body: NewAgentBody, admitted: Admitted, asking: Asking, services: Serving
) -> MadeAgentReply:
    """Make an agent; what is wrong with its text is told, not refused."""
    made = await services.desks.agents.create(admitted.caller.tenant_id, project_id, body.wanted(), asking)
    return MadeAgentReply(agent=agent_detail(made.agent), diagnostics=diagnostics(made.diagnostics))


@of_project.get("/{agent_name}", response_model=AgentReply, dependencies=[READER])
async def get_agent(project_id: str, agent_name: QueryText, admitted: Admitted, services: Serving) -> AgentReply:
    """Return an agent with its draft."""
    found = await services.desks.agents.get(admitted.caller.tenant_id, project_id, agent_name)
    return AgentReply(agent=agent_detail(found))


@of_project.patch("/{agent_name}", response_model=AgentReply, dependencies=[WRITER])
async def change_agent(
    project_id: str,
    agent_name: QueryText,
    body: AgentChangeBody,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
) -> AgentReply:
    """Change name, domain or description of an agent; its text stays as it is."""
    changed = await services.desks.agents.change(
        admitted.caller.tenant_id, project_id, agent_name, body.change(), asking
    )
    return AgentReply(agent=agent_detail(changed))


@of_project.delete("/{agent_name}", response_model=DeletedReply, dependencies=[WRITER])
async def delete_agent(
    project_id: str, agent_name: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Delete an agent with its versions, unless an active deployment uses it."""
    await services.desks.agents.remove(admitted.caller.tenant_id, project_id, agent_name, asking)
    return DeletedReply()


@of_project.put("/{agent_name}/dsl", response_model=SavedReply, dependencies=[WRITER])
async def write_draft(
    project_id: str,
    agent_name: QueryText,
    body: DraftBody,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
) -> SavedReply:
    """Save the draft of an agent; it is neither compiled nor frozen."""
    at = await services.desks.agents.write(admitted.caller.tenant_id, project_id, agent_name, body.dsl_content, asking)
    return SavedReply(updated_at=iso_ms(at))


@of_project.post(
    "/{agent_name}/validate",
    response_model=ValidatedReply,
    dependencies=[caller("api_key", "user", permission=Permission.AGENT_READ, replay="reply", repeatable=True)],
)
async def validate_agent(
    project_id: str, agent_name: QueryText, admitted: Admitted, services: Serving, body: ValidateBody | None = None
) -> ValidatedReply:
    """Return what is found in the draft of an agent, or in the text that is given."""
    text = body.dsl_content if body is not None else None
    found = await services.desks.agents.validate(admitted.caller.tenant_id, project_id, agent_name, text)
    told = diagnostics(found)
    return ValidatedReply(valid=all(one.severity != "error" for one in told), diagnostics=told)
