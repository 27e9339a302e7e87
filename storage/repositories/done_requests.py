"""Requests under an `Idempotency-Key` whose change stands, noted in the transaction that made it. Decision: 0049.

A reply is kept after its request. When the gateway dies between the two, the client asks again under the key; what it
asked for is then looked up here and not done a second time.
"""

from __future__ import annotations

from storage.database import Connection, Database
from storage.keys import REQUESTS_KEPT
from storage.statements import Statement

NOTE = Statement("""
    INSERT INTO done_requests (tenant_id, request_key, about) VALUES (:tenant_id, :request_key, :about)
    ON CONFLICT (tenant_id, request_key) DO UPDATE SET about = excluded.about, at = excluded.at
""")
FIND = Statement(f"""
    SELECT about FROM done_requests
    WHERE tenant_id = :tenant_id AND request_key = :request_key AND at > clock_timestamp() - {REQUESTS_KEPT}
""")
FORGET_OLD = Statement(f"""
    DELETE FROM done_requests WHERE ctid IN (
        SELECT ctid FROM done_requests WHERE at <= clock_timestamp() - {REQUESTS_KEPT} LIMIT :limit
    )
""")


class DoneRequests:
    """The requests of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, tenant_id: str, request_key: str) -> str | None:
        """Return the id of what the request under a key has changed or made; None when it is not known, or no key."""
        if not request_key:
            return None
        about: str | None = await self._database.value(FIND, tenant_id=tenant_id, request_key=request_key)
        return about

    async def note(self, connection: Connection, tenant_id: str, request_key: str, about: str) -> None:
        """Note within its transaction that a request has changed or made something; nothing without a key."""
        if request_key:
            await connection.execute(NOTE, tenant_id=tenant_id, request_key=request_key, about=about)

    async def forget_old(self, limit: int) -> int:
        """Remove what is past its 24 hours, of all tenants, at most `limit` rows; return how many."""
        return await self._database.execute(FORGET_OLD, limit=limit)
