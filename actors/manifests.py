"""The agents of a manifest as one program, compiled and checked together. Spec: platform-api 6.4."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import msgspec
from msgspec import Struct

from abl.diagnostics.model import Diagnostic
from abl.ir import canonical_bytes
from actors.compiling import (
    AGENT_KINDS,
    Compiled,
    compiled,
    env_keys,
    files_of,
    findings,
    misnamed,
    unreadable,
)
from domain.deployments import AUTO
from domain.errors import NotFound
from domain.json_values import JsonObject
from storage.database import Database
from storage.repositories.agents import NO_AGENT, AgentRecord, Agents
from storage.repositories.variables import Variables
from storage.repositories.versions import NewVersion, Versions

MISSING_ENV: Final = "MISSING_ENV"
NOT_AMONG: Final = "no agent of this project"
LACKING: Final = "missing from agentVersionManifest."
"""What stands in the place of `NOT_AMONG`, and of all that follows it, where the project has the agent."""


class Assembled(Struct, frozen=True, kw_only=True):
    """A manifest whose agents fit together.

    Attributes:
        versions: Agent name -> version, of those that name one.
        drafts: Drafts to be frozen, for the others.
    """

    program: Compiled
    versions: dict[str, str]
    drafts: dict[str, NewVersion]


class Manifests:
    """Puts the agents of a manifest together."""

    def __init__(self, database: Database, installed: Mapping[str, str]) -> None:
        """`installed` are the values of `env.` that the installation has."""
        self._agents = Agents(database)
        self._versions = Versions(database)
        self._variables = Variables(database)
        self._installed = frozenset(installed)

    async def assemble(
        self, tenant_id: str, project_id: str, manifest: Mapping[str, str], entry_agent: str
    ) -> Assembled:
        """Return the program of a manifest, agent name -> version or `auto`.

        Raises:
            NotFound: There is no such agent or version.
            UnreadableProject: They do not compile, or one hands over to an agent that is not among them.
        """
        documents = await self._agents.list(tenant_id, project_id)
        by_name = {one.name: one for one in documents if one.kind in AGENT_KINDS}
        texts: dict[str, str] = {}
        for name, version in manifest.items():
            if name not in by_name:
                raise NotFound(NO_AGENT)
            if version == AUTO:
                texts[name] = by_name[name].dsl
            else:
                texts[name] = (await self._versions.get(tenant_id, by_name[name].agent_id, version)).dsl
        config = await self._variables.config(tenant_id, project_id)
        program = await asyncio.to_thread(_compiled, documents, texts, config, entry_agent)
        return Assembled(
            program=program,
            versions={name: version for name, version in manifest.items() if version != AUTO},
            drafts={
                name: NewVersion(agent_id=by_name[name].agent_id, dsl=texts[name], ir=_ir_of(program, name))
                for name, version in manifest.items()
                if version == AUTO
            },
        )

    async def warnings(self, tenant_id: str, project_id: str, environment: str, ir: bytes) -> list[JsonObject]:
        """Return what a program reads at `env.` that is set neither for its environment nor for the installation."""
        found = await self._variables.environment(tenant_id, project_id, environment)
        known = self._installed | {one.key for one in found}
        return [
            {"code": MISSING_ENV, "key": key, "message": f"{{{{env.{key}}}}} is not set for {environment}"}
            for key in env_keys(ir)
            if key not in known
        ]


def _compiled(
    documents: Sequence[AgentRecord], texts: Mapping[str, str], config: Mapping[str, str], entry_agent: str
) -> Compiled:
    wanted = [one for one in documents if one.kind not in AGENT_KINDS or one.name in texts]
    files = files_of(wanted, texts)
    named = [one for name, dsl in texts.items() for one in misnamed(name, dsl)]
    errors = [one for one in [*named, *findings(files, config=config)] if one.is_error]
    if errors:
        agents = [one.name for one in documents if one.kind in AGENT_KINDS]
        raise unreadable(_of_manifest(errors, findings(files, config=config, known_agents=agents)))
    return compiled(files, config=config, entry_agent=entry_agent)


def _of_manifest(errors: Sequence[Diagnostic], with_others: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return errors; those that are none among all agents of the project say what the manifest lacks."""
    there = {_beginning(one) for one in with_others}
    return [
        one
        if NOT_AMONG not in one.message or _beginning(one) in there
        else replace(one, message=f"{_beginning(one)}{LACKING}", fix=None)
        for one in errors
    ]


def _beginning(one: Diagnostic) -> str:
    """Return a message but for what it says of the agents that are known."""
    return one.message.partition(NOT_AMONG)[0]


def _ir_of(program: Compiled, name: str) -> bytes:
    """Return what one agent of a program compiled to."""
    output = program.output
    return canonical_bytes({**output, "agents": {name: output["agents"][name]}, "entry_agent": name})


def named_version(version: NewVersion, by: str) -> NewVersion:
    """Return a draft to freeze, with who has it frozen."""
    return msgspec.structs.replace(version, created_by=by)
