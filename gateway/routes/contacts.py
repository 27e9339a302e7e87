"""`/api/contacts`: the people whom a tenant's agents talk with. Spec: platform-api 7.4."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator

from domain import limits
from domain.clock import iso_ms
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.contacts import (
    ContactBody,
    ContactListReply,
    ContactReply,
    DeletedContact,
    DeletedContactReply,
    IdentityKind,
    LinkSessionBody,
    NewContactBody,
    Type,
    changes_of,
    contact_item,
    new_contact,
)
from gateway.bodies.texts import QueryText, without_nul
from gateway.envelope import Offset, PageLimit, Success
from gateway.guarded import guarded_router
from gateway.sdk_sessions import visible_session
from gateway.services import Serving

CREATED = 201
READER = caller("api_key", "user", permission=Permission.PROJECT_READ)
WRITER = caller("api_key", "user", permission=Permission.CONTACT_WRITE)
MAKER = caller("api_key", "user", permission=Permission.CONTACT_WRITE, replay="reply")
LINKER = caller("api_key", "user", permission=Permission.CONTACT_WRITE, replay="reply", repeatable=True)
IdentityText = Annotated[
    str, Query(min_length=1, max_length=limits.CONTACT_IDENTITY_MAX_CHARS), AfterValidator(without_nul)
]

router = guarded_router("/api/contacts", "contacts")


@router.post("", status_code=CREATED, response_model=ContactReply, dependencies=[MAKER])
async def create_contact(body: NewContactBody, admitted: Admitted, services: Serving) -> ContactReply:
    """Keep a new contact; an identity stands for one contact at a time."""
    tenant_id = admitted.caller.tenant_id
    made = await services.desks.contacts.create(tenant_id, new_contact(body))
    return ContactReply(data=contact_item(tenant_id, made))


@router.get("", response_model=ContactListReply, dependencies=[READER])
async def list_contacts(
    admitted: Admitted,
    services: Serving,
    kind: Annotated[Type | None, Query(alias="type")] = None,
    channel: QueryText = "",
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> ContactListReply:
    """Return contacts, the newest first; those that were deleted are left out."""
    tenant_id = admitted.caller.tenant_id
    page = await services.desks.contacts.list(tenant_id, kind=kind or "", channel=channel, limit=limit, offset=offset)
    return ContactListReply(data=[contact_item(tenant_id, one) for one in page.rows], total=page.total)


@router.get("/lookup", response_model=ContactReply, dependencies=[READER])
async def look_contact_up(
    admitted: Admitted,
    services: Serving,
    identity: IdentityText,
    identity_type: Annotated[IdentityKind | None, Query(alias="identityType")] = None,
) -> ContactReply:
    """Return who has an identity; emails are compared whatever the case of their letters."""
    tenant_id = admitted.caller.tenant_id
    found = await services.desks.contacts.lookup(tenant_id, identity, identity_type or "")
    return ContactReply(data=contact_item(tenant_id, found))


@router.get("/{contact_id}", response_model=ContactReply, dependencies=[READER])
async def get_contact(contact_id: str, admitted: Admitted, services: Serving) -> ContactReply:
    """Return a contact."""
    tenant_id = admitted.caller.tenant_id
    return ContactReply(data=contact_item(tenant_id, await services.desks.contacts.find(tenant_id, contact_id)))


@router.put("/{contact_id}", response_model=ContactReply, dependencies=[WRITER])
async def change_contact(contact_id: str, body: ContactBody, admitted: Admitted, services: Serving) -> ContactReply:
    """Change what the body names; `null` clears it."""
    tenant_id = admitted.caller.tenant_id
    changed = await services.desks.contacts.change(tenant_id, contact_id, changes_of(body))
    return ContactReply(data=contact_item(tenant_id, changed))


@router.delete("/{contact_id}", response_model=DeletedContactReply, dependencies=[WRITER])
async def delete_contact(contact_id: str, admitted: Admitted, asking: Asking, services: Serving) -> DeletedContactReply:
    """Have a contact found no more; the row stays, and its identity is free for another one."""
    deleted_at = await services.desks.contacts.remove(admitted.caller.tenant_id, contact_id, asking)
    return DeletedContactReply(data=DeletedContact(id=contact_id, deleted_at=iso_ms(deleted_at)))


@router.post("/{contact_id}/link-session", response_model=Success, dependencies=[LINKER])
async def link_session(contact_id: str, body: LinkSessionBody, admitted: Admitted, services: Serving) -> Success:
    """Say that a session is with this contact: its agent knows from the next turn on."""
    tenant_id = admitted.caller.tenant_id
    await services.desks.contacts.find(tenant_id, contact_id)
    session = await visible_session(services, admitted, body.session_id, Permission.PROJECT_READ)
    await services.runtime.link_contact(session, contact_id)
    await services.desks.contacts.seen(tenant_id, contact_id)
    return Success()
