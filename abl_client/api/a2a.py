"""The part of the API about a2a. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.a2a import A2aAnswer, A2aCard


class A2aApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_entry_card(self) -> A2aCard:
        """Return the card of the agent that a message to the caller's project reaches."""
        return cast(
            "A2aCard", self._transport.json("GET", "/.well-known/agent-card.json", schemes=("apiKey", "bearer"))
        )

    def get_project_card(self, project_id: str) -> A2aCard:
        """Return the card of the agent that a message to a project reaches."""
        return cast(
            "A2aCard",
            self._transport.json(
                "GET", f"/a2a/{place(project_id)}/.well-known/agent-card.json", schemes=("apiKey", "bearer")
            ),
        )

    def get_agent_card(self, project_id: str, agent: str) -> A2aCard:
        """Return the card of an agent; `agent@environment` is that of its active deployment there."""
        return cast(
            "A2aCard",
            self._transport.json(
                "GET",
                f"/a2a/{place(project_id)}/agents/{place(agent)}/.well-known/agent-card.json",
                schemes=("apiKey", "bearer"),
            ),
        )

    def ask_entry_agent(self, body: dict[str, Any], *, idempotency_key: str = "") -> A2aAnswer:
        """Answer a request of an Agent2Agent client to the agent that a message to the caller's project ..."""
        return cast(
            "A2aAnswer",
            self._transport.json(
                "POST", "/a2a", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def ask_project_agent(self, project_id: str, body: dict[str, Any], *, idempotency_key: str = "") -> A2aAnswer:
        """Answer a request of an Agent2Agent client to the agent that a message to a project reaches."""
        return cast(
            "A2aAnswer",
            self._transport.json(
                "POST",
                f"/a2a/{place(project_id)}",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def ask_agent(self, project_id: str, agent: str, body: dict[str, Any], *, idempotency_key: str = "") -> A2aAnswer:
        """Answer a request of an Agent2Agent client to an agent; `agent@environment` is its active ..."""
        return cast(
            "A2aAnswer",
            self._transport.json(
                "POST",
                f"/a2a/{place(project_id)}/agents/{place(agent)}",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )
