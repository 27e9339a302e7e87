"""Bodies of the audit log. Spec: platform-api 14.7."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from domain.audit import AuditCategory, AuditRecord
from domain.clock import iso_ms
from gateway.envelope import PaginatedPage, Wire


class AuditActor(Wire):
    """Who acted."""

    type: Literal["user", "api_key", "sdk", "system"]
    id: str
    label: str


class AuditResource(Wire):
    """What was acted on."""

    type: str
    id: str
    name: str


class AuditItem(Wire):
    """One action."""

    id: str
    timestamp: str
    actor: AuditActor
    action: str
    category: AuditCategory
    resource: AuditResource
    project_id: str | None
    outcome: Literal["success", "failure"]
    ip: str
    request_id: str
    details: dict[str, Any] = Field(description="free JSON, by the action")


class AuditListReply(PaginatedPage):
    """What was done, the newest first."""

    entries: list[AuditItem]


def audit_item(record: AuditRecord) -> AuditItem:
    """Return an entry as it is shown."""
    entry = record.entry
    actor, resource = entry.by.actor, entry.resource
    return AuditItem(
        id=record.audit_id,
        timestamp=iso_ms(record.at),
        actor=AuditActor(type=actor.type, id=actor.id, label=actor.label),
        action=entry.action,
        category=entry.category,
        resource=AuditResource(type=resource.type, id=resource.id, name=resource.name),
        project_id=entry.project_id or None,
        outcome=entry.outcome,
        ip=entry.by.ip,
        request_id=entry.by.request_id,
        details=entry.details,
    )
