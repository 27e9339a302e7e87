"""Messages of Agent2Agent: JSON-RPC 2.0, and the card of an agent. Spec: a2a-protocol.org, 0.3 and 1.0."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from gateway.bodies.mcp import RpcError
from gateway.envelope import Wire


class A2aRequest(Wire):
    """One request of a client; batches are refused."""

    jsonrpc: Literal["2.0"] = Field(description="Version of JSON-RPC")
    id: str | int = Field(description="Given back with the answer")
    method: str = Field(description="As message/send of version 0.3 or SendMessage of version 1.0")
    params: dict[str, Any] = Field(default_factory=dict, description="free JSON, by the method, as the protocol says")


class A2aError(RpcError):
    """Why a request has no result."""

    data: list[dict[str, Any]] | None = Field(default=None, description="free JSON: google.rpc.ErrorInfo")


class A2aAnswer(Wire):
    """One of `result` and `error`; `id` is null when the request could not be read."""

    jsonrpc: Literal["2.0"] = Field(default="2.0", description="Version of JSON-RPC")
    id: str | int | None = Field(description="That of the request")
    result: Any = Field(default=None, description="free JSON, by the method, as the protocol says")
    error: A2aError | None = Field(default=None, description="Why there is no result")


class A2aCard(Wire):
    """What an agent is for and where it is spoken to, in the words of both versions of the protocol."""

    name: str = Field(description="Name of the agent")
    description: str = Field(description="What it is for")
    version: str = Field(description="Version of this runtime")
    protocol_version: str = Field(description="0.3.0, for clients of that version")
    url: str = Field(description="Where it is spoken to")
    preferred_transport: str = Field(description="JSONRPC")
    supported_interfaces: list[dict[str, Any]] = Field(description="free JSON: addresses for each version")
    capabilities: dict[str, Any] = Field(description="free JSON: streaming and push notifications")
    default_input_modes: list[str] = Field(description="text/plain")
    default_output_modes: list[str] = Field(description="text/plain")
    skills: list[dict[str, Any]] = Field(description="free JSON: one, the agent itself")
    security_schemes: dict[str, Any] = Field(description="free JSON: how to say who asks")
    security: list[dict[str, Any]] = Field(description="free JSON, for version 0.3")
    security_requirements: list[dict[str, Any]] = Field(description="free JSON, for version 1.0")
