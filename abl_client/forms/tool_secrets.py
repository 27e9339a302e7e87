"""The forms of the API about tool secrets. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class CreatedSecret(TypedDict):
    """A secret that was kept; its value is never shown."""

    id: str
    toolName: str
    secretKey: str
    environment: str
    version: int
    expiresAt: str | None
    createdAt: str


class CreatedSecretReply(TypedDict):
    """The answer to a creation."""

    success: NotRequired[Literal[True]]
    secret: CreatedSecret


class NewSecretBody(TypedDict):
    """A secret for a tool, or under the name `*` for all tools; refused with the sentences of the ..."""

    projectId: str
    toolName: str
    secretKey: str
    value: str
    environment: NotRequired[Literal["dev", "staging", "production"]]
    expiresAt: NotRequired[str | None]


class RotatedSecret(TypedDict):
    """A secret under its next version."""

    id: str
    toolName: str
    secretKey: str
    environment: str
    version: int
    updatedAt: str


class RotatedSecretBody(TypedDict):
    """Another value."""

    value: str


class RotatedSecretReply(TypedDict):
    """The answer to a rotation."""

    success: NotRequired[Literal[True]]
    secret: RotatedSecret


class SecretItem(TypedDict):
    """A secret in a list."""

    id: str
    toolName: str
    secretKey: str
    environment: str
    version: int
    expiresAt: str | None
    createdAt: str
    updatedAt: str


class SecretListReply(TypedDict):
    """Some secrets of a project, without their values."""

    success: NotRequired[Literal[True]]
    total: int
    page: int
    limit: int
    secrets: list[SecretItem]


class Success(TypedDict):
    """Base of every success body."""

    success: NotRequired[Literal[True]]
