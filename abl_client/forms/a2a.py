"""The forms of the API about a2a. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class A2aAnswer(TypedDict):
    """One of `result` and `error`; `id` is null when the request could not be read."""

    jsonrpc: NotRequired[Literal["2.0"]]
    id: str | int | None
    result: NotRequired[Any]
    error: NotRequired[A2aError | None]


class A2aCard(TypedDict):
    """What an agent is for and where it is spoken to, in the words of both versions of the protocol."""

    name: str
    description: str
    version: str
    protocolVersion: str
    url: str
    preferredTransport: str
    supportedInterfaces: list[dict[str, Any]]
    capabilities: dict[str, Any]
    defaultInputModes: list[str]
    defaultOutputModes: list[str]
    skills: list[dict[str, Any]]
    securitySchemes: dict[str, Any]
    security: list[dict[str, Any]]
    securityRequirements: list[dict[str, Any]]


class A2aError(TypedDict):
    """Why a request has no result."""

    code: int
    message: str
    data: NotRequired[list[dict[str, Any]] | None]
