"""Projects: made, listed, seen, changed, deleted. Spec: platform-api 6.1."""

from __future__ import annotations

from domain import limits
from domain.permissions import WHOLE_TENANT, Permission, insufficient
from gateway.access import Admission, Admitted, caller
from gateway.audited import Asking
from gateway.bodies.projects import (
    NewProjectBody,
    ProjectChangeBody,
    ProjectListReply,
    ProjectReply,
    project_item,
)
from gateway.envelope import DeletedReply, Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.services import Serving

CREATED = 201
READER = caller("api_key", "user", permission=Permission.PROJECT_READ)

router = guarded_router("/api/projects", "projects")


def visible_to(admitted: Admission) -> list[str] | None:
    """Return the projects that a caller sees, None for all of the tenant."""
    if admitted.caller.project_id:
        return [admitted.caller.project_id]
    return None if admitted.caller.projects is None else sorted(admitted.caller.projects)


@router.get("", response_model=ProjectListReply, dependencies=[READER])
async def list_projects(
    admitted: Admitted, services: Serving, limit: PageLimit = limits.PAGE_LIMIT_DEFAULT, offset: Offset = 0
) -> ProjectListReply:
    """Return the projects that the caller sees, the oldest first."""
    tenant_id = admitted.caller.tenant_id
    page = await services.desks.projects.list(tenant_id, visible_to(admitted), limit=limit, offset=offset)
    return ProjectListReply(
        projects=[project_item(tenant_id, one) for one in page.rows],
        pagination=Totals(total=page.total, limit=limit, offset=offset),
    )


@router.post(
    "",
    status_code=CREATED,
    response_model=ProjectReply,
    dependencies=[caller("api_key", "user", permission=Permission.PROJECT_CREATE, replay="reply")],
)
async def create_project(body: NewProjectBody, admitted: Admitted, asking: Asking, services: Serving) -> ProjectReply:
    """Make a project; a person who makes it is its admin. A key of one project makes none: it would not see it."""
    if admitted.caller.project_id:
        raise insufficient(WHOLE_TENANT)
    tenant_id = admitted.caller.tenant_id
    made = await services.desks.projects.create(tenant_id, body.wanted(), asking)
    services.user_tokens.forget(tenant_id)  # its maker is a member now
    return ProjectReply(project=project_item(tenant_id, made))


@router.get("/{project_id}", response_model=ProjectReply, dependencies=[READER])
async def get_project(project_id: str, admitted: Admitted, services: Serving) -> ProjectReply:
    """Return a project."""
    tenant_id = admitted.caller.tenant_id
    return ProjectReply(project=project_item(tenant_id, await services.desks.projects.get(tenant_id, project_id)))


@router.patch(
    "/{project_id}",
    response_model=ProjectReply,
    dependencies=[caller("api_key", "user", permission=Permission.PROJECT_WRITE)],
)
async def change_project(
    project_id: str, body: ProjectChangeBody, admitted: Admitted, asking: Asking, services: Serving
) -> ProjectReply:
    """Change a project; what is not given stays."""
    tenant_id = admitted.caller.tenant_id
    changed = await services.desks.projects.change(tenant_id, project_id, body.change(), asking)
    return ProjectReply(project=project_item(tenant_id, changed))


@router.delete(
    "/{project_id}",
    response_model=DeletedReply,
    dependencies=[caller("api_key", "user", permission=Permission.PROJECT_DELETE)],
)
async def delete_project(project_id: str, admitted: Admitted, asking: Asking, services: Serving) -> DeletedReply:
    """End all sessions of a project and remove everything of it; it is there for nobody at once."""
    await services.desks.projects.delete(admitted.caller.tenant_id, project_id, asking)
    services.gate.forget_project(admitted.caller.tenant_id, project_id)
    return DeletedReply()
