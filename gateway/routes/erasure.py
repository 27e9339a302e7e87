"""Erasing: a contact with all that was said with them, and a tenant, for its owner alone. Spec: platform-api 2.3."""

from __future__ import annotations

from domain.errors import InvalidInput
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.erasure import EraseBody, ErasedReply
from gateway.guarded import guarded_router
from gateway.services import Serving
from gateway.visible import of_whole_tenant

router = guarded_router("/api", "erasure")


@router.post(
    "/contacts/{contact_id}/erase",
    response_model=ErasedReply,
    dependencies=[caller("api_key", "user", permission=Permission.CONTACT_WRITE)],
)
async def erase_contact(contact_id: str, admitted: Admitted, asking: Asking, services: Serving) -> ErasedReply:
    """Delete a contact, all sessions with them and all that agents remember of them."""
    tenant_id = of_whole_tenant(admitted.caller).tenant_id  # it reaches into every project
    erased = await services.desks.erasure.contact(tenant_id, contact_id, services.runtime.delete_session, asking)
    return ErasedReply(sessions=erased.sessions, rows=erased.rows)


@router.post(
    "/tenant/erase",
    response_model=ErasedReply,
    dependencies=[caller("user", permission=Permission.TENANT_DELETE)],
)
async def erase_tenant(body: EraseBody, admitted: Admitted, asking: Asking, services: Serving) -> ErasedReply:
    """End all sessions of the caller's tenant and delete everything that is kept of it."""
    tenant_id = admitted.caller.tenant_id
    if body.confirm != tenant_id:
        raise InvalidInput("confirm has to be the id of the tenant: everything in it is deleted for ever")
    try:
        erased = await services.desks.erasure.tenant(tenant_id, services.runtime.delete_session, asking)
    finally:  # what has failed may have erased a part
        services.gate.forget_tenant(tenant_id)
    return ErasedReply(sessions=erased.sessions, rows=erased.rows)
