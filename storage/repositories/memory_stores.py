"""The stores of the memory endpoint, each one JSON object per session and name. Spec: platform-api 7.3."""

from __future__ import annotations

from collections.abc import Sequence

from domain.errors import Conflict
from domain.json_values import JsonObject
from domain.limits import MEMORY_STORES_PER_SESSION
from storage.database import Database
from storage.statements import Statement

READ = Statement("""
    SELECT content FROM memory_stores
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND name = :name
""")
WRITE = Statement("""
    INSERT INTO memory_stores (tenant_id, session_id, name, content)
    SELECT :tenant_id, :session_id, :name, :content
    WHERE :stores_max > (
        SELECT count(*) FROM memory_stores
        WHERE tenant_id = :tenant_id AND session_id = :session_id AND name <> :name
    )
    ON CONFLICT (tenant_id, session_id, name) DO UPDATE SET content = excluded.content, updated_at = clock_timestamp()
""")
DELETE = Statement("""
    DELETE FROM memory_stores WHERE tenant_id = :tenant_id AND session_id = :session_id AND name = :name
""")
CLEAR = Statement("DELETE FROM memory_stores WHERE tenant_id = :tenant_id AND session_id = :session_id")
NAMES = Statement("""
    SELECT name FROM memory_stores WHERE tenant_id = :tenant_id AND session_id = :session_id ORDER BY name
""")


class MemoryStores:
    """The stores of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, tenant_id: str, session_id: str, name: str) -> JsonObject:
        """Return the store, empty if it was never written."""
        content: JsonObject | None = await self._database.value(
            READ, tenant_id=tenant_id, session_id=session_id, name=name
        )
        return content or {}

    async def write(self, tenant_id: str, session_id: str, name: str, content: JsonObject) -> None:
        """Replace the store. Raises Conflict for one store too many."""
        written = await self._database.execute(
            WRITE,
            tenant_id=tenant_id,
            session_id=session_id,
            name=name,
            content=content,
            stores_max=MEMORY_STORES_PER_SESSION,
        )
        if not written:
            raise Conflict(f"A session has at most {MEMORY_STORES_PER_SESSION} memory stores")

    async def delete(self, tenant_id: str, session_id: str, name: str) -> bool:
        """Remove the store; return False when there was none."""
        return bool(await self._database.execute(DELETE, tenant_id=tenant_id, session_id=session_id, name=name))

    async def clear(self, tenant_id: str, session_id: str) -> int:
        """Remove all stores of a session; return how many."""
        return await self._database.execute(CLEAR, tenant_id=tenant_id, session_id=session_id)

    async def names(self, tenant_id: str, session_id: str) -> Sequence[str]:
        """Return the names of a session's stores."""
        rows = await self._database.rows(NAMES, tenant_id=tenant_id, session_id=session_id)
        return [row["name"] for row in rows]
