"""Persistent memory of the language: values by path, per user, project or execution tree. Spec: abl-language 8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from domain.json_values import JsonObject, JsonValue
from storage.database import Database, Row
from storage.statements import Statement

READ = Statement("""
    SELECT path, value, sealed FROM memory
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND scope = :scope AND subject = :subject
      AND path = ANY(:paths) AND (expires_at IS NULL OR expires_at > clock_timestamp())
""")
WRITE = Statement("""
    INSERT INTO memory (tenant_id, project_id, scope, subject, path, value, sealed, expires_at, written_by)
    VALUES (:tenant_id, :project_id, :scope, :subject, :path, :value, :sealed, :expires_at, :written_by)
    ON CONFLICT (tenant_id, project_id, scope, subject, path) DO UPDATE SET
        value = excluded.value, sealed = excluded.sealed, expires_at = excluded.expires_at,
        written_by = excluded.written_by, updated_at = clock_timestamp()
""")
FORGET = Statement("""
    DELETE FROM memory
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND scope = :scope AND subject = :subject AND path = :path
""")
FORGET_SUBJECT = Statement("""
    DELETE FROM memory
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND scope = :scope AND subject = :subject
""")
FORGET_EXPIRED = Statement("""
    DELETE FROM memory WHERE ctid IN (
        SELECT ctid FROM memory WHERE expires_at <= clock_timestamp() LIMIT :limit
    )
""")
FORGET_MAX = 5_000
NOTE_EFFECT = Statement("""
    INSERT INTO memory_effects (tenant_id, effect_key) VALUES (:tenant_id, :effect_key) ON CONFLICT DO NOTHING
""")
FORGET_EFFECTS = Statement("""
    DELETE FROM memory_effects WHERE ctid IN (
        SELECT ctid FROM memory_effects WHERE at <= clock_timestamp() - interval '24 hours' LIMIT :limit
    )
""")


class MemoryValue(Struct, frozen=True, kw_only=True):
    """One value to keep; a `value` of None forgets the path. `subject` is the contact, project or root session."""

    scope: str
    subject: str
    path: str
    value: JsonValue = None
    expires_at: datetime | None = None


def place_key(project_id: str, path: str) -> bytes:
    """Return what a value is sealed for: not its subject, for a contact takes over what was remembered of a user."""
    return f"memory\0{project_id}\0{path}".encode()


class Memory:
    """The persistent memory of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, tenant_id: str, project_id: str, scope: str, subject: str, paths: Sequence[str]) -> JsonObject:
        """Return the values that there are, by path."""
        rows = await self._database.rows(
            READ, tenant_id=tenant_id, project_id=project_id, scope=scope, subject=subject, paths=list(paths)
        )
        return {row["path"]: await self._value(tenant_id, project_id, row) for row in rows}

    async def _value(self, tenant_id: str, project_id: str, row: Row) -> JsonValue:
        if row["sealed"] is None:
            value: JsonValue = row["value"]
        else:
            scope = place_key(project_id, row["path"])
            value = await self._database.contents.opened_json(tenant_id, scope, row["sealed"])
        return value

    async def write(
        self, tenant_id: str, project_id: str, values: Sequence[MemoryValue], *, written_by: str = ""
    ) -> None:
        """Keep values, all or none. What was written once under a name (`written_by`) is not written again."""
        contents = self._database.contents
        sealer = await contents.sealer(tenant_id) if any(one.value is not None for one in values) else None
        async with self._database.transaction() as connection:
            if written_by and not await connection.execute(NOTE_EFFECT, tenant_id=tenant_id, effect_key=written_by):
                return
            await contents.check(connection, tenant_id, sealer)
            for one in sorted(values, key=lambda one: (one.scope, one.subject, one.path)):  # one order: no deadlock
                place: Mapping[str, object] = {
                    "tenant_id": tenant_id,
                    "project_id": project_id,
                    "scope": one.scope,
                    "subject": one.subject,
                    "path": one.path,
                }
                if one.value is None:
                    await connection.execute(FORGET, **place)
                    continue
                value, sealed = one.value, None
                if sealer is not None:
                    value, sealed = {}, sealer.close_json(place_key(project_id, one.path), one.value)
                more = {"value": value, "sealed": sealed, "expires_at": one.expires_at, "written_by": written_by}
                await connection.execute(WRITE, **place, **more)

    async def forget_subject(self, tenant_id: str, project_id: str, scope: str, subject: str) -> int:
        """Forget all about one subject; return how many values that were."""
        return await self._database.execute(
            FORGET_SUBJECT, tenant_id=tenant_id, project_id=project_id, scope=scope, subject=subject
        )

    async def forget_expired(self, limit: int = FORGET_MAX) -> int:
        """Remove what has run out, of all tenants, at most `limit` rows; return how many."""
        return await self._database.execute(FORGET_EXPIRED, limit=limit)

    async def forget_effects(self, limit: int = FORGET_MAX) -> int:
        """Remove notes of effects that nobody can repeat any more, at most `limit`; return how many."""
        return await self._database.execute(FORGET_EFFECTS, limit=limit)
