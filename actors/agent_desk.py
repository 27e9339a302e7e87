"""Agents of projects: their drafts written, checked, renamed and removed. Spec: platform-api 6.2."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict

from actors.agent_checks import AgentChecks
from actors.compiling import AGENT_KINDS, kind_of
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import Conflict, NotFound
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from storage.database import Connection, Database
from storage.errors import Duplicate
from storage.repositories.agents import NO_AGENT, AgentName, AgentRecord, Agents, NewAgent
from storage.repositories.audit import AuditLog
from storage.repositories.deployments import Deployments
from storage.repositories.projects import Projects

KIND: Final = "agent"


class AgentView(Struct, frozen=True, kw_only=True):
    """An agent; `dsl` only of a single one. `active_versions` is environment -> version that is deployed there."""

    id: str
    project_id: str
    name: str
    domain: str
    type: str
    description: str | None
    version_count: int
    source_hash: str
    created_at: datetime
    updated_at: datetime
    active_versions: dict[str, str] = field(default_factory=dict)
    dsl: str = ""


class WantedAgent(Struct, frozen=True, kw_only=True):
    """An agent to make."""

    name: str
    dsl: str = ""
    domain: str = ""
    description: str | None = None


class AgentChange(Struct, frozen=True, kw_only=True):
    """What is to be different; what is unset stays."""

    name: str | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET


class MadeAgent(NamedTuple):
    """A new agent, and what was found in its text."""

    agent: AgentView
    diagnostics: Sequence[JsonObject]


class AgentNames(NamedTuple):
    """Agents of a tenant and how many there are."""

    rows: Sequence[AgentName]
    total: int


class AgentDesk(Protocol):
    """The agents and supervisors of projects; names are those of their project."""

    async def names(self, tenant_id: str, visible: Sequence[str] | None, *, limit: int, offset: int) -> AgentNames:
        """Return agents of all the tenant's projects, or of those of `visible`, the oldest first."""
        ...

    async def oldest(self, tenant_id: str, visible: Sequence[str] | None, name: str) -> AgentView:
        """Return the agent of this name in the oldest project that has one. Raises NotFound."""
        ...

    async def list(self, tenant_id: str, project_id: str) -> Sequence[AgentView]:
        """Return the agents of a project, the oldest first."""
        ...

    async def get(self, tenant_id: str, project_id: str, name: str) -> AgentView:
        """Return an agent with its draft. Raises NotFound."""
        ...

    async def create(self, tenant_id: str, project_id: str, wanted: WantedAgent, by: Initiator) -> MadeAgent:
        """Make an agent; its text is checked, not refused. Raises NotFound, Conflict: the name is taken."""
        ...

    async def change(self, tenant_id: str, project_id: str, name: str, change: AgentChange, by: Initiator) -> AgentView:
        """Change what is said of an agent; the entry agent of a project stays it under another name.

        Raises:
            NotFound: There is no such agent.
            Conflict: The name is taken, or a deployment knows it by the old one, also one that can be rolled back to.
        """
        ...

    async def write(self, tenant_id: str, project_id: str, name: str, dsl: str, by: Initiator) -> datetime:
        """Replace a draft without looking at it; return when. Raises NotFound."""
        ...

    async def remove(self, tenant_id: str, project_id: str, name: str, by: Initiator) -> None:
        """Delete an agent with its versions; a project whose entry agent it is has none then.

        Raises:
            NotFound: There is no such agent.
            Conflict: An active deployment uses it.
        """
        ...

    async def validate(self, tenant_id: str, project_id: str, name: str, dsl: str | None) -> Sequence[JsonObject]:
        """Return what is found in a text, or in the draft, of an agent. Raises NotFound."""
        ...


