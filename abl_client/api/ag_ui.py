"""The part of the API about ag-ui. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.ag_ui import AgUiBody


class AgUiApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def run_entry_agent(self, project_id: str, body: AgUiBody, *, idempotency_key: str = "") -> bytes:
        """Run the agent that a message to a project reaches, as AG-UI's clients ask for it; the events of ..."""
        return self._transport.bytes(
            "POST",
            f"/ag-ui/{place(project_id)}",
            body=body,
            idempotency_key=idempotency_key,
            schemes=("apiKey", "bearer"),
        )

    def run_agent(self, project_id: str, agent: str, body: AgUiBody, *, idempotency_key: str = "") -> bytes:
        """Run an agent as AG-UI's clients ask for it; `agent@environment` is its active deployment there."""
        return self._transport.bytes(
            "POST",
            f"/ag-ui/{place(project_id)}/agents/{place(agent)}",
            body=body,
            idempotency_key=idempotency_key,
            schemes=("apiKey", "bearer"),
        )
