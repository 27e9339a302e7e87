"""One agent's text compiled and checked among the other drafts of its project. Spec: platform-api 6.2, 6.3.

The agent stands with the libraries and profiles of the project; its other agents are known by name only. How all agents
of a deployment fit together is looked at when it is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from abl.diagnostics.model import Diagnostic
from actors.compiling import AGENT_KINDS, compiled, diagnostic, files_of, findings, misnamed, unreadable
from domain.errors import InvalidInput
from domain.json_values import JsonObject
from storage.database import Database
from storage.repositories.agents import AgentRecord, Agents
from storage.repositories.variables import Variables


class AgentChecks:
    """Looks at texts of agents."""

    def __init__(self, database: Database) -> None:
        self._agents = Agents(database)
        self._variables = Variables(database)

    async def found(self, tenant_id: str, project_id: str, name: str, dsl: str) -> Sequence[JsonObject]:
        """Return what is found in a text of the agent `name`, as it goes over the wire."""
        documents = await self._agents.list(tenant_id, project_id)
        config = await self._variables.config(tenant_id, project_id)
        seen = await asyncio.to_thread(_found, documents, config, name, dsl)
        return [diagnostic(one) for one in seen]

    async def compile(self, tenant_id: str, project_id: str, name: str, dsl: str) -> bytes:
        """Return what a text of the agent `name` compiles to, as JSON.

        Raises:
            UnreadableProject: There are errors in it.
            InvalidInput: There is nothing in it.
        """
        documents = await self._agents.list(tenant_id, project_id)
        config = await self._variables.config(tenant_id, project_id)
        return await asyncio.to_thread(_compiled, documents, config, name, dsl)


def _alone(documents: Sequence[AgentRecord], name: str, dsl: str) -> tuple[str, dict[str, str], list[str]]:
    """Return the path of an agent, the texts it is compiled with, and the names of the agents beside it."""
    beside = [one for one in documents if one.kind not in AGENT_KINDS]
    others = [one.name for one in documents if one.kind in AGENT_KINDS and one.name != name]
    path = next((one.path for one in documents if one.name == name and one.path), f"{name}.abl")
    return path, {**files_of(beside), path: dsl}, others


def _found(documents: Sequence[AgentRecord], config: Mapping[str, str], name: str, dsl: str) -> list[Diagnostic]:
    path, files, others = _alone(documents, name, dsl)
    seen = findings(files, config=config, known_agents=others)
    return [*misnamed(name, dsl), *(one for one in seen if one.file in (path, None))]


def _compiled(documents: Sequence[AgentRecord], config: Mapping[str, str], name: str, dsl: str) -> bytes:
    if not dsl.strip():
        raise InvalidInput("The agent has no text yet")
    errors = [one for one in _found(documents, config, name, dsl) if one.is_error]
    if errors:
        raise unreadable(errors)
    _, files, others = _alone(documents, name, dsl)
    return compiled(files, config=config, entry_agent=name, known_agents=others).ir
