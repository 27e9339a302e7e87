"""Requests under an idempotency key: one key, one turn, one stored reply, for 24 hours.

The reply is written by the end of the turn.
"""

from __future__ import annotations

from msgspec import Struct

from storage.database import Database, Row
from storage.errors import KeyReused
from storage.frames import expand
from storage.statements import Statement

CLAIM = Statement("""
    INSERT INTO turns AS t (tenant_id, scope_id, idempotency_key, session_id, request_hash)
    VALUES (:tenant_id, :scope_id, :key, :session_id, :request_hash)
    ON CONFLICT (tenant_id, scope_id, idempotency_key) DO UPDATE SET
        session_id = excluded.session_id, request_hash = excluded.request_hash, turn = NULL, reply = NULL,
        at = excluded.at
        WHERE t.at <= clock_timestamp() - interval '24 hours'
    RETURNING session_id, request_hash, turn, reply
""")

FIND = Statement("""
    SELECT session_id, request_hash, turn, reply FROM turns
    WHERE tenant_id = :tenant_id AND scope_id = :scope_id AND idempotency_key = :key
      AND at > clock_timestamp() - interval '24 hours'
""")

FORGET_OLD = Statement("DELETE FROM turns WHERE at <= clock_timestamp() - interval '24 hours'")


class StoredTurn(Struct, frozen=True):
    """A request that is known; without a reply its turn still runs."""

    session_id: str
    request_hash: str
    turn: int | None
    reply: bytes | None


class Turns:
    """Known requests."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, tenant_id: str, scope_id: str, key: str, request_hash: str, session_id: str) -> StoredTurn:
        """Return the request known under the key: this one, or the one that came first; its session is the one to use.

        Raises:
            KeyReused: The key came with another request.
        """
        while True:
            row = await self._database.row(
                CLAIM,
                tenant_id=tenant_id,
                scope_id=scope_id,
                key=key,
                request_hash=request_hash,
                session_id=session_id,
            )
            known = _stored(row) if row else await self.find(tenant_id, scope_id, key)
            if known is None:
                continue  # it ran out between the two statements
            if known.request_hash != request_hash:
                raise KeyReused("The idempotency key was used for another request")
            return known

    async def find(self, tenant_id: str, scope_id: str, key: str) -> StoredTurn | None:
        """Return what is known under the key."""
        row = await self._database.row(FIND, tenant_id=tenant_id, scope_id=scope_id, key=key)
        return _stored(row) if row else None

    async def forget_old(self) -> int:
        """Remove what is past its 24 hours, of all tenants; return how many."""
        return await self._database.execute(FORGET_OLD)


def _stored(row: Row) -> StoredTurn:
    reply = expand(row["reply"]) if row["reply"] is not None else None
    return StoredTurn(row["session_id"], row["request_hash"], row["turn"], reply)
