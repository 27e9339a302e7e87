"""The part of the API about agents. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.agents import (
        AgentChangeBody,
        AgentListReply,
        AgentsAgentReply,
        DraftBody,
        MadeAgentReply,
        NewAgentBody,
        SavedReply,
        TenantAgentReply,
        TenantAgentsReply,
        ValidateBody,
        ValidatedReply,
    )
    from abl_client.forms.users import DeletedReply


class AgentsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_tenant_agents(self, *, limit: int | None = None, offset: int | None = None) -> TenantAgentsReply:
        """Return the agents of all projects that the caller sees, the oldest first."""
        return cast(
            "TenantAgentsReply",
            self._transport.json(
                "GET", "/api/agents", query={"limit": limit, "offset": offset}, schemes=("apiKey", "bearer")
            ),
        )

    def get_tenant_agent(self, agent_name: str, *, project_id: str | None = None) -> TenantAgentReply:
        """Return an agent by name; when several projects have one, that of the oldest, or of `projectId`."""
        return cast(
            "TenantAgentReply",
            self._transport.json(
                "GET", f"/api/agents/{place(agent_name)}", query={"projectId": project_id}, schemes=("apiKey", "bearer")
            ),
        )

    def list_agents(self, project_id: str) -> AgentListReply:
        """Return the agents of a project, the oldest first."""
        return cast(
            "AgentListReply",
            self._transport.json("GET", f"/api/projects/{place(project_id)}/agents", schemes=("apiKey", "bearer")),
        )

    def create_agent(self, project_id: str, body: NewAgentBody, *, idempotency_key: str = "") -> MadeAgentReply:
        """Make an agent; what is wrong with its text is told, not refused."""
        return cast(
            "MadeAgentReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/agents",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_agent(self, project_id: str, agent_name: str) -> AgentsAgentReply:
        """Return an agent with its draft."""
        return cast(
            "AgentsAgentReply",
            self._transport.json(
                "GET", f"/api/projects/{place(project_id)}/agents/{place(agent_name)}", schemes=("apiKey", "bearer")
            ),
        )

    def change_agent(self, project_id: str, agent_name: str, body: AgentChangeBody) -> AgentsAgentReply:
        """Change name, domain or description of an agent; its text stays as it is."""
        return cast(
            "AgentsAgentReply",
            self._transport.json(
                "PATCH",
                f"/api/projects/{place(project_id)}/agents/{place(agent_name)}",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def delete_agent(self, project_id: str, agent_name: str) -> DeletedReply:
        """Delete an agent with its versions, unless an active deployment uses it."""
        return cast(
            "DeletedReply",
            self._transport.json(
                "DELETE", f"/api/projects/{place(project_id)}/agents/{place(agent_name)}", schemes=("apiKey", "bearer")
            ),
        )

    def write_draft(self, project_id: str, agent_name: str, body: DraftBody) -> SavedReply:
        """Save the draft of an agent; it is neither compiled nor frozen."""
        return cast(
            "SavedReply",
            self._transport.json(
                "PUT",
                f"/api/projects/{place(project_id)}/agents/{place(agent_name)}/dsl",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def validate_agent(
        self, project_id: str, agent_name: str, body: ValidateBody | None = None, *, idempotency_key: str = ""
    ) -> ValidatedReply:
        """Return what is found in the draft of an agent, or in the text that is given."""
        return cast(
            "ValidatedReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/agents/{place(agent_name)}/validate",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )
