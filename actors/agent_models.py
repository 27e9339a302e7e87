"""Agents and deployments under the names by which OpenAI-compatible clients ask for a model.

`Desk` is an agent where a chat without an environment would find it, `Desk@staging` in the active deployment of an
environment; a deployment goes by its id or its endpoint slug, and begins with its entry agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from domain.errors import NotFound
from storage.database import Database
from storage.repositories.agents import Agents
from storage.repositories.deployments import Deployments

AT: Final = "@"
ACTIVE: Final = "active"
SPOKEN_TO: Final = frozenset({"agent", "supervisor"})


class AgentModel(NamedTuple):
    """Something that can be talked to, by the name of a model."""

    name: str
    created_at: datetime


class ModelTarget(NamedTuple):
    """Where a message to a model goes; empty means that nothing is asked for."""

    agent: str = ""
    environment: str = ""
    deployment_id: str = ""


class AgentModels(Protocol):
    """The models of projects."""

    async def list(self, tenant_id: str, project_id: str) -> Sequence[AgentModel]:
        """Return all models of a project: its agents, then those of each active deployment, and the deployment."""
        ...

    async def resolve(self, tenant_id: str, project_id: str, name: str) -> ModelTarget:
        """Return where messages to a model go. Raises NotFound."""
        ...


class StoredAgentModels:
    """Satisfies `AgentModels`."""

    def __init__(self, database: Database) -> None:
        self._agents = Agents(database)
        self._deployments = Deployments(database)

    async def list(self, tenant_id: str, project_id: str) -> Sequence[AgentModel]:
        """Return all models of a project."""
        agents = await self._agents.list_without_texts(tenant_id, project_id)
        models = [AgentModel(one.name, one.created_at) for one in agents if one.kind in SPOKEN_TO]
        for one in await self._deployments.list(tenant_id, project_id, status=ACTIVE):
            names = sorted(one.agent_version_manifest)
            models += [AgentModel(f"{name}{AT}{one.environment}", one.created_at) for name in names]
            models.append(AgentModel(one.endpoint_slug, one.created_at))
        return models

    async def resolve(self, tenant_id: str, project_id: str, name: str) -> ModelTarget:
        """Return where messages to a model go."""
        agent, at, environment = name.rpartition(AT)
        if at:
            active = await self._deployments.active(tenant_id, project_id, environment)
            if active is None or agent not in active.agent_version_manifest:
                raise _unknown(name)
            return ModelTarget(agent=agent, environment=environment)
        found = await self._agents.find(tenant_id, project_id, name)
        if found is not None and found.kind in SPOKEN_TO:
            return ModelTarget(agent=name)
        try:
            deployment = await self._deployments.named(tenant_id, project_id, name)
        except NotFound as error:
            raise _unknown(name) from error
        return ModelTarget(deployment_id=deployment.deployment_id)


def _unknown(name: str) -> NotFound:
    return NotFound(f"The model `{name}` does not exist: it is no agent or deployment of the project")
