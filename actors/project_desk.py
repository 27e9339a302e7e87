"""Projects: made, seen, changed, deleted. Spec: platform-api 6.1."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from actors.project_removal import ProjectRemoval
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import Conflict, InvalidInput, Unavailable
from domain.json_values import JsonObject
from domain.permissions import ProjectRole
from domain.projects import SLUG_MAX_CHARS, settings_of, slug_of, with_settings
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.agents import Agents
from storage.repositories.audit import AuditLog
from storage.repositories.projects import ProjectRecord, Projects
from storage.repositories.users import Users

log = logging.getLogger(__name__)

KIND: Final = "project"
SLUG_TRIES: Final = 3
TAKEN: Final = {"project_name": "DUPLICATE_NAME", "project_slug": "DUPLICATE_SLUG"}
"""Rule of the schema -> what a conflict with it is called."""


class NewProject(Struct, frozen=True, kw_only=True):
    """A project to make; without a slug one is made of its name."""

    name: str
    slug: str = ""
    description: str = ""


class ProjectChange(Struct, frozen=True, kw_only=True):
    """What is to be different; what is unset stays, an entry agent of None is cleared."""

    name: str | UnsetType = UNSET
    slug: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    entry_agent_name: str | UnsetType | None = UNSET
    settings: JsonObject | UnsetType = UNSET


class ProjectPage(NamedTuple):
    """Some projects and how many there are."""

    rows: Sequence[ProjectRecord]
    total: int


class ProjectDesk(Protocol):
    """The projects of tenants."""

    async def list(self, tenant_id: str, visible: Sequence[str] | None, *, limit: int, offset: int) -> ProjectPage:
        """Return the tenant's projects, or those of `visible`, the oldest first."""
        ...

    async def get(self, tenant_id: str, project_id: str) -> ProjectRecord:
        """Return a project. Raises NotFound."""
        ...

    async def create(self, tenant_id: str, wanted: NewProject, by: Initiator) -> ProjectRecord:
        """Make a project, of which a person who made it is the admin. Raises Conflict: the name or slug is taken."""
        ...

    async def change(self, tenant_id: str, project_id: str, change: ProjectChange, by: Initiator) -> ProjectRecord:
        """Change a project. Raises NotFound, InvalidInput, Conflict."""
        ...

    async def delete(self, tenant_id: str, project_id: str, by: Initiator) -> None:
        """End all sessions of a project and remove everything of it. Raises NotFound."""
        ...


