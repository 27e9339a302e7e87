"""The forms of the API about keys. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class ApiKeyBody(TypedDict):
    """An API key to make; without a project it opens all of the tenant."""

    name: str
    scopes: NotRequired[
        list[
            Literal[
                "*",
                "agent:read",
                "agent:write",
                "apikey:read",
                "apikey:write",
                "audit:read",
                "channel:create",
                "channel:delete",
                "channel:read",
                "channel:update",
                "contact:read",
                "contact:write",
                "credential:read",
                "credential:write",
                "deployment:create",
                "eval:execute",
                "eval:read",
                "eval:write",
                "human_task:read",
                "human_task:write",
                "member:read",
                "member:write",
                "model:read",
                "model:write",
                "project:create",
                "project:delete",
                "project:export",
                "project:import",
                "project:read",
                "project:write",
                "session:execute",
                "session:read",
                "session:write",
                "tenant:delete",
                "tenant:transfer",
                "usage:read",
                "variable:read",
                "variable:write",
                "webhook:read",
                "webhook:write",
            ]
        ]
    ]
    projectId: NotRequired[str | None]
    environments: NotRequired[list[Literal["dev", "staging", "production", "working-copy"]]]
    expiresAt: NotRequired[str | None]


class ApiKeyItem(TypedDict):
    """An API key without its secret."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    projectId: str | None
    environments: list[str]
    expiresAt: str | None
    lastUsedAt: str | None
    createdAt: str
    createdBy: str
    revokedAt: str | None


class ApiKeyListReply(TypedDict):
    """API keys, the newest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    keys: list[ApiKeyItem]


class KeyPermissions(TypedDict):
    """What a page may do with a key."""

    chat: NotRequired[bool]
    voice: NotRequired[bool]


class MadeApiKeyReply(TypedDict):
    """A new secret, shown this once."""

    success: NotRequired[Literal[True]]
    key: ApiKeyItem
    secret: str


class MadePublicKeyReply(TypedDict):
    """A new public key with itself, shown this once."""

    success: NotRequired[Literal[True]]
    key: PublicKeyItem
    secret: str


class PublicKeyBody(TypedDict):
    """A public key to make."""

    name: str
    allowedOrigins: list[str]
    permissions: NotRequired[KeyPermissions | None]
    environment: NotRequired[Literal["dev", "staging", "production", "working-copy"] | None]
    deploymentId: NotRequired[str | None]
    showActivityUpdates: NotRequired[bool | None]
    requireOrigin: NotRequired[bool | None]
    allowAgentOverride: NotRequired[bool | None]
    expiresAt: NotRequired[str | None]


class PublicKeyItem(TypedDict):
    """A public key without itself."""

    id: str
    name: str
    prefix: str
    projectId: str
    allowedOrigins: list[str]
    permissions: ShownPermissions
    environment: str | None
    deploymentId: str | None
    showActivityUpdates: bool
    requireOrigin: bool
    allowAgentOverride: bool
    expiresAt: str | None
    lastUsedAt: str | None
    createdAt: str
    createdBy: str
    revokedAt: str | None


class PublicKeyListReply(TypedDict):
    """The public keys of a project, the newest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    keys: list[PublicKeyItem]


class PublicKeyPatch(TypedDict):
    """What shall change of a public key; null clears what may be empty."""

    name: NotRequired[str | None]
    allowedOrigins: NotRequired[list[str] | None]
    permissions: NotRequired[KeyPermissions | None]
    environment: NotRequired[Literal["dev", "staging", "production", "working-copy"] | None]
    deploymentId: NotRequired[str | None]
    showActivityUpdates: NotRequired[bool | None]
    requireOrigin: NotRequired[bool | None]
    allowAgentOverride: NotRequired[bool | None]
    expiresAt: NotRequired[str | None]


class PublicKeyReply(TypedDict):
    """One public key."""

    success: NotRequired[Literal[True]]
    key: PublicKeyItem


class RevokedReply(TypedDict):
    """It opens nothing any more."""

    success: NotRequired[Literal[True]]
    id: str


class RotateBody(TypedDict):
    """How long the secret that is replaced still works."""

    graceSec: NotRequired[int]


class ShownPermissions(TypedDict):
    """What a page may do with a key."""

    chat: bool
    voice: bool
