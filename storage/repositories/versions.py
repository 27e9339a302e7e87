"""Drafts as they were frozen, each with what it compiled to then. Spec: platform-api 6.3."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from domain.errors import NotFound
from domain.transfer import source_hash
from storage.database import Connection, Database, Row
from storage.repositories.agents import NO_AGENT
from storage.statements import Statement

NO_VERSION: Final = "Version not found"
_COLUMNS = "agent_id, version, source_hash, label, changelog, created_at, created_by"

LOCK = Statement("SELECT source_hash FROM agents WHERE tenant_id = :tenant_id AND agent_id = :agent_id FOR UPDATE")
NEXT = Statement("""
    SELECT coalesce(max(version::numeric), 0) + 1 AS next FROM agent_versions
    WHERE tenant_id = :tenant_id AND agent_id = :agent_id AND version ~ '^[0-9]{1,18}$'
""")
FREEZE = Statement("""
    INSERT INTO agent_versions (
        tenant_id, agent_id, version, dsl, source_hash, label, changelog, created_by, ir
    ) VALUES (
        :tenant_id, :agent_id, :version, :dsl, :source_hash, :label, :changelog, :created_by, :ir
    )
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM agent_versions WHERE tenant_id = :tenant_id AND agent_id = :agent_id
    ORDER BY created_at DESC, version DESC
""")
FIND = Statement(f"""
    SELECT {_COLUMNS}, dsl FROM agent_versions
    WHERE tenant_id = :tenant_id AND agent_id = :agent_id AND version = :version
""")
IR = Statement("""
    SELECT ir FROM agent_versions WHERE tenant_id = :tenant_id AND agent_id = :agent_id AND version = :version
""")


class NewVersion(Struct, frozen=True, kw_only=True):
    """A draft to freeze; without a version it gets the next integer. `ir` is what it compiled to, as JSON."""

    agent_id: str
    dsl: str
    ir: bytes
    version: str = ""
    label: str | None = None
    changelog: str | None = None
    created_by: str = ""


class VersionRecord(Struct, frozen=True, kw_only=True):
    """A draft as it was frozen; lists leave out the text."""

    agent_id: str
    version: str
    source_hash: str
    label: str | None
    changelog: str | None
    created_at: datetime
    created_by: str
    dsl: str = ""


class Versions:
    """The versions of all agents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lock(self, connection: Connection, tenant_id: str, agent_id: str) -> str:
        """Let nobody else freeze or write this draft until the transaction ends; return its hash. Raises NotFound."""
        found: str | None = await connection.value(LOCK, tenant_id=tenant_id, agent_id=agent_id)
        if found is None:
            raise NotFound(NO_AGENT)
        return found

    async def freeze(self, connection: Connection, tenant_id: str, wanted: NewVersion) -> str:
        """Keep a version of an agent that is locked; return its name. Raises Duplicate."""
        version = wanted.version
        if not version:
            version = str(int(await connection.value(NEXT, tenant_id=tenant_id, agent_id=wanted.agent_id)))
        await connection.execute(
            FREEZE,
            tenant_id=tenant_id,
            agent_id=wanted.agent_id,
            version=version,
            dsl=wanted.dsl,
            source_hash=source_hash(wanted.dsl),
            label=wanted.label,
            changelog=wanted.changelog,
            created_by=wanted.created_by,
            ir=wanted.ir,
        )
        return version

    async def list(self, tenant_id: str, agent_id: str) -> Sequence[VersionRecord]:
        """Return all versions without their texts, the newest first."""
        return [_record(row) for row in await self._database.rows(LIST, tenant_id=tenant_id, agent_id=agent_id)]

    async def get(self, tenant_id: str, agent_id: str, version: str) -> VersionRecord:
        """Return one version. Raises NotFound."""
        row = await self._database.row(FIND, tenant_id=tenant_id, agent_id=agent_id, version=version)
        if row is None:
            raise NotFound(NO_VERSION)
        return _record(row)

    async def ir(self, tenant_id: str, agent_id: str, version: str) -> bytes | None:
        """Return what a version compiled to when it was frozen, as JSON."""
        found: bytes | None = await self._database.value(IR, tenant_id=tenant_id, agent_id=agent_id, version=version)
        return found


def _record(row: Row) -> VersionRecord:
    return VersionRecord(**dict(row))
