"""Replies to requests that are no turns, under their idempotency key: one request runs, the others get its reply.

The reply of a turn stands in the turns, written by the turn's end; here a request is claimed before it runs and its
reply kept after it. When the process dies in between, the claim runs out and the next request may run.
"""

from __future__ import annotations

from msgspec import Struct

from storage.database import Database
from storage.keys import REQUESTS_KEPT
from storage.statements import Statement

CLAIM = Statement(f"""
    INSERT INTO replies AS r (tenant_id, scope, idempotency_key, request_hash)
    VALUES (:tenant_id, :scope, :key, :request_hash)
    ON CONFLICT (tenant_id, scope, idempotency_key) DO UPDATE SET
        request_hash = excluded.request_hash, status = NULL, body = NULL, at = excluded.at
        WHERE r.at <= clock_timestamp() - {REQUESTS_KEPT}
           OR (r.status IS NULL AND r.at <= clock_timestamp() - interval '1 second' * :claim_life_s::integer)
    RETURNING true
""")

FIND = Statement("""
    SELECT request_hash, status, body FROM replies
    WHERE tenant_id = :tenant_id AND scope = :scope AND idempotency_key = :key
""")

KEEP = Statement("""
    UPDATE replies SET status = :status, body = :body
    WHERE tenant_id = :tenant_id AND scope = :scope AND idempotency_key = :key AND status IS NULL
""")

RELEASE = Statement("""
    DELETE FROM replies
    WHERE tenant_id = :tenant_id AND scope = :scope AND idempotency_key = :key AND status IS NULL
""")

FORGET_OLD = Statement(f"""
    DELETE FROM replies WHERE ctid IN (
        SELECT ctid FROM replies WHERE at <= clock_timestamp() - {REQUESTS_KEPT} LIMIT :limit
    )
""")
FORGET_MAX = 5_000


class KnownRequest(Struct, frozen=True):
    """A request that came before; without a status it still runs."""

    request_hash: bytes
    status: int | None
    body: bytes | None


class Replies:
    """Known requests that are no turns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(
        self, tenant_id: str, scope: str, key: str, request_hash: bytes, *, claim_life_s: int
    ) -> KnownRequest | None:
        """Return the request known under the key, or None: then it is the caller's to run.

        Args:
            claim_life_s: How old a request without a reply must be to be taken for dead.
        """
        while True:
            ours = await self._database.value(
                CLAIM, tenant_id=tenant_id, scope=scope, key=key, request_hash=request_hash, claim_life_s=claim_life_s
            )
            if ours:
                return None
            row = await self._database.row(FIND, tenant_id=tenant_id, scope=scope, key=key)
            if row is not None:  # else it was released between the two statements
                return KnownRequest(row["request_hash"], row["status"], row["body"])

    async def keep(self, tenant_id: str, scope: str, key: str, status: int, body: bytes) -> None:
        """Keep the reply of a claimed request."""
        await self._database.execute(KEEP, tenant_id=tenant_id, scope=scope, key=key, status=status, body=body)

    async def release(self, tenant_id: str, scope: str, key: str) -> None:
        """Give a claim back: the request failed and may be tried again."""
        await self._database.execute(RELEASE, tenant_id=tenant_id, scope=scope, key=key)

    async def forget_old(self, limit: int = FORGET_MAX) -> int:
        """Remove what is past its 24 hours, of all tenants, at most `limit` rows; return how many."""
        return await self._database.execute(FORGET_OLD, limit=limit)
