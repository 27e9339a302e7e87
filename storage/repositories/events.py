"""Analytics events on their way in: noted in the transaction of what they tell of, counted a moment later.

`analytics_counting` says how they are counted, `analytics` what is read of them. Spec: platform-api 8.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import asdict

from domain.analytics import NewEvent
from storage.database import Connection, Database
from storage.statements import Statement

NOTE = Statement("""
    INSERT INTO analytics_inbox (
        tenant_id, project_id, at, category, event_type, agent_name, session_id, channel, environment, duration_ms,
        error, metadata
    ) VALUES (
        :tenant_id, :project_id, :at, :category, :event_type, :agent_name, :session_id, :channel, :environment,
        :duration_ms, :error, :metadata
    )
""")


class Events:
    """The events of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, connection: Connection, tenant_id: str, event: NewEvent) -> None:
        """Note an event within the transaction of what it tells of."""
        values = asdict(event)
        await connection.execute(NOTE, tenant_id=tenant_id, **values)

    async def append_many(self, connection: Connection, tenant_id: str, events: Sequence[NewEvent]) -> None:
        """Note several, in their order."""
        for event in events:
            await self.append(connection, tenant_id, event)

    async def note(self, tenant_id: str, event: NewEvent) -> None:
        """Note an event of something that changed nothing in the store, e.g. a socket that was opened."""
        async with self._database.connection() as connection:
            await self.append(connection, tenant_id, event)