class StoredProjects:
    """Satisfies `ProjectDesk`."""

    def __init__(
        self, database: Database, audit: AuditLog, ids: IdSource, removal: ProjectRemoval, *, trace_days: float
    ) -> None:
        """`trace_days` is how long the installation keeps traces: its tables go by the week, so no project has more."""
        self._database = database
        self._projects = Projects(database)
        self._agents = Agents(database)
        self._users = Users(database)
        self._audit = audit
        self._ids = ids
        self._removal = removal
        self._trace_days = trace_days

    async def list(self, tenant_id: str, visible: Sequence[str] | None, *, limit: int, offset: int) -> ProjectPage:
        """Return the tenant's projects, or those of `visible`, the oldest first."""
        rows, total = await asyncio.gather(
            self._projects.list(tenant_id, project_ids=visible, limit=limit, offset=offset),
            self._projects.count(tenant_id, project_ids=visible),
        )
        return ProjectPage(rows, total)

    async def get(self, tenant_id: str, project_id: str) -> ProjectRecord:
        """Return a project."""
        return await self._projects.get(tenant_id, project_id)

    async def create(self, tenant_id: str, wanted: NewProject, by: Initiator) -> ProjectRecord:
        """Make a project, of which a person who made it is the admin."""
        slugs = [wanted.slug] if wanted.slug else self._slugs(wanted.name)
        for place, slug in enumerate(slugs, 1):
            try:
                return await self._create(tenant_id, wanted, slug, by)
            except Duplicate as error:
                if error.constraint != "project_slug" or place == len(slugs):
                    raise _taken(error) from error
        raise AssertionError("the last try returns or raises")

    async def change(self, tenant_id: str, project_id: str, change: ProjectChange, by: Initiator) -> ProjectRecord:
        """Change a project."""
        entry = change.entry_agent_name
        if isinstance(entry, str) and await self._agents.id_of(tenant_id, project_id, entry) is None:
            raise _invalid("/entryAgentName", "is no agent of this project")
        given = asdict(change)
        changed: dict[str, Any] = {name: value for name, value in given.items() if value is not UNSET}
        try:
            async with self._database.transaction() as connection:
                before = await self._projects.lock(connection, tenant_id, project_id)
                if "settings" in changed:
                    changed["settings"] = self._with_settings(before.settings, changed["settings"])
                after = msgspec.structs.replace(before, **changed)
                await self._projects.write(connection, tenant_id, after)
                entry_ = _entry(after, "update", by, {"changed": sorted(changed)})
                await self._audit.append(connection, tenant_id, entry_)
        except Duplicate as error:
            raise _taken(error) from error
        return await self._projects.get(tenant_id, project_id)

    async def delete(self, tenant_id: str, project_id: str, by: Initiator) -> None:
        """End all sessions of a project and remove everything of it.

        It is there for nobody at once; what there is no time for now is removed in the background.
        """
        project = await self._projects.get(tenant_id, project_id)
        async with self._database.transaction() as connection:
            await self._projects.mark_deleted(connection, tenant_id, project_id)
            await self._audit.append(connection, tenant_id, _entry(project, "delete", by))
        try:
            await self._removal.carry_on(tenant_id, project_id)
        except Unavailable as error:
            log.warning("what is left of project %s is removed in the background: %s", project_id, error.message)

    async def _create(self, tenant_id: str, wanted: NewProject, slug: str, by: Initiator) -> ProjectRecord:
        project_id = self._ids.new("")
        async with self._database.transaction() as connection:
            await self._projects.add(
                connection, tenant_id, project_id, name=wanted.name, slug=slug, description=wanted.description
            )
            if by.actor.type == "user":
                await self._users.join_within(connection, tenant_id, project_id, by.actor.id, ProjectRole.ADMIN)
            resource = Resource(KIND, project_id, wanted.name)
            await self._audit.append(connection, tenant_id, _of(resource, project_id, "create", by))
        return await self._projects.get(tenant_id, project_id)

    def _with_settings(self, stored: JsonObject, changed: JsonObject) -> JsonObject:
        """Return the settings with some of them changed. Raises InvalidInput."""
        try:
            settings = with_settings(stored, changed)
        except msgspec.ValidationError as error:
            sentence, _, place = str(error).partition(" - at `$")
            raise _invalid(f"/settings{place.strip('`').replace('.', '/')}", sentence) from error
        before, wanted = (settings_of(one).trace_retention_days for one in (stored, settings))
        if before != wanted > self._trace_days:
            most = f"{self._trace_days:g} days: this installation keeps traces no longer (ABL_TRACE_DAYS)"
            raise _invalid("/settings/traceRetentionDays", f"must be at most {most}")
        return settings

    def _slugs(self, name: str) -> Sequence[str]:
        """Return what a project of this name may be called in addresses, the best first."""
        first = slug_of(name) or KIND
        tails = [self._ids.new("")[-6:] for _ in range(SLUG_TRIES - 1)]
        return [first, *(f"{first[: SLUG_MAX_CHARS - 7]}-{tail}" for tail in tails)]


def _invalid(path: str, message: str) -> InvalidInput:
    return InvalidInput("Invalid request", details={"fields": [{"path": path, "message": message}]})


def _taken(error: Duplicate) -> Conflict:
    reason = TAKEN.get(error.constraint, "DUPLICATE_NAME")
    what = "slug" if reason == "DUPLICATE_SLUG" else "name"
    return Conflict(f"A project with this {what} exists already", details={"reason": reason})


def _entry(project: ProjectRecord, verb: str, by: Initiator, details: JsonObject | None = None) -> AuditEntry:
    resource = Resource(KIND, project.project_id, project.name)
    return _of(resource, project.project_id, verb, by, details)


def _of(resource: Resource, project_id: str, verb: str, by: Initiator, details: JsonObject | None = None) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"{KIND}.{verb}",
        category=AuditCategory.PROJECT,
        resource=resource,
        project_id=project_id,
        details=details or {},
    )
