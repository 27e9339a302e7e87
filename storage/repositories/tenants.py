"""The tenants of an installation, and what is set for each. Spec: platform-api 2.5."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from domain.errors import NotFound
from domain.json_values import JsonObject
from domain.rates import RATES
from storage.database import Connection, Database
from storage.statements import Statement

LIST = Statement("""
    SELECT t.tenant_id, t.name, t.settings, u.email AS owner
    FROM tenants t LEFT JOIN users u ON u.tenant_id = t.tenant_id AND u.role = 'owner' AND u.disabled_at IS NULL
    ORDER BY t.created_at, t.tenant_id
""")
CREATE = Statement("INSERT INTO tenants (tenant_id, name) VALUES (:tenant_id, :name)")
SET_RATES = Statement(f"""
    UPDATE tenants SET settings = CASE WHEN :rates::jsonb = '{{}}' THEN settings - '{RATES}'
        ELSE settings || jsonb_build_object('{RATES}', :rates::jsonb) END
    WHERE tenant_id = :tenant_id
""")


class TenantRecord(Struct, frozen=True):
    """A tenant; `owner` is the email of its owner, empty while it has none."""

    tenant_id: str
    name: str
    settings: JsonObject
    owner: str = ""


class Tenants:
    """All tenants of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self) -> Sequence[TenantRecord]:
        """Return them, the oldest first."""
        return [
            TenantRecord(row["tenant_id"], row["name"], row["settings"], row["owner"] or "")
            for row in await self._database.rows(LIST)
        ]

    async def create(self, connection: Connection, tenant_id: str, name: str) -> None:
        """Keep a new tenant."""
        await connection.execute(CREATE, tenant_id=tenant_id, name=name)

    async def set_rates(self, connection: Connection, tenant_id: str, rates: dict[str, int]) -> None:
        """Keep the limits of a tenant's own; without any, those of the instance hold. Raises NotFound."""
        if not await connection.execute(SET_RATES, tenant_id=tenant_id, rates=rates):
            raise NotFound("Tenant not found")
