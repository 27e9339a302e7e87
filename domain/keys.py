"""API keys and the keys of pages as people see them: never with their secret. Spec: platform-api 2.1, 2.3, 14.4."""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from msgspec import Struct

ORIGIN: Final = re.compile(
    r"\*|[a-z][a-z0-9+.-]{0,30}://(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])"
    r"(?::(?:[0-9]{1,5}|\*))?",
    re.IGNORECASE,
)
"""What may stand in a list of allowed origins: an origin, one with `*.` or `:*` in it, or `*`."""


class KeyKind(StrEnum):
    """Which of the two: one that programs keep secret, or one that a page carries."""

    SECRET = "secret"
    PUBLIC = "public"


class NewApiKey(Struct, frozen=True, kw_only=True):
    """An API key to make.

    Attributes:
        project_id: The only project it opens; None opens all of its tenant.
        environments: Where it may run agents; none means anywhere.
    """

    name: str
    scopes: tuple[str, ...]
    project_id: str | None = None
    environments: tuple[str, ...] = ()
    expires_at: datetime | None = None


class ApiKeyView(NewApiKey, frozen=True, kw_only=True):
    """An API key as its owner sees it; `prefix` is the beginning of its secret."""

    id: str
    prefix: str
    created_at: datetime
    created_by: str
    last_used_at: datetime | None
    revoked_at: datetime | None


class NewPublicKey(Struct, frozen=True, kw_only=True):
    """A public key to make, or what it shall be from now on.

    Attributes:
        require_origin: Refuse what says no origin, as all do that are no browsers.
        environment, deployment_id: The agents that its sessions run; both empty takes the project's default.
    """

    name: str
    allowed_origins: tuple[str, ...] = ()
    chat: bool = True
    voice: bool = False
    environment: str = ""
    deployment_id: str = ""
    show_activity_updates: bool = False
    require_origin: bool = True
    allow_agent_override: bool = False
    expires_at: datetime | None = None


class PublicKeyView(NewPublicKey, frozen=True, kw_only=True):
    """A public key as its owner sees it."""

    id: str
    project_id: str
    prefix: str
    created_at: datetime
    created_by: str
    last_used_at: datetime | None
    revoked_at: datetime | None


class MadeKey(NamedTuple):
    """A new API key with its secret, which nobody sees again."""

    key: ApiKeyView
    secret: str


class MadePublicKey(NamedTuple):
    """A new public key with itself, which nobody sees again."""

    key: PublicKeyView
    secret: str


def is_origin(text: str) -> bool:
    """Return whether a text may stand in a list of allowed origins.

    >>> is_origin("https://*.example.com"), is_origin("http://localhost:*"), is_origin("example.com")
    (True, True, False)
    """
    return ORIGIN.fullmatch(text) is not None
