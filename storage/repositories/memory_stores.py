"""The stores of the memory endpoint, each one JSON object per session and name. Spec: platform-api 7.3.

They are written with the records that set them: `storage.beside`.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain.json_values import JsonObject
from storage.database import Database
from storage.keys import session_key
from storage.statements import Statement

READ = Statement("""
    SELECT content, sealed FROM memory_stores
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND name = :name
""")
NAMES = Statement("""
    SELECT name FROM memory_stores WHERE tenant_id = :tenant_id AND session_id = :session_id ORDER BY name
""")


class MemoryStores:
    """The stores of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, tenant_id: str, session_id: str, name: str) -> JsonObject:
        """Return the store, empty if it was never written."""
        row = await self._database.row(READ, tenant_id=tenant_id, session_id=session_id, name=name)
        if row is None:
            return {}
        content: JsonObject = row["content"]
        if row["sealed"] is not None:
            key = session_key(tenant_id, session_id)
            content = await self._database.contents.opened_json(tenant_id, key, row["sealed"])
        return content

    async def names(self, tenant_id: str, session_id: str) -> Sequence[str]:
        """Return the names of a session's stores."""
        rows = await self._database.rows(NAMES, tenant_id=tenant_id, session_id=session_id)
        return [row["name"] for row in rows]
