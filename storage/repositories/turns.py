"""Requests under an idempotency key: one key, one turn, one stored reply, for 24 hours. The end of a turn writes it."""

from __future__ import annotations

from msgspec import Struct

from storage.database import Database
from storage.frames import expand
from storage.keys import REQUESTS_KEPT, request_key, session_key
from storage.statements import Statement

FIND = Statement(f"""
    SELECT request_hash, turn, reply FROM turns
    WHERE session_key = session_key(:tenant_id, :session_id) AND request_key = :request_key
      AND at > clock_timestamp() - {REQUESTS_KEPT}
""")

FORGET_OLD = Statement(f"""
    DELETE FROM turns WHERE ctid IN (
        SELECT ctid FROM turns WHERE at <= clock_timestamp() - {REQUESTS_KEPT} LIMIT :limit
    )
""")
FORGET_MAX = 5_000


class StoredTurn(Struct, frozen=True):
    """A turn that has ended under a key."""

    request_hash: str
    turn: int
    reply: bytes


class Turns:
    """Known requests."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, tenant_id: str, session_id: str, key: str) -> StoredTurn | None:
        """Return the turn of a session that has ended under the key."""
        row = await self._database.row(FIND, tenant_id=tenant_id, session_id=session_id, request_key=request_key(key))
        if row is None:
            return None
        reply = await self._database.contents.opened(tenant_id, session_key(tenant_id, session_id), row["reply"])
        return StoredTurn(row["request_hash"], row["turn"], expand(reply))

    async def forget_old(self, limit: int = FORGET_MAX) -> int:
        """Remove what is past its 24 hours, of all tenants, at most `limit` rows; return how many."""
        return await self._database.execute(FORGET_OLD, limit=limit)
