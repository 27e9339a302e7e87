"""What the agents of a project are called and are for, as the outside is told: read from its compiled program."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import msgspec
from msgspec import Struct

from domain.json_values import JsonObject
from storage.database import Database
from storage.repositories.agents import Agents
from storage.repositories.projects import Projects

MAX_HELD: Final = 256
DESCRIPTION_MAX_CHARS: Final = 1_000


class AgentCard(Struct, frozen=True):
    """An agent that can be talked to; `is_entry` for the one that a message without an agent reaches."""

    name: str
    description: str
    is_entry: bool = False


class StoredAgentCards:
    """Satisfies `gateway.mcp.AgentCards` from the store."""

    def __init__(self, database: Database) -> None:
        self._agents = Agents(database)
        self._projects = Projects(database)
        self._held: OrderedDict[tuple[str, str, str], tuple[AgentCard, ...]] = OrderedDict()

    async def cards(self, tenant_id: str, project_id: str) -> tuple[AgentCard, ...]:
        """Return the agents of a project by name, of its drafts; none when it has no program."""
        project = await self._projects.find(tenant_id, project_id)
        program_id = project.program_id if project is not None else ""
        if not program_id:
            return ()
        key = (tenant_id, project_id, program_id)
        held = self._held.get(key)
        if held is None:
            ir = await self._agents.program(*key)
            if ir is None:
                return ()
            held = self._held[key] = cards_of(msgspec.json.decode(ir))
            if len(self._held) > MAX_HELD:
                self._held.popitem(last=False)
        return held


def cards_of(ir: JsonObject) -> tuple[AgentCard, ...]:
    """Return the agents of a compiled program."""
    cards: list[AgentCard] = []
    for name, agent in sorted(ir["agents"].items()):
        said = agent["metadata"].get("description") or agent["identity"].get("goal") or name
        cards.append(AgentCard(name, str(said)[:DESCRIPTION_MAX_CHARS], name == ir.get("entry_agent")))
    return tuple(cards)
