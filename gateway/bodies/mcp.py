"""The message that answers a message of an MCP client: JSON-RPC 2.0, spelled as it is there."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, RootModel

from gateway.envelope import ErrorBody, Wire


class RpcError(Wire):
    """Why a message has no result."""

    code: int
    message: str


class RpcAnswer(Wire):
    """One of `result` and `error`; `id` is null when the message could not be read."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: str | int | None
    result: dict[str, Any] | None = Field(default=None, description="free JSON, by the method, as MCP says")
    error: RpcError | None = None


class RpcRefusal(RootModel[RpcAnswer | ErrorBody]):
    """Why a message was not answered: as the protocol says it, or as the platform does before the message is read."""
