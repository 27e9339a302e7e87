"""Contacts of tenants; those that were deleted stay as rows that nothing finds. Spec: platform-api 7.4."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from domain.contacts import Contact, ContactFields, IdentityType, identity_key
from storage.database import Connection, Database, Row
from storage.statements import Statement

IDENTITY_RULE = "contact_identity"
"""Name of the rule that an identity is one contact's."""

_GIVEN = """
    type, identity, identity_type, display_name, department, employee_id, company, account_ref, channel, metadata, tags
"""
_COLUMNS = f"contact_id, {_GIVEN}, first_seen_at, last_seen_at, deleted_at"

CREATE = Statement(f"""
    INSERT INTO contacts (tenant_id, contact_id, identity_key, {_GIVEN})
    VALUES (
        :tenant_id, :contact_id, :identity_key, :type, :identity, :identity_type, :display_name, :department,
        :employee_id, :company, :account_ref, :channel, :metadata, :tags
    )
    RETURNING {_COLUMNS}
""")
REPLACE = Statement(f"""
    UPDATE contacts SET
        type = :type, identity = :identity, identity_type = :identity_type, identity_key = :identity_key,
        display_name = :display_name, department = :department, employee_id = :employee_id, company = :company,
        account_ref = :account_ref, channel = :channel, metadata = :metadata, tags = :tags
    WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND deleted_at IS NULL
    RETURNING {_COLUMNS}
""")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM contacts
    WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND deleted_at IS NULL
""")
LOCK = Statement(f"""
    SELECT {_COLUMNS} FROM contacts
    WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND deleted_at IS NULL FOR UPDATE
""")
LOOKUP = Statement(f"""
    SELECT {_COLUMNS} FROM contacts
    WHERE tenant_id = :tenant_id AND deleted_at IS NULL AND (
        (identity_key = :email_key AND identity_type = 'email')
        OR (identity_key = :identity AND identity_type IN ('phone', 'external'))
    ) AND (:identity_type::text IS NULL OR identity_type = :identity_type)
    ORDER BY array_position(ARRAY['email', 'phone', 'external'], identity_type) LIMIT 1
""")
_FILTER = """
    WHERE tenant_id = :tenant_id AND deleted_at IS NULL
      AND (:type::text IS NULL OR type = :type) AND (:channel::text IS NULL OR channel = :channel)
"""
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM contacts {_FILTER} ORDER BY first_seen_at DESC, contact_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement(f"SELECT count(*) FROM contacts {_FILTER}")
DELETE = Statement("""
    UPDATE contacts SET deleted_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND deleted_at IS NULL
    RETURNING deleted_at
""")
SEEN = Statement("""
    UPDATE contacts SET last_seen_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND deleted_at IS NULL
""")


class Contacts:
    """The contacts of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, tenant_id: str, contact_id: str, given: ContactFields) -> Contact:
        """Keep a new contact. Raises Duplicate: the identity is another one's."""
        row = await self._database.row(CREATE, tenant_id=tenant_id, contact_id=contact_id, **_values(given))
        assert row is not None
        return _contact(row)

    async def locked(self, connection: Connection, tenant_id: str, contact_id: str) -> Contact | None:
        """Return a contact that nobody else changes until the transaction ends."""
        row = await connection.row(LOCK, tenant_id=tenant_id, contact_id=contact_id)
        return _contact(row) if row else None

    async def replace(self, connection: Connection, tenant_id: str, contact_id: str, given: ContactFields) -> Contact:
        """Put other values in the place of a contact's. Raises Duplicate: the identity is another one's."""
        row = await connection.row(REPLACE, tenant_id=tenant_id, contact_id=contact_id, **_values(given))
        assert row is not None, "it was locked"
        return _contact(row)

    async def find(self, tenant_id: str, contact_id: str) -> Contact | None:
        """Return a contact that is not deleted."""
        row = await self._database.row(FIND, tenant_id=tenant_id, contact_id=contact_id)
        return _contact(row) if row else None

    async def lookup(self, tenant_id: str, identity: str, identity_type: str | None) -> Contact | None:
        """Return who has an identity; of several kinds, the email first, then the phone."""
        row = await self._database.row(
            LOOKUP,
            tenant_id=tenant_id,
            identity=identity,
            email_key=identity_key(IdentityType.EMAIL, identity),
            identity_type=identity_type,
        )
        return _contact(row) if row else None

    async def list(
        self, tenant_id: str, *, kind: str | None, channel: str | None, limit: int, offset: int
    ) -> tuple[Sequence[Contact], int]:
        """Return some contacts, the newest first, and how many there are."""
        wanted = {"type": kind, "channel": channel}
        rows = await self._database.rows(LIST, tenant_id=tenant_id, limit=limit, offset=offset, **wanted)
        total = await self._database.value(COUNT, tenant_id=tenant_id, **wanted)
        return [_contact(row) for row in rows], int(total)

    async def delete(self, connection: Connection, tenant_id: str, contact_id: str) -> datetime | None:
        """Have a contact found no more; return since when, None when there was none."""
        moment: datetime | None = await connection.value(DELETE, tenant_id=tenant_id, contact_id=contact_id)
        return moment

    async def seen(self, tenant_id: str, contact_id: str) -> bool:
        """Note that a contact was there now; return False when there is none."""
        return bool(await self._database.execute(SEEN, tenant_id=tenant_id, contact_id=contact_id))


def _values(given: ContactFields) -> dict[str, object]:
    values = {name: getattr(given, name) for name in ContactFields.__struct_fields__}
    return {**values, "identity_key": identity_key(given.identity_type, given.identity)}


def _contact(row: Row) -> Contact:
    return msgspec.convert(dict(row), Contact)
