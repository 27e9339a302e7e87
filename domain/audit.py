"""What the audit log says of an action, and the chain that shows when an entry was changed or taken out.

Spec: platform-api 14.7. Each entry of a tenant carries the hash of the one before it: whoever knows the newest hash
can tell whether anything before it was touched.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

import msgspec
from msgspec import Struct, field

from domain.clock import iso_ms
from domain.json_values import JsonObject

ActorType = Literal["user", "api_key", "sdk", "system"]
Outcome = Literal["success", "failure"]
GENESIS: Final = b"\0" * 32
"""What the first entry of a tenant follows."""


class AuditCategory(StrEnum):
    """What an action is about."""

    ACCESS = "auth_and_access"
    WORKSPACE = "workspace_governance"
    PROJECT = "project_and_agent_config"
    CREDENTIALS = "tools_and_credentials"
    SESSIONS = "data_and_sessions"
    EVALUATION = "evaluation"
    SYSTEM = "system"


class Actor(Struct, frozen=True):
    """Who acted: the id of a user or of a key, and how people call it."""

    type: ActorType
    id: str
    label: str = ""


class Initiator(Struct, frozen=True):
    """Who asked for an action, from where, in which request.

    Attributes:
        request_key: What stands for the request's `Idempotency-Key`, of one caller; "" when it came without one.
    """

    actor: Actor
    ip: str = ""
    request_id: str = ""
    request_key: str = ""


SYSTEM: Final = Initiator(Actor("system", "system", "ABL Runtime"))
"""The runtime itself: what a timer or a limit did."""


class Resource(Struct, frozen=True):
    """What was acted on."""

    type: str
    id: str
    name: str = ""


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One action. No secret and no text of a message stands in `details`.

    Attributes:
        action: `<resource>.<verb>`, e.g. `api_key.create`.
    """

    by: Initiator
    action: str
    category: AuditCategory
    resource: Resource
    project_id: str = ""
    outcome: Outcome = "success"
    details: JsonObject = field(default_factory=dict)


class AuditRecord(Struct, frozen=True):
    """A kept entry, with its place in the chain of its tenant."""

    number: int
    audit_id: str
    at: datetime
    entry: AuditEntry
    hash: bytes


class AuditFilter(Struct, frozen=True, kw_only=True):
    """Which entries; None and empty mean any. `project_ids` are those that may be seen, the empty one the tenant's."""

    since: datetime | None = None
    until: datetime | None = None
    action: str = ""
    category: str = ""
    actor_id: str = ""
    project_id: str = ""
    outcome: str = ""
    project_ids: tuple[str, ...] | None = None


def chained(previous: bytes, tenant_id: str, number: int, at: datetime, entry: AuditEntry) -> bytes:
    """Return the hash (SHA-256, 32 bytes) of an entry that follows the one with the hash `previous`."""
    said = msgspec.json.encode([tenant_id, number, iso_ms(at), entry], order="deterministic")
    return hashlib.sha256(previous + said).digest()
