"""Tenants of an installation: made with their owner, and given limits of their own, by whoever runs it. Spec: 2.3, 2.5.

No route does this: a tenant cannot see that there are others.
"""

from __future__ import annotations

from collections.abc import Mapping

from actors.users import new_password
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import Conflict
from domain.ids import PREFIXES
from domain.permissions import WorkspaceRole
from storage.database import Connection, Database
from storage.errors import Duplicate
from storage.repositories.audit import AuditLog
from storage.repositories.tenants import TenantRecord, Tenants
from storage.repositories.users import Users


class TenantDesk:
    """Makes and changes tenants."""

    def __init__(self, database: Database, audit: AuditLog, ids: IdSource) -> None:
        self._database = database
        self._tenants = Tenants(database)
        self._audit = audit
        self._ids = ids

    async def create(self, name: str, email: str, by: Initiator) -> tuple[TenantRecord, str]:
        """Make a tenant and its owner; return it, and the owner's password in clear.

        Raises:
            Conflict: Somebody logs in with this email already.
        """
        tenant_id = self._ids.new(PREFIXES["tenant"])
        password, password_hash = await new_password()
        try:
            async with self._database.transaction() as connection:
                await self._tenants.create(connection, tenant_id, name)
                await Users(self._database).create(
                    tenant_id,
                    self._ids.new(PREFIXES["user"]),
                    email=email,
                    role=WorkspaceRole.OWNER,
                    password_hash=password_hash,
                    connection=connection,
                )
                await self._note(connection, tenant_id, name, "create", by)
        except Duplicate as error:
            raise Conflict(f"{email} logs in already", details={"reason": "DUPLICATE_EMAIL"}) from error
        return TenantRecord(tenant_id, name, {}, email), password

    async def set_rates(self, tenant: TenantRecord, rates: Mapping[str, int], by: Initiator) -> None:
        """Give a tenant limits of its own; they hold within ten seconds. Raises NotFound."""
        async with self._database.transaction() as connection:
            await self._tenants.set_rates(connection, tenant.tenant_id, dict(rates))
            await self._note(connection, tenant.tenant_id, tenant.name, "limit", by)

    async def _note(self, connection: Connection, tenant_id: str, name: str, verb: str, by: Initiator) -> None:
        resource = Resource("tenant", tenant_id, name)
        entry = AuditEntry(by=by, action=f"tenant.{verb}", category=AuditCategory.WORKSPACE, resource=resource)
        await self._audit.append(connection, tenant_id, entry)
