"""The agent that an address names, as the protocols of agents have it in theirs. Decisions: 0054, 0058."""

from __future__ import annotations

from actors.agent_cards import AgentCard
from actors.agent_models import AT, ModelTarget
from domain.errors import NotFound
from domain.permissions import Permission
from gateway.access import Admission
from gateway.mcp import tool_name
from gateway.services import Services


async def named_agent(
    services: Services, admitted: Admission, project_id: str, agent: str
) -> tuple[AgentCard, ModelTarget, str]:
    """Return the agent of an address, where messages to it go, and its name there; "" names the entry agent.

    Raises:
        NotFound, Forbidden: There is no such project, agent or environment, or the caller may not talk to it.
    """
    tenant_id = admitted.caller.tenant_id
    await services.gate.check_project(admitted.caller, project_id, Permission.SESSION_EXECUTE)
    name, at, environment = agent.rpartition(AT) if AT in agent else (agent, "", "")
    for card in await services.agent_cards.cards(tenant_id, project_id):
        if name in (card.name, tool_name(card.name)) or (not name and card.is_entry):
            target = ModelTarget(agent=card.name)
            if at:
                target = await services.desks.agent_models.resolve(tenant_id, project_id, card.name + at + environment)
            return card, target, card.name + at + environment
    raise NotFound(f"There is no agent {agent!r} in the project" if agent else "The project has no agents")
