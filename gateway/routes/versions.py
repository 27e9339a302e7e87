"""Versions of agents: frozen, seen, compared; they never change. Spec: platform-api 6.3."""

from __future__ import annotations

from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.agents import (
    DiffReply,
    NewVersionBody,
    VersionListReply,
    VersionReply,
    version_detail,
    version_item,
)
from gateway.bodies.texts import QueryText
from gateway.guarded import guarded_router
from gateway.services import Serving

CREATED = 201
READER = caller("api_key", "user", permission=Permission.AGENT_READ)

router = guarded_router("/api/projects/{project_id}/agents/{agent_name}/versions", "versions")


@router.get("", response_model=VersionListReply, dependencies=[READER])
async def list_versions(
    project_id: str, agent_name: QueryText, admitted: Admitted, services: Serving
) -> VersionListReply:
    """Return the versions of an agent, the newest first."""
    found = await services.desks.versions.list(admitted.caller.tenant_id, project_id, agent_name)
    return VersionListReply(versions=[version_item(one) for one in found])


@router.post(
    "",
    status_code=CREATED,
    response_model=VersionReply,
    dependencies=[caller("api_key", "user", permission=Permission.AGENT_WRITE, replay="reply")],
)
async def create_version(
    project_id: str,
    agent_name: QueryText,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
    body: NewVersionBody | None = None,
) -> VersionReply:
    """Freeze the draft of an agent, which has to compile."""
    wanted = (body or NewVersionBody()).wanted()
    made = await services.desks.versions.create(admitted.caller.tenant_id, project_id, agent_name, wanted, asking)
    return VersionReply(version=version_detail(made))


@router.get("/{version}", response_model=VersionReply, dependencies=[READER])
async def get_version(
    project_id: str, agent_name: QueryText, version: QueryText, admitted: Admitted, services: Serving
) -> VersionReply:
    """Return a version with its text."""
    found = await services.desks.versions.get(admitted.caller.tenant_id, project_id, agent_name, version)
    return VersionReply(version=version_detail(found))


@router.get("/{version}/diff/{other}", response_model=DiffReply, dependencies=[READER])
async def diff_versions(
    project_id: str,
    agent_name: QueryText,
    version: QueryText,
    other: QueryText,
    admitted: Admitted,
    services: Serving,
) -> DiffReply:
    """Return what is different in the other version, as a unified diff."""
    desk = services.desks.versions
    return DiffReply(diff=await desk.diff(admitted.caller.tenant_id, project_id, agent_name, version, other))
