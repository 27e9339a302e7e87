"""`GET /api/audit-logs`: who did what, as a page or as CSV. Spec: platform-api 14.7."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from actors.runtime import Caller
from domain import limits
from domain.audit import AuditCategory, AuditFilter, Outcome
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.bodies.audit import AuditListReply, audit_item
from gateway.bodies.moments import moment_of
from gateway.bodies.texts import QueryMoment, QueryText
from gateway.envelope import Offset, PageLimit, Totals, json_response
from gateway.guarded import guarded_router
from gateway.services import Serving
from gateway.started import started
from gateway.visible import visible_projects

OF_TENANT: Final = ""
CSV: Final = "text/csv"
CSV_TOO: dict[int | str, dict[str, Any]] = {200: {"content": {CSV: {"schema": {"type": "string"}}}}}

router = guarded_router("/api/audit-logs", "audit")


@router.get(
    "",
    response_model=AuditListReply,
    responses=CSV_TOO,
    dependencies=[caller("api_key", "user", permission=Permission.AUDIT_READ)],
)
async def list_audit_entries(
    admitted: Admitted,
    services: Serving,
    since: Annotated[QueryMoment, Query(alias="from")] = "",
    until: Annotated[QueryMoment, Query(alias="to")] = "",
    action: QueryText = "",
    category: AuditCategory | None = None,
    actor_id: Annotated[QueryText, Query(alias="actorId")] = "",
    project_id: Annotated[QueryText, Query(alias="projectId")] = "",
    outcome: Outcome | None = None,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
    format_: Annotated[Literal["csv"] | None, Query(alias="format")] = None,
) -> Response:
    """Return what was done in the tenant, the newest first; as CSV all of it, without pages."""
    who = admitted.caller
    if project_id:
        await services.gate.check_project(who, project_id)
    wanted = AuditFilter(
        since=moment_of(since),
        until=moment_of(until),
        action=action,
        category=category or "",
        actor_id=actor_id,
        project_id=project_id,
        outcome=outcome or "",
        project_ids=_seen(who),
    )
    if format_ is not None:
        lines = await started(services.desks.audit.csv(who.tenant_id, wanted))
        name = f"audit-{services.clock.now():%Y-%m-%d}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return StreamingResponse(lines, media_type=f"{CSV}; charset=utf-8", headers=headers)
    records, total = await services.desks.audit.page(who.tenant_id, wanted, limit=limit, offset=offset)
    reply = AuditListReply(
        entries=[audit_item(one) for one in records], pagination=Totals(total=total, limit=limit, offset=offset)
    )
    return json_response(reply.model_dump(mode="json", by_alias=True))


def _seen(who: Caller) -> tuple[str, ...] | None:
    """Return the projects whose entries a caller sees; the tenant's own are not for keys of one project."""
    projects = visible_projects(who, Permission.AUDIT_READ)
    return projects if projects is None or who.project_id else (*projects, OF_TENANT)
