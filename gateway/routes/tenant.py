"""`POST /api/tenant/erase`: everything of a tenant, for its owner alone. Spec: platform-api 2.3."""

from __future__ import annotations

from domain.errors import InvalidInput
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.tenant import EraseBody, ErasedReply
from gateway.guarded import guarded_router
from gateway.services import Serving

router = guarded_router("/api/tenant", "tenant")


@router.post(
    "/erase",
    response_model=ErasedReply,
    dependencies=[caller("user", permission=Permission.TENANT_DELETE)],
)
async def erase_tenant(body: EraseBody, admitted: Admitted, asking: Asking, services: Serving) -> ErasedReply:
    """End all sessions of the caller's tenant and delete everything that is kept of it."""
    tenant_id = admitted.caller.tenant_id
    if body.confirm != tenant_id:
        raise InvalidInput("confirm has to be the id of the tenant: everything in it is deleted for ever")
    erased = await services.desks.tenants.erase(tenant_id, services.runtime.delete_session, asking)
    return ErasedReply(sessions=erased.sessions, rows=erased.rows)
