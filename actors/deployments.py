"""Deployments made, retired, rolled back and promoted: each change one transaction over `domain.deployments`.

The project's row is locked meanwhile, so that an environment never has two active ones. Spec: platform-api 3.2, 6.4.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final

import msgspec

from actors.deployment_desk import DeploymentView, Promotion, RolledBack, WantedDeployment
from actors.deployment_news import DeploymentNews
from actors.draining import Draining
from actors.manifests import Assembled, Manifests, named_version
from actors.preflight import Preflight, PreflightReport
from actors.programs import SETTINGS_VERSION
from domain.audit import Initiator
from domain.clock import IdSource
from domain.deployments import (
    DeploymentEvent,
    endpoint_slug,
    no_predecessor,
    standing,
    transition,
)
from domain.errors import InvalidInput, NotFound
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.projects import SETTING_NAMES, settings_of
from storage.database import Connection, Database
from storage.repositories.agents import Agents
from storage.repositories.deployments import DeploymentRecord, Deployments, NewDeployment
from storage.repositories.done_requests import DoneRequests
from storage.repositories.projects import ProjectRecord, Projects
from storage.repositories.sdk_channels import SdkChannels
from storage.repositories.versions import Versions

KIND: Final = "deployment"
SLUG_BITS: Final = 64
MODEL_OVERRIDES, WARNINGS, PROMOTED_FROM = "modelOverrides", "warnings", "promotedFrom"
"""Of the details of a deployment."""


class StoredDeployments:
    """Satisfies `actors.deployment_desk.DeploymentDesk`."""

    def __init__(
        self,
        database: Database,
        news: DeploymentNews,
        ids: IdSource,
        manifests: Manifests,
        draining: Draining,
        preflight: Preflight,
    ) -> None:
        self._database = database
        self._deployments = Deployments(database)
        self._done = DoneRequests(database)
        self._projects = Projects(database)
        self._agents = Agents(database)
        self._versions = Versions(database)
        self._channels = SdkChannels(database)
        self._news = news
        self._ids = ids
        self._manifests = manifests
        self._draining = draining
        self._preflight = preflight

    async def list(
        self, tenant_id: str, project_id: str, *, environment: str | None, status: str | None
    ) -> Sequence[DeploymentRecord]:
        """Return deployments, the newest first."""
        return await self._deployments.list(tenant_id, project_id, environment=environment, status=status)

    async def get(self, tenant_id: str, project_id: str, name: str) -> DeploymentView:
        """Return a deployment."""
        return await self._view(tenant_id, await self._deployments.named(tenant_id, project_id, name))

    async def create(self, tenant_id: str, project_id: str, wanted: WantedDeployment, by: Initiator) -> DeploymentView:
        """Make a deployment the active one of its environment."""
        if known := await self._done.find(tenant_id, by.request_key):
            return await self.get(tenant_id, project_id, known)
        made = await self._manifests.assemble(tenant_id, project_id, wanted.manifest, wanted.entry_agent_name)
        await self._agents.keep_program(tenant_id, made.program.program_id, project_id, made.program.ir)
        warnings = await self._manifests.warnings(tenant_id, project_id, wanted.environment, made.program.ir)
        async with self._database.transaction() as connection:
            project = await self._projects.lock(connection, tenant_id, project_id)
            versions = await self._frozen(connection, tenant_id, made, by)
            settings_id = await self._settings(connection, tenant_id, project, wanted.settings_version_id)
            new = NewDeployment(
                deployment_id=self._ids.new(PREFIXES[KIND]),
                project_id=project_id,
                environment=wanted.environment,
                endpoint_slug=endpoint_slug(project.slug, wanted.environment, secrets.randbits(SLUG_BITS)),
                entry_agent_name=wanted.entry_agent_name,
                program_id=made.program.program_id,
                agent_version_manifest={name: versions[name] for name in wanted.manifest},
                label=wanted.label,
                description=wanted.description,
                details={**wanted.details, SETTINGS_VERSION: settings_id, WARNINGS: warnings},
                created_by=by.actor.id,
            )
            await self._begin(connection, tenant_id, project, new, DeploymentEvent.CREATE, by)
        return await self.get(tenant_id, project_id, new.deployment_id)

    async def retire(self, tenant_id: str, project_id: str, name: str, *, force: bool, by: Initiator) -> DeploymentView:
        """Take no new sessions; with `force` the old ones are ended."""
        deployment_id = (await self._deployments.named(tenant_id, project_id, name)).deployment_id
        if await self._done.find(tenant_id, by.request_key) == deployment_id:
            if force:  # the sessions are ended behind the change
                await self._draining.end_sessions(tenant_id, project_id, deployment_id)
            return await self.get(tenant_id, project_id, deployment_id)
        event = DeploymentEvent.FORCE if force else DeploymentEvent.RETIRE
        async with self._database.transaction() as connection:
            project = await self._projects.lock(connection, tenant_id, project_id)
            record = await self._deployments.within(connection, tenant_id, project_id, deployment_id)
            step = transition(standing(record.status, record.draining), event)
            drain_s = 0.0 if step.ends_sessions else settings_of(project.settings).drain_timeout_sec
            await self._deployments.stop(connection, tenant_id, deployment_id, draining=True, drain_s=drain_s)
            if record.status == "active":
                await self._news.retired(connection, tenant_id, record)
            await self._done.note(connection, tenant_id, by.request_key, deployment_id)
            await self._news.audit(connection, tenant_id, record, event, by)
        if step.ends_sessions:
            await self._draining.end_sessions(tenant_id, project_id, deployment_id)
        return await self.get(tenant_id, project_id, deployment_id)

    async def roll_back(self, tenant_id: str, project_id: str, name: str, by: Initiator) -> RolledBack:
        """Make a retired deployment active again, or of an active one its predecessor."""
        if known := await self._done.find(tenant_id, by.request_key):
            active, _, earlier = known.partition(" ")
            before = await self._deployments.named(tenant_id, project_id, earlier) if earlier else None
            return RolledBack(await self.get(tenant_id, project_id, active), before)
        deployment_id = (await self._deployments.named(tenant_id, project_id, name)).deployment_id
        async with self._database.transaction() as connection:
            project = await self._projects.lock(connection, tenant_id, project_id)
            drain_s = settings_of(project.settings).drain_timeout_sec
            record = await self._deployments.within(connection, tenant_id, project_id, deployment_id)
            step = transition(standing(record.status, record.draining), DeploymentEvent.ROLLBACK)
            target = record
            if step.restores_predecessor:
                found = await self._deployments.predecessor(connection, tenant_id, record)
                if found is None:
                    raise no_predecessor()
                transition(standing(found.status, found.draining), DeploymentEvent.RESTORED)
                target = found
            replaced = await self._deployments.replace_active(
                connection, tenant_id, project_id, record.environment, drain_s=drain_s
            )
            await self._deployments.activate(connection, tenant_id, target.deployment_id)
            if replaced is not None:
                gone = await self._deployments.within(connection, tenant_id, project_id, replaced)
                await self._news.retired(connection, tenant_id, gone)
            both = f"{target.deployment_id} {replaced or ''}".rstrip()
            await self._done.note(connection, tenant_id, by.request_key, both)
            await self._news.rolled_back(connection, tenant_id, target, replaced)
            await self._news.audit(connection, tenant_id, target, DeploymentEvent.ROLLBACK, by, {"replaced": replaced})
        previous = await self._deployments.named(tenant_id, project_id, replaced) if replaced is not None else None
        return RolledBack(await self.get(tenant_id, project_id, target.deployment_id), previous)

    async def promote(
        self, tenant_id: str, project_id: str, name: str, wanted: Promotion, by: Initiator
    ) -> DeploymentView:
        """Make the same program active in another environment."""
        if known := await self._done.find(tenant_id, by.request_key):
            return await self.get(tenant_id, project_id, known)
        source = await self._source(tenant_id, project_id, name, wanted)
        ir = await self._agents.program(tenant_id, project_id, source.program_id) or b""
        details = {**source.details, PROMOTED_FROM: source.deployment_id}
        if wanted.model_overrides is not None:
            details[MODEL_OVERRIDES] = wanted.model_overrides
        details[WARNINGS] = await self._manifests.warnings(tenant_id, project_id, wanted.target_environment, ir)
        async with self._database.transaction() as connection:
            project = await self._projects.lock(connection, tenant_id, project_id)
            new = NewDeployment(
                deployment_id=self._ids.new(PREFIXES[KIND]),
                project_id=project_id,
                environment=wanted.target_environment,
                endpoint_slug=endpoint_slug(project.slug, wanted.target_environment, secrets.randbits(SLUG_BITS)),
                entry_agent_name=source.entry_agent_name,
                program_id=source.program_id,
                agent_version_manifest=source.agent_version_manifest,
                label=wanted.label if wanted.label is not None else source.label,
                description=wanted.description if wanted.description is not None else source.description,
                details=details,
                created_by=by.actor.id,
            )
            await self._begin(connection, tenant_id, project, new, DeploymentEvent.PROMOTE, by)
        return await self.get(tenant_id, project_id, new.deployment_id)

    async def preflight(self, tenant_id: str, project_id: str, name: str, wanted: Promotion) -> PreflightReport:
        """Return which live sessions would have gone another way on what would be promoted."""
        source = await self._source(tenant_id, project_id, name, wanted)
        running = await self._deployments.active(tenant_id, project_id, wanted.target_environment)
        return await self._preflight.run(tenant_id, project_id, running or source, source.program_id)

    async def _source(self, tenant_id: str, project_id: str, name: str, wanted: Promotion) -> DeploymentRecord:
        """Return what is to be promoted. Raises NotFound, InvalidInput."""
        source = await self._deployments.named(tenant_id, project_id, name)
        if source.environment == wanted.target_environment:
            raise _invalid(
                "/targetEnvironment",
                "must be another environment than that of the deployment",
                "A deployment is not promoted to its own environment",
            )
        unknown = sorted((wanted.model_overrides or {}).keys() - source.agent_version_manifest.keys())
        if unknown:
            raise _invalid("/modelOverrides", f"names {unknown[0]}, which is not in the deployment's manifest")
        transition(standing(source.status, source.draining), DeploymentEvent.PROMOTE)
        return source

    async def _begin(
        self,
        connection: Connection,
        tenant_id: str,
        project: ProjectRecord,
        new: NewDeployment,
        event: DeploymentEvent,
        by: Initiator,
    ) -> None:
        """Make a deployment active, within a transaction that has locked its project."""
        transition(None, DeploymentEvent.CREATE)
        drain_s = settings_of(project.settings).drain_timeout_sec
        replaced = await self._deployments.add(connection, tenant_id, new, drain_s=drain_s)
        if replaced is not None:
            gone = await self._deployments.within(connection, tenant_id, project.project_id, replaced)
            await self._news.retired(connection, tenant_id, gone)
        await self._done.note(connection, tenant_id, by.request_key, new.deployment_id)
        await self._news.created(connection, tenant_id, new, event)
        await self._news.audit(connection, tenant_id, new, event, by, {"replaced": replaced})

    async def _frozen(self, connection: Connection, tenant_id: str, made: Assembled, by: Initiator) -> dict[str, str]:
        """Return the version of every agent, drafts frozen in the order of their names."""
        versions = dict(made.versions)
        for name, draft in sorted(made.drafts.items()):
            await self._versions.lock(connection, tenant_id, draft.agent_id)
            versions[name] = await self._versions.freeze(connection, tenant_id, named_version(draft, by.actor.id))
        return versions

    async def _settings(self, connection: Connection, tenant_id: str, project: ProjectRecord, settings_id: str) -> str:
        """Return the id of the settings that a deployment is pinned to."""
        if settings_id:
            if await self._deployments.settings(tenant_id, project.project_id, settings_id) is None:
                raise NotFound("Settings version not found")
            return settings_id
        settings_id = self._ids.new(PREFIXES["settings_version"])
        kept: JsonObject = msgspec.to_builtins(settings_of(project.settings))
        assert kept.keys() <= SETTING_NAMES
        await self._deployments.keep_settings(connection, tenant_id, project.project_id, settings_id, kept)
        return settings_id

    async def _view(self, tenant_id: str, record: DeploymentRecord) -> DeploymentView:
        channels = await self._channels.count_bound(
            tenant_id,
            record.project_id,
            record.deployment_id,
            record.environment,
            is_active=record.status == "active",
        )
        return DeploymentView(record, await self._deployments.count_sessions(tenant_id, record.deployment_id), channels)


def _invalid(path: str, message: str, sentence: str = "Invalid request") -> InvalidInput:
    return InvalidInput(sentence, details={"fields": [{"path": path, "message": message}]})
