"""Replies to requests that are no turns, under their idempotency key: one request runs, the others get its reply.

The reply of a turn stands in the turns, written by the turn's end; here a request is claimed before it runs, the claim
is renewed while it runs, and its reply kept after it. When the process dies in between, the claim goes stale: whether
the request took effect is not known, and only one that may be repeated is given to the next who asks.
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
           OR (:repeatable::boolean AND r.status IS NULL AND r.request_hash = excluded.request_hash
               AND r.at <= clock_timestamp() - interval '1 second' * :claim_life_s::integer)
    RETURNING true
""")

FIND = Statement("""
    SELECT request_hash, status, body,
        status IS NULL AND at <= clock_timestamp() - interval '1 second' * :claim_life_s::integer AS is_stale
    FROM replies
    WHERE tenant_id = :tenant_id AND scope = :scope AND idempotency_key = :key
""")

KEEP = Statement("""
    UPDATE replies SET status = :status, body = :body
    WHERE tenant_id = :tenant_id AND scope = :scope AND idempotency_key = :key AND status IS NULL
""")

RENEW = Statement("""
    UPDATE replies SET at = clock_timestamp()
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
    """A request that came before; without a status it still runs, or, when its claim is stale, has broken off."""

    request_hash: bytes
    status: int | None
    body: bytes | None
    is_stale: bool = False


class Replies:
    """Known requests that are no turns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(
        self, tenant_id: str, scope: str, key: str, request_hash: bytes, *, claim_life_s: int, repeatable: bool = False
    ) -> KnownRequest | None:
        """Return the request known under the key, or None: then it is the caller's to run.

        Args:
            claim_life_s: How long a claim without a reply must not have been renewed to be stale.
            repeatable: Whether the same request may run again when the claim is stale.
        """
        asked = {"tenant_id": tenant_id, "scope": scope, "key": key, "claim_life_s": claim_life_s}
        while True:
            ours = await self._database.value(CLAIM, **asked, request_hash=request_hash, repeatable=repeatable)
            if ours:
                return None
            row = await self._database.row(FIND, **asked)
            if row is not None:  # else it was released between the two statements
                return KnownRequest(row["request_hash"], row["status"], row["body"], row["is_stale"])

    async def keep(self, tenant_id: str, scope: str, key: str, status: int, body: bytes) -> None:
        """Keep the reply of a claimed request."""
        await self._database.execute(KEEP, tenant_id=tenant_id, scope=scope, key=key, status=status, body=body)

    async def renew(self, tenant_id: str, scope: str, key: str) -> None:
        """Say that a claimed request still runs."""
        await self._database.execute(RENEW, tenant_id=tenant_id, scope=scope, key=key)

    async def release(self, tenant_id: str, scope: str, key: str) -> None:
        """Give a claim back: the request failed and may be tried again."""
        await self._database.execute(RELEASE, tenant_id=tenant_id, scope=scope, key=key)

    async def forget_old(self, limit: int = FORGET_MAX) -> int:
        """Remove what is past its 24 hours, of all tenants, at most `limit` rows; return how many."""
        return await self._database.execute(FORGET_OLD, limit=limit)
