"""The compiled programs that sessions are pinned to: kept under the hash of their content, loaded when first used."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from actors.compiling import (
    AGENT_KINDS,
    Compiled,
    UnreadableProject,
    compiled,
    files_of,
    misnamed,
    unreadable,
)
from actors.session.services import Chosen
from actors.session.store import SessionPin
from domain.deployments import BY_DEFAULT
from domain.errors import Gone, NotFound
from domain.json_values import JsonObject
from domain.limits import MESSAGE_MAX_CHARS, SUSPENSION_DEFAULT_S, TURN_DEADLINE_S
from domain.projects import ProjectSettings, settings_of
from engine import Program
from storage.database import Database
from storage.repositories.agents import AgentRecord, Agents
from storage.repositories.deployments import DeploymentRecord, Deployments
from storage.repositories.projects import ProjectRecord, Projects
from storage.repositories.variables import Variables

__all__ = [
    "DRAFTS_USE",
    "NO_AGENTS",
    "SETTINGS_VERSION",
    "WORKING_COPY",
    "StoredPrograms",
    "UnreadableProject",
    "compile_texts",
    "variables_of",
]

MAX_LOADED: Final = 256
WORKING_COPY: Final = "working-copy"
RETIRED: Final = "retired"
DRAFTS_USE: Final = "dev"
"""The environment whose secrets, addresses and variables sessions on the drafts use."""
SETTINGS_VERSION: Final = "settingsVersionId"
"""In the details of a deployment: which settings its sessions are opened with."""
NO_AGENTS: Final = "Project not found or has no agents"


class StoredPrograms:
    """Satisfies `actors.session.services.Programs`."""

    def __init__(self, database: Database, environment: Mapping[str, str]) -> None:
        self._agents = Agents(database)
        self._projects = Projects(database)
        self._deployments = Deployments(database)
        self._variables = Variables(database)
        self._environment = dict(environment)
        self._loaded: OrderedDict[tuple[str, str, str], Program] = OrderedDict()
        self._compiling = asyncio.Lock()

    async def get(self, tenant_id: str, project_id: str, program_id: str) -> Program:
        """Return the program of that id. Raises NotFound when it is stored no more."""
        key = (tenant_id, project_id, program_id)
        program = self._loaded.get(key)
        if program is not None:
            self._loaded.move_to_end(key)
            return program
        ir = await self._agents.program(tenant_id, project_id, program_id)
        if ir is None:
            raise NotFound("The program of this session is not stored any more")
        program = self._loaded[key] = Program(msgspec.json.decode(ir))
        if len(self._loaded) > MAX_LOADED:
            self._loaded.popitem(last=False)
        return program

    async def choose(
        self, tenant_id: str, project_id: str, *, deployment_id: str, environment: str, agent: str
    ) -> Chosen:
        """Return what a new session is pinned to. Raises NotFound, Gone as platform-api 4.1 says."""
        project = await self._projects.find(tenant_id, project_id)
        if project is None:
            raise NotFound(NO_AGENTS)
        chosen = await self._target(tenant_id, project, deployment_id, environment)
        program = await self.get(tenant_id, project_id, chosen.program_id)
        if not agent:
            return chosen
        found = program.find(agent)
        if found is None:
            raise NotFound("Agent not found")
        return replace(chosen, entry_agent=found.name)

    async def check_goes_on(self, tenant_id: str, project_id: str, deployment_id: str) -> None:
        """Refuse a deployment that takes no sessions any more. Raises Gone, NotFound. Spec: platform-api 5.5."""
        if (await self._deployments.named(tenant_id, project_id, deployment_id)).status == RETIRED:
            raise _retired()

    async def environment(self, pin: SessionPin) -> JsonObject:
        """Return the values of `env.` that a session sees for as long as it lives; secret ones are not among them."""
        environment = DRAFTS_USE if pin.environment in ("", WORKING_COPY) else pin.environment
        return await variables_of(self._variables, self._environment, pin.tenant_id, pin.project_id, environment)

    async def _target(self, tenant_id: str, project: ProjectRecord, deployment_id: str, environment: str) -> Chosen:
        if deployment_id:
            deployment = await self._deployments.named(tenant_id, project.project_id, deployment_id)
            if deployment.status == RETIRED:
                raise _retired()
            return await self._deployed(tenant_id, deployment)
        if environment != WORKING_COPY:
            found = await self._deployments.list(tenant_id, project.project_id, status="active")
            active = {one.environment: one for one in found}
            for name in (environment,) if environment else BY_DEFAULT:
                if name in active:
                    return await self._deployed(tenant_id, active[name])
            if environment:
                raise NotFound("No active deployment for environment")
        program_id = await self._working_copy(tenant_id, project)
        program = await self.get(tenant_id, project.project_id, program_id)
        entry = program.find(project.entry_agent_name or "") or program.agents[program.entry_agent]
        return _timed(Chosen(program_id, entry.name, WORKING_COPY), settings_of(project.settings))

    async def _deployed(self, tenant_id: str, deployment: DeploymentRecord) -> Chosen:
        version = str(deployment.details.get(SETTINGS_VERSION) or "")
        pinned = await self._deployments.settings(tenant_id, deployment.project_id, version) if version else None
        chosen = Chosen(
            deployment.program_id, deployment.entry_agent_name, deployment.environment, deployment.deployment_id
        )
        return _timed(chosen, settings_of(pinned or {}))

    async def _working_copy(self, tenant_id: str, project: ProjectRecord) -> str:
        """Return what the drafts compile to, compiling them when they or the config variables have changed."""
        project_id = project.project_id
        if await self._is_compiled(tenant_id, project, await self._projects.drafts_hash(tenant_id, project_id)):
            return project.program_id
        async with self._compiling:
            drafts_hash = await self._projects.drafts_hash(tenant_id, project_id)
            project = await self._projects.get(tenant_id, project_id)
            if await self._is_compiled(tenant_id, project, drafts_hash):
                return project.program_id
            documents = await self._agents.list(tenant_id, project_id)
            if not files_of(documents):
                raise NotFound(NO_AGENTS)
            config = await self._variables.config(tenant_id, project_id)
            made = await asyncio.to_thread(_compiled, documents, config)
            await self._agents.keep_program(tenant_id, made.program_id, project_id, made.ir)
            await self._projects.note_program(tenant_id, project_id, made.program_id, drafts_hash)
            return made.program_id

    async def _is_compiled(self, tenant_id: str, project: ProjectRecord, drafts_hash: str) -> bool:
        """Return whether the program of the drafts of this hash is kept."""
        if not project.program_id or project.drafts_hash != drafts_hash:
            return False
        key = (tenant_id, project.project_id, project.program_id)
        return key in self._loaded or await self._agents.has_program(*key)


def _compiled(documents: Sequence[AgentRecord], config: Mapping[str, str]) -> Compiled:
    """Return the program of drafts. Raises UnreadableProject: errors, or an agent's text declares another name."""
    named = [found for one in documents if one.kind in AGENT_KINDS for found in misnamed(one.name, one.dsl)]
    if named:
        raise unreadable(named)
    return compiled(files_of(documents), config=config)


