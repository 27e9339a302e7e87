"""Bodies of the tool secrets: a value goes in and never comes out. Spec: platform-api 7.2."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, WithJsonSchema

from actors.tool_secrets import NewSecret
from domain import limits
from domain.clock import iso_ms
from domain.errors import InvalidInput
from gateway.bodies.moments import moment_of
from gateway.bodies.texts import QueryMoment, RequestBody
from gateway.envelope import NumberedPage, Success, Wire
from gateway.errors import missing
from storage.repositories.credentials import CredentialMeta

MISSING = "Missing required fields"
VALUE_TOO_LONG = "Secret value exceeds maximum length"
NAME_TOO_LONG = f"Field names must not exceed {limits.SECRET_NAME_MAX_CHARS} characters"
IN_THE_PAST = "must be in the future"

Environment = Literal["dev", "staging", "production"]
Name = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": limits.SECRET_NAME_MAX_CHARS}),
]
Value = Annotated[
    str | None,
    WithJsonSchema(
        {"type": "string", "minLength": 1, "maxLength": limits.SECRET_VALUE_MAX_CHARS, "format": "password"}
    ),
]


class NewSecretBody(RequestBody):
    """A secret for a tool, or under the name `*` for all tools; refused with the sentences of the specification."""

    model_config = ConfigDict(json_schema_extra={"required": ["projectId", "toolName", "secretKey", "value"]})

    project_id: Name = None
    tool_name: Name = None
    secret_key: Name = None
    value: Value = None
    environment: Environment = "dev"
    expires_at: QueryMoment | None = None


class RotatedSecretBody(RequestBody):
    """Another value."""

    model_config = ConfigDict(json_schema_extra={"required": ["value"]})

    value: Value = None


class CreatedSecret(Wire):
    """A secret that was kept; its value is never shown."""

    id: str
    tool_name: str
    secret_key: str
    environment: str
    version: int
    expires_at: str | None
    created_at: str


class RotatedSecret(Wire):
    """A secret under its next version."""

    id: str
    tool_name: str
    secret_key: str
    environment: str
    version: int
    updated_at: str


class SecretItem(CreatedSecret):
    """A secret in a list."""

    updated_at: str


class CreatedSecretReply(Success):
    """The answer to a creation."""

    secret: CreatedSecret


class RotatedSecretReply(Success):
    """The answer to a rotation."""

    secret: RotatedSecret


class SecretListReply(NumberedPage):
    """Some secrets of a project, without their values."""

    secrets: list[SecretItem]


def new_secret(body: NewSecretBody, now: datetime) -> NewSecret:
    """Return the secret that a body wants.

    Raises:
        MalformedRequest: Something is missing.
        InvalidInput: Something is too long, or the secret would have expired.
    """
    if not (body.project_id and body.tool_name and body.secret_key and body.value):
        given = body.model_dump(by_alias=True, include={"project_id", "tool_name", "secret_key", "value"})
        raise missing(MISSING, *(name for name, value in given.items() if not value))
    if max(map(len, (body.project_id, body.tool_name, body.secret_key))) > limits.SECRET_NAME_MAX_CHARS:
        raise InvalidInput(NAME_TOO_LONG)
    expires_at = moment_of(body.expires_at or "")
    if expires_at is not None and expires_at <= now:
        fields = [{"path": "/expiresAt", "message": IN_THE_PAST}]
        raise InvalidInput(f"expiresAt {IN_THE_PAST}", details={"fields": fields})
    return NewSecret(
        project_id=body.project_id,
        tool_name=body.tool_name,
        secret_key=body.secret_key,
        value=checked_value(body.value),
        environment=body.environment,
        expires_at=expires_at,
    )


def checked_value(value: str | None) -> str:
    """Return a secret value that may be kept. Raises MalformedRequest, InvalidInput."""
    if not value:
        raise missing(MISSING, "value")
    if len(value) > limits.SECRET_VALUE_MAX_CHARS:
        raise InvalidInput(VALUE_TOO_LONG)
    return value


def created_secret(meta: CredentialMeta) -> CreatedSecret:
    """Return a new secret as it is shown."""
    return CreatedSecret(**_names(meta), expires_at=_moment(meta.expires_at), created_at=iso_ms(meta.created_at))


def rotated_secret(meta: CredentialMeta) -> RotatedSecret:
    """Return a secret as it is shown after its rotation."""
    return RotatedSecret(**_names(meta), updated_at=iso_ms(meta.updated_at))


def secret_item(meta: CredentialMeta) -> SecretItem:
    """Return a secret as a list shows it."""
    return SecretItem(
        **_names(meta),
        expires_at=_moment(meta.expires_at),
        created_at=iso_ms(meta.created_at),
        updated_at=iso_ms(meta.updated_at),
    )


def _names(meta: CredentialMeta) -> dict[str, Any]:
    return {
        "id": meta.credential_id,
        "tool_name": meta.tool_name,
        "secret_key": meta.secret_key,
        "environment": meta.environment,
        "version": meta.version,
    }


def _moment(moment: datetime | None) -> str | None:
    return iso_ms(moment) if moment is not None else None
