"""The compiled programs that sessions are pinned to: kept under the hash of their content, loaded when first used."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import msgspec

from abl.ir import canonical_bytes
from abl.project import Project, compile_project
from actors.session.services import Chosen
from actors.session.store import SessionPin
from domain.errors import Gone, InvalidInput, NotFound
from domain.json_values import JsonObject
from engine import Program
from storage.database import Database
from storage.repositories.agents import Agents
from storage.repositories.deployments import Deployments
from storage.repositories.projects import ProjectRecord, Projects

MAX_LOADED = 256
ENVIRONMENTS = ("production", "staging", "dev")
"""Where a session runs that names nothing: the first of these with an active deployment, else the drafts."""
WORKING_COPY = "working-copy"
PROGRAM_SETTING = "programId"
NO_AGENTS = "Project not found or has no agents"


class StoredPrograms:
    """Satisfies `actors.session.services.Programs`."""

    def __init__(self, database: Database, environment: Mapping[str, str]) -> None:
        self._agents = Agents(database)
        self._projects = Projects(database)
        self._deployments = Deployments(database)
        self._environment = dict(environment)
        self._loaded: OrderedDict[tuple[str, str], Program] = OrderedDict()

    async def get(self, tenant_id: str, project_id: str, program_id: str) -> Program:
        """Return the program of that id. Raises NotFound when it is stored no more."""
        key = (tenant_id, program_id)
        program = self._loaded.get(key)
        if program is not None:
            self._loaded.move_to_end(key)
            return program
        ir = await self._agents.program(tenant_id, program_id)
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
        return Chosen(chosen.program_id, found.name, chosen.environment, chosen.deployment_id)

    def environment(self, pin: SessionPin) -> JsonObject:
        """Return the values of `env.` a session sees."""
        return dict(self._environment)

    async def _target(self, tenant_id: str, project: ProjectRecord, deployment_id: str, environment: str) -> Chosen:
        if deployment_id:
            deployment = await self._deployments.get(tenant_id, deployment_id)
            if deployment.project_id != project.project_id:
                raise NotFound("Deployment not found")
            if deployment.status == "retired":
                raise Gone("Deployment is retired")
            return Chosen(
                deployment.program_id, deployment.entry_agent_name, deployment.environment, deployment.deployment_id
            )
        if environment != WORKING_COPY:
            found = await self._deployments.list(tenant_id, project.project_id, status="active")
            active = {one.environment: one for one in found}
            for name in (environment,) if environment else ENVIRONMENTS:
                if name in active:
                    one = active[name]
                    return Chosen(one.program_id, one.entry_agent_name, name, one.deployment_id)
            if environment:
                raise NotFound("No active deployment for environment")
        program_id = str(project.settings.get(PROGRAM_SETTING, ""))
        if not program_id:
            raise NotFound(NO_AGENTS)
        program = await self.get(tenant_id, project.project_id, program_id)
        entry = program.find(project.entry_agent_name or "")
        return Chosen(program_id, entry.name if entry is not None else program.entry_agent, WORKING_COPY)


class UnreadableProject(InvalidInput):
    """The texts of a project do not compile."""


def compile_texts(files: Mapping[str, str]) -> tuple[str, bytes]:
    """Return the id and the bytes of the program of a project's texts.

    Raises:
        UnreadableProject: There are errors in them; the message names the first ones.
    """
    project = Project.from_files(files)
    compilation = compile_project(project)
    errors = [one for one in (*project.findings, *compilation.findings) if one.is_error]
    if errors:
        shown = "; ".join(f"{one.file}:{one.line}: {one.message}" for one in errors[:5])
        raise UnreadableProject(f"The project has {len(errors)} errors: {shown}")
    program = Program(compilation.output)
    return f"prog_{program.hash}", canonical_bytes(compilation.output)