def _retired() -> Gone:
    return Gone("Deployment is retired")


def _timed(chosen: Chosen, settings: ProjectSettings) -> Chosen:
    """Return what a session is pinned to with the times of its project; those that say nothing else are left out."""
    turn_s, callback_s = settings.turn_timeout_sec, settings.callback_ttl_sec
    return replace(
        chosen,
        idle_s=settings.session_idle_timeout_sec,
        turn_s=float(turn_s) if turn_s != TURN_DEADLINE_S else 0.0,
        callback_s=float(callback_s) if callback_s != SUSPENSION_DEFAULT_S else 0.0,
        message_chars=settings.max_message_chars if settings.max_message_chars < MESSAGE_MAX_CHARS else 0,
    )


async def variables_of(
    variables: Variables, installed: Mapping[str, str], tenant_id: str, project_id: str, environment: str
) -> JsonObject:
    """Return the values of `env.` in an environment: those of the project before those of the installation."""
    found = await variables.environment(tenant_id, project_id, environment)
    return {**installed, **{one.key: one.value for one in found if one.value is not None}}


def compile_texts(files: Mapping[str, str], config: Mapping[str, str] | None = None) -> tuple[str, bytes]:
    """Return the id and the bytes of the program of a project's texts.

    Raises:
        UnreadableProject: There are errors in them; the message names the first ones.
    """
    made = compiled(files, config=config or {})
    return made.program_id, made.ir
