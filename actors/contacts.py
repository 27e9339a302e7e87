"""Contacts of a tenant: kept, changed, found again, and said to be whom a session is with. Spec: platform-api 7.4."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.contacts import Contact, ContactFields, with_identity_type
from domain.errors import Conflict, NotFound
from domain.ids import PREFIXES
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.audit import AuditLog
from storage.repositories.contacts import Contacts

KIND: Final = "contact"
NO_CONTACT: Final = "Contact not found"


class ContactPage(NamedTuple):
    """Some contacts and how many there are."""

    rows: Sequence[Contact]
    total: int


class ContactDesk(Protocol):
    """The contacts of tenants; those that were deleted are not found."""

    async def create(self, tenant_id: str, given: ContactFields) -> Contact:
        """Keep a new contact. Raises Conflict: DUPLICATE_CONTACT."""
        ...

    async def change(self, tenant_id: str, contact_id: str, changes: dict[str, Any]) -> Contact:
        """Change the fields that `changes` names. Raises NotFound; Conflict: DUPLICATE_CONTACT."""
        ...

    async def find(self, tenant_id: str, contact_id: str) -> Contact:
        """Return a contact. Raises NotFound."""
        ...

    async def lookup(self, tenant_id: str, identity: str, identity_type: str) -> Contact:
        """Return who has an identity; an empty type is any. Raises NotFound."""
        ...

    async def list(self, tenant_id: str, *, kind: str, channel: str, limit: int, offset: int) -> ContactPage:
        """Return some contacts, the newest first; an empty filter means any."""
        ...

    async def remove(self, tenant_id: str, contact_id: str, by: Initiator) -> datetime:
        """Have a contact found no more; return since when. Raises NotFound."""
        ...

    async def seen(self, tenant_id: str, contact_id: str) -> None:
        """Note that a contact was there now. Raises NotFound."""
        ...


class StoredContacts:
    """Satisfies `ContactDesk`."""

    def __init__(self, database: Database, audit: AuditLog, ids: IdSource) -> None:
        self._database = database
        self._contacts = Contacts(database)
        self._audit = audit
        self._ids = ids

    async def create(self, tenant_id: str, given: ContactFields) -> Contact:
        """Keep a new contact."""
        try:
            return await self._contacts.create(tenant_id, self._ids.new(PREFIXES[KIND]), given)
        except Duplicate as error:
            raise _taken() from error

    async def change(self, tenant_id: str, contact_id: str, changes: dict[str, Any]) -> Contact:
        """Change what is named in `changes`."""
        try:
            async with self._database.transaction() as connection:
                before = await self._contacts.locked(connection, tenant_id, contact_id)
                if before is None:
                    raise NotFound(NO_CONTACT)
                wanted = with_identity_type(msgspec.structs.replace(before, **changes))
                return await self._contacts.replace(connection, tenant_id, contact_id, wanted)
        except Duplicate as error:
            raise _taken() from error

    async def find(self, tenant_id: str, contact_id: str) -> Contact:
        """Return a contact."""
        return _found(await self._contacts.find(tenant_id, contact_id))

    async def lookup(self, tenant_id: str, identity: str, identity_type: str) -> Contact:
        """Return who has an identity."""
        return _found(await self._contacts.lookup(tenant_id, identity, identity_type or None))

    async def list(self, tenant_id: str, *, kind: str, channel: str, limit: int, offset: int) -> ContactPage:
        """Return some contacts, the newest first."""
        rows, total = await self._contacts.list(
            tenant_id, kind=kind or None, channel=channel or None, limit=limit, offset=offset
        )
        return ContactPage(rows, total)

    async def remove(self, tenant_id: str, contact_id: str, by: Initiator) -> datetime:
        """Have a contact found no more; return since when."""
        async with self._database.transaction() as connection:
            deleted_at = await self._contacts.delete(connection, tenant_id, contact_id)
            if deleted_at is None:
                raise NotFound(NO_CONTACT)
            entry = AuditEntry(
                by=by,
                action=f"{KIND}.delete",
                category=AuditCategory.SESSIONS,
                resource=Resource(KIND, contact_id),
            )
            await self._audit.append(connection, tenant_id, entry)
        return deleted_at

    async def seen(self, tenant_id: str, contact_id: str) -> None:
        """Note that a contact was there now."""
        if not await self._contacts.seen(tenant_id, contact_id):
            raise NotFound(NO_CONTACT)


def _found(contact: Contact | None) -> Contact:
    if contact is None:
        raise NotFound(NO_CONTACT)
    return contact


def _taken() -> Conflict:
    return Conflict("Contact already exists", details={"reason": "DUPLICATE_CONTACT"})