class StoredAgents:
    """Satisfies `AgentDesk`."""

    def __init__(self, database: Database, audit: AuditLog, ids: IdSource, checks: AgentChecks) -> None:
        self._database = database
        self._agents = Agents(database)
        self._projects = Projects(database)
        self._deployments = Deployments(database)
        self._audit = audit
        self._ids = ids
        self._checks = checks

    async def names(self, tenant_id: str, visible: Sequence[str] | None, *, limit: int, offset: int) -> AgentNames:
        """Return agents of all the tenant's projects, or of those of `visible`, the oldest first."""
        return AgentNames(*await self._agents.visible(tenant_id, visible, limit=limit, offset=offset))

    async def oldest(self, tenant_id: str, visible: Sequence[str] | None, name: str) -> AgentView:
        """Return the agent of this name in the oldest project that has one."""
        return _view(await self._agents.oldest(tenant_id, visible, name), "", {}, with_dsl=True)

    async def list(self, tenant_id: str, project_id: str) -> Sequence[AgentView]:
        """Return the agents of a project, the oldest first."""
        project, documents, active = await asyncio.gather(
            self._projects.get(tenant_id, project_id),
            self._agents.list_without_texts(tenant_id, project_id),
            self._active(tenant_id, project_id),
        )
        return [_view(one, project.slug, active) for one in documents if one.kind in AGENT_KINDS]

    async def get(self, tenant_id: str, project_id: str, name: str) -> AgentView:
        """Return an agent with its draft."""
        project, agent, active = await asyncio.gather(
            self._projects.get(tenant_id, project_id),
            self._agents.get(tenant_id, project_id, name),
            self._active(tenant_id, project_id),
        )
        return _view(_spoken_to(agent), project.slug, active, with_dsl=True)

    async def create(self, tenant_id: str, project_id: str, wanted: WantedAgent, by: Initiator) -> MadeAgent:
        """Make an agent; its text is checked, not refused."""
        new = NewAgent(
            project_id=project_id,
            agent_id=self._ids.new(PREFIXES[KIND]),
            name=wanted.name,
            kind=kind_of(wanted.dsl),
            domain=wanted.domain,
            description=wanted.description,
            dsl=wanted.dsl,
        )
        try:
            async with self._database.transaction() as connection:
                await self._projects.lock(connection, tenant_id, project_id)
                await self._agents.create(connection, tenant_id, new)
                await self._audit.append(
                    connection, tenant_id, _entry(project_id, new.agent_id, new.name, "create", by)
                )
        except Duplicate as error:
            raise _taken() from error
        made = await self.get(tenant_id, project_id, wanted.name)
        return MadeAgent(made, await self.validate(tenant_id, project_id, wanted.name, None) if wanted.dsl else ())

    async def change(self, tenant_id: str, project_id: str, name: str, change: AgentChange, by: Initiator) -> AgentView:
        """Change what is said of an agent."""
        given = asdict(change)
        changed: dict[str, Any] = {one: value for one, value in given.items() if value is not UNSET}
        new_name = str(changed.get("name", name))
        try:
            async with self._database.transaction() as connection:
                await self._projects.lock(connection, tenant_id, project_id)
                before = _spoken_to(await self._agents.within(connection, tenant_id, project_id, name))
                after = msgspec.structs.replace(before, **{**changed, "name": name})
                if new_name != name:
                    await self._check_unused(connection, tenant_id, project_id, name, with_retired=True)
                    await self._projects.move_entry(connection, tenant_id, project_id, name, new_name)
                await self._agents.change(connection, tenant_id, after, new_name)
                details = {"changed": sorted(changed)}
                entry = _entry(project_id, before.agent_id, new_name, "update", by, details)
                await self._audit.append(connection, tenant_id, entry)
        except Duplicate as error:
            raise _taken() from error
        return await self.get(tenant_id, project_id, new_name)

    async def write(self, tenant_id: str, project_id: str, name: str, dsl: str, by: Initiator) -> datetime:
        """Replace a draft without compiling it; return when."""
        async with self._database.transaction() as connection:
            _spoken_to(await self._agents.within(connection, tenant_id, project_id, name))
            written = await self._agents.write_draft(connection, tenant_id, project_id, name, dsl, kind_of(dsl))
            await self._audit.append(connection, tenant_id, _entry(project_id, written.agent_id, name, "write", by))
        return written.updated_at

    async def remove(self, tenant_id: str, project_id: str, name: str, by: Initiator) -> None:
        """Delete an agent with its versions."""
        async with self._database.transaction() as connection:
            await self._projects.lock(connection, tenant_id, project_id)
            agent = _spoken_to(await self._agents.within(connection, tenant_id, project_id, name))
            await self._check_unused(connection, tenant_id, project_id, name)
            await self._projects.move_entry(connection, tenant_id, project_id, name, None)
            await self._agents.remove(connection, tenant_id, project_id, name)
            await self._audit.append(connection, tenant_id, _entry(project_id, agent.agent_id, name, "delete", by))

    async def validate(self, tenant_id: str, project_id: str, name: str, dsl: str | None) -> Sequence[JsonObject]:
        """Return what is found in a text, or in the draft, of an agent."""
        agent = _spoken_to(await self._agents.get(tenant_id, project_id, name))
        return await self._checks.found(tenant_id, project_id, name, agent.dsl if dsl is None else dsl)

    async def _check_unused(
        self, connection: Connection, tenant_id: str, project_id: str, name: str, *, with_retired: bool = False
    ) -> None:
        """Refuse what would take an agent away from a deployment, which knows it by its name. Raises Conflict."""
        using = await self._deployments.using(connection, tenant_id, project_id, name, with_retired=with_retired)
        if using:
            which = "A deployment" if with_retired else "An active deployment"
            details = {"reason": "AGENT_IN_USE", "deployments": list(using)}
            raise Conflict(f"{which} uses this agent", details=details)

    async def _active(self, tenant_id: str, project_id: str) -> dict[str, dict[str, str]]:
        """Return agent -> environment -> version that is deployed there."""
        found: dict[str, dict[str, str]] = {}
        for one in await self._deployments.list(tenant_id, project_id, status="active"):
            for name, version in one.agent_version_manifest.items():
                found.setdefault(name, {})[one.environment] = str(version)
        return found


def _spoken_to(agent: AgentRecord) -> AgentRecord:
    """Return a document that is an agent. Raises NotFound: it is a library or a profile."""
    if agent.kind not in AGENT_KINDS:
        raise NotFound(NO_AGENT)
    return agent


def _view(agent: AgentRecord, domain: str, active: dict[str, dict[str, str]], *, with_dsl: bool = False) -> AgentView:
    return AgentView(
        id=agent.agent_id,
        project_id=agent.project_id,
        name=agent.name,
        domain=agent.domain or domain,
        type=agent.kind,
        description=agent.description,
        version_count=agent.version_count,
        source_hash=agent.source_hash,
        created_at=agent.created_at,
        updated_at=agent.updated_at,
        active_versions=active.get(agent.name, {}),
        dsl=agent.dsl if with_dsl else "",
    )


def _taken() -> Conflict:
    return Conflict("An agent with this name exists already", details={"reason": "DUPLICATE_NAME"})


def _entry(
    project_id: str, agent_id: str, name: str, verb: str, by: Initiator, details: JsonObject | None = None
) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"{KIND}.{verb}",
        category=AuditCategory.PROJECT,
        resource=Resource(KIND, agent_id, name),
        project_id=project_id,
        details=details or {},
    )
