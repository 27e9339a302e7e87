"""Bodies of API keys and public keys. Spec: platform-api 14.4."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema

from domain import limits
from domain.clock import iso_ms
from domain.keys import ApiKeyView, MadeKey, MadePublicKey, NewPublicKey, PublicKeyView, is_origin
from domain.permissions import DEFAULT_KEY_SCOPES, EVERYTHING, GRANTABLE
from gateway.bodies.chat_agent import Environment
from gateway.bodies.moments import utc_moment
from gateway.bodies.texts import Id, RequestBody, without_nul
from gateway.envelope import PaginatedPage, Success, Wire

ORIGIN_MAX_CHARS = 300
SCOPES = frozenset(GRANTABLE) | {EVERYTHING}


def _known_scope(scope: str) -> str:
    if scope not in SCOPES:
        raise ValueError("is no scope: a permission, or * for all")
    return scope


def _readable_origin(origin: str) -> str:
    if not is_origin(origin):
        raise ValueError("must be scheme://host, with a port if it is not the usual one, scheme://*.host, or *")
    return origin.lower()


def _moment(text: str) -> str:
    utc_moment(text)
    return text


Name = Annotated[
    str, StringConstraints(min_length=1, max_length=limits.KEY_NAME_MAX_CHARS), AfterValidator(without_nul)
]
Scope = Annotated[str, AfterValidator(_known_scope), WithJsonSchema({"type": "string", "enum": sorted(SCOPES)})]
Origin = Annotated[str, StringConstraints(max_length=ORIGIN_MAX_CHARS), AfterValidator(_readable_origin)]
Origins = Annotated[list[Origin], Field(max_length=limits.KEY_ORIGINS_MAX)]
Environments = Annotated[list[Environment], Field(max_length=8)]
Moment = Annotated[str, AfterValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})]


class ApiKeyBody(RequestBody):
    """An API key to make; without a project it opens all of the tenant."""

    name: Name
    scopes: Annotated[list[Scope], Field(max_length=len(SCOPES))] = Field(
        default_factory=lambda: [str(one) for one in DEFAULT_KEY_SCOPES]
    )
    project_id: Id | None = None
    environments: Environments = Field(default_factory=list)
    expires_at: Moment | None = None


class RotateBody(RequestBody):
    """How long the secret that is replaced still works."""

    grace_sec: Annotated[int, Field(ge=0, le=limits.KEY_GRACE_MAX_S)] = 0


class ApiKeyItem(Wire):
    """An API key without its secret."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    project_id: str | None
    environments: list[str]
    expires_at: str | None
    last_used_at: str | None
    created_at: str
    created_by: str
    revoked_at: str | None


class ApiKeyListReply(PaginatedPage):
    """API keys, the newest first."""

    keys: list[ApiKeyItem]


class MadeApiKeyReply(Success):
    """A new secret, shown this once."""

    key: ApiKeyItem
    secret: str


class RevokedReply(Success):
    """It opens nothing any more."""

    id: str


class KeyPermissions(RequestBody):
    """What a page may do with a key."""

    chat: bool = True
    voice: bool = False


class PublicKeyPatch(RequestBody):
    """What shall change of a public key; null clears what may be empty."""

    name: Name | None = None
    allowed_origins: Origins | None = None
    permissions: KeyPermissions | None = None
    environment: Environment | None = None
    deployment_id: Id | None = None
    show_activity_updates: bool | None = None
    require_origin: bool | None = None
    allow_agent_override: bool | None = None
    expires_at: Moment | None = None


class PublicKeyBody(PublicKeyPatch):
    """A public key to make."""

    name: Name
    allowed_origins: Origins


class ShownPermissions(Wire):
    """What a page may do with a key."""

    chat: bool
    voice: bool


class PublicKeyItem(Wire):
    """A public key without itself."""

    id: str
    name: str
    prefix: str
    project_id: str
    allowed_origins: list[str]
    permissions: ShownPermissions
    environment: str | None
    deployment_id: str | None
    show_activity_updates: bool
    require_origin: bool
    allow_agent_override: bool
    expires_at: str | None
    last_used_at: str | None
    created_at: str
    created_by: str
    revoked_at: str | None


class PublicKeyListReply(PaginatedPage):
    """The public keys of a project, the newest first."""

    keys: list[PublicKeyItem]


class PublicKeyReply(Success):
    """One public key."""

    key: PublicKeyItem


class MadePublicKeyReply(PublicKeyReply):
    """A new public key with itself, shown this once."""

    secret: str


def changes_of(body: PublicKeyPatch) -> dict[str, Any]:
    """Return what a body says, by the names of `NewPublicKey`; null is the field's default."""
    unsaid = NewPublicKey(name="")
    changes: dict[str, Any] = {}
    for name in body.model_fields_set - {"permissions"}:
        given = getattr(body, name)
        changes[name] = given if given is not None else getattr(unsaid, name)
    if "allowed_origins" in changes:
        changes["allowed_origins"] = tuple(changes["allowed_origins"])
    if isinstance(changes.get("expires_at"), str):
        changes["expires_at"] = utc_moment(changes["expires_at"])
    if "permissions" in body.model_fields_set:
        permissions = body.permissions or KeyPermissions()
        changes |= {name: getattr(permissions, name) for name in ("chat", "voice")}
    return changes


def api_key_item(key: ApiKeyView) -> ApiKeyItem:
    """Return an API key as it is shown."""
    return ApiKeyItem(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        scopes=list(key.scopes),
        project_id=key.project_id,
        environments=list(key.environments),
        expires_at=_shown(key.expires_at),
        last_used_at=_shown(key.last_used_at),
        created_at=iso_ms(key.created_at),
        created_by=key.created_by,
        revoked_at=_shown(key.revoked_at),
    )


def public_key_item(key: PublicKeyView) -> PublicKeyItem:
    """Return a public key as it is shown."""
    return PublicKeyItem(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        project_id=key.project_id,
        allowed_origins=list(key.allowed_origins),
        permissions=ShownPermissions(chat=key.chat, voice=key.voice),
        environment=key.environment or None,
        deployment_id=key.deployment_id or None,
        show_activity_updates=key.show_activity_updates,
        require_origin=key.require_origin,
        allow_agent_override=key.allow_agent_override,
        expires_at=_shown(key.expires_at),
        last_used_at=_shown(key.last_used_at),
        created_at=iso_ms(key.created_at),
        created_by=key.created_by,
        revoked_at=_shown(key.revoked_at),
    )


def made_api_key(made: MadeKey) -> MadeApiKeyReply:
    """Return the reply that shows a new secret."""
    return MadeApiKeyReply(key=api_key_item(made.key), secret=made.secret)


def made_public_key(made: MadePublicKey) -> MadePublicKeyReply:
    """Return the reply that shows a new public key."""
    return MadePublicKeyReply(key=public_key_item(made.key), secret=made.secret)


def _shown(moment: datetime | None) -> str | None:
    return iso_ms(moment) if moment is not None else None
