"""The part of the API about mcp. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.mcp import RpcAnswer


class McpApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def speak(self, body: dict[str, Any]) -> RpcAnswer:
        """Answer one message of an MCP client; the API key is bound to the project whose agents it may ask."""
        return cast("RpcAnswer", self._transport.json("POST", "/mcp", body=body, schemes=("apiKey", "bearer")))

    def speak_with_project(self, project_id: str, body: dict[str, Any]) -> RpcAnswer:
        """Answer one message of an MCP client that asks the agents of a project."""
        return cast(
            "RpcAnswer",
            self._transport.json("POST", f"/mcp/{place(project_id)}", body=body, schemes=("apiKey", "bearer")),
        )
