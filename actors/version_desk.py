"""Versions of agents: frozen, seen, compared. Spec: platform-api 6.3."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Sequence
from typing import Final, Protocol

from msgspec import Struct

from actors.agent_checks import AgentChecks
from actors.compiling import AGENT_KINDS
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.errors import Conflict, NotFound
from domain.transfer import source_hash
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.agents import NO_AGENT, AgentRecord, Agents
from storage.repositories.audit import AuditLog
from storage.repositories.versions import NewVersion, VersionRecord, Versions

KIND: Final = "agent_version"


class WantedVersion(Struct, frozen=True, kw_only=True):
    """A version to make; without a name it gets the next integer.

    Attributes:
        expected_hash: Of the draft; when it is another one by now, nothing is made.
    """

    version: str = ""
    label: str | None = None
    changelog: str | None = None
    expected_hash: str = ""


class VersionDesk(Protocol):
    """The versions of agents, which never change."""

    async def list(self, tenant_id: str, project_id: str, agent_name: str) -> Sequence[VersionRecord]:
        """Return the versions of an agent without their texts, the newest first. Raises NotFound."""
        ...

    async def get(self, tenant_id: str, project_id: str, agent_name: str, version: str) -> VersionRecord:
        """Return a version with its text. Raises NotFound."""
        ...

    async def create(
        self, tenant_id: str, project_id: str, agent_name: str, wanted: WantedVersion, by: Initiator
    ) -> VersionRecord:
        """Freeze the draft.

        Raises:
            NotFound: There is no such agent.
            InvalidInput: The draft does not compile; `details["diagnostics"]` says why.
            Conflict: The version is there already, or the draft is not what was expected.
        """
        ...

    async def diff(self, tenant_id: str, project_id: str, agent_name: str, version: str, other: str) -> str:
        """Return what is different in `other` as a unified diff, empty when nothing is. Raises NotFound."""
        ...


class StoredVersions:
    """Satisfies `VersionDesk`."""

    def __init__(self, database: Database, audit: AuditLog, checks: AgentChecks) -> None:
        self._database = database
        self._agents = Agents(database)
        self._versions = Versions(database)
        self._audit = audit
        self._checks = checks

    async def list(self, tenant_id: str, project_id: str, agent_name: str) -> Sequence[VersionRecord]:
        """Return the versions of an agent without their texts, the newest first."""
        agent = await self._agent(tenant_id, project_id, agent_name)
        return await self._versions.list(tenant_id, agent.agent_id)

    async def get(self, tenant_id: str, project_id: str, agent_name: str, version: str) -> VersionRecord:
        """Return a version with its text."""
        agent = await self._agent(tenant_id, project_id, agent_name)
        return await self._versions.get(tenant_id, agent.agent_id, version)

    async def create(
        self, tenant_id: str, project_id: str, agent_name: str, wanted: WantedVersion, by: Initiator
    ) -> VersionRecord:
        """Freeze the draft."""
        agent = await self._agent(tenant_id, project_id, agent_name)
        expected = wanted.expected_hash or agent.source_hash
        if agent.source_hash != expected:
            raise _draft_changed()
        ir = await self._checks.compile(tenant_id, project_id, agent_name, agent.dsl)
        new = NewVersion(
            agent_id=agent.agent_id,
            dsl=agent.dsl,
            ir=ir,
            version=wanted.version,
            label=wanted.label,
            changelog=wanted.changelog,
            created_by=by.actor.id,
        )
        try:
            async with self._database.transaction() as connection:
                if await self._versions.lock(connection, tenant_id, agent.agent_id) != source_hash(agent.dsl):
                    raise _draft_changed()
                version = await self._versions.freeze(connection, tenant_id, new)
                entry = AuditEntry(
                    by=by,
                    action=f"{KIND}.create",
                    category=AuditCategory.PROJECT,
                    resource=Resource(KIND, agent.agent_id, f"{agent_name} {version}"),
                    project_id=project_id,
                    details={"version": version, "sourceHash": agent.source_hash},
                )
                await self._audit.append(connection, tenant_id, entry)
        except Duplicate as error:
            details = {"reason": "DUPLICATE_VERSION"}
            raise Conflict("This version exists already", details=details) from error
        return await self._versions.get(tenant_id, agent.agent_id, version)

    async def diff(self, tenant_id: str, project_id: str, agent_name: str, version: str, other: str) -> str:
        """Return what is different in `other` as a unified diff, empty when nothing is."""
        agent = await self._agent(tenant_id, project_id, agent_name)
        before = await self._versions.get(tenant_id, agent.agent_id, version)
        after = await self._versions.get(tenant_id, agent.agent_id, other)
        return await asyncio.to_thread(_diff, agent_name, before, after)

    async def _agent(self, tenant_id: str, project_id: str, name: str) -> AgentRecord:
        found = await self._agents.get(tenant_id, project_id, name)
        if found.kind not in AGENT_KINDS:
            raise NotFound(NO_AGENT)
        return found


def _draft_changed() -> Conflict:
    return Conflict("The draft has changed", details={"reason": "DRAFT_CHANGED"})


def _diff(name: str, before: VersionRecord, after: VersionRecord) -> str:
    if before.source_hash == after.source_hash:
        return ""
    lines = difflib.unified_diff(
        before.dsl.splitlines(),
        after.dsl.splitlines(),
        f"{name}@{before.version}",
        f"{name}@{after.version}",
        lineterm="",
    )
    return "\n".join(lines) + "\n"
