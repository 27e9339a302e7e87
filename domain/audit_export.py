"""Entries of the audit log as CSV: the columns, and what stands in them. Spec: platform-api 14.7."""

from __future__ import annotations

from typing import Final

import msgspec

from domain.audit import AuditRecord
from domain.clock import iso_ms
from domain.json_values import JsonValue

COLUMNS: Final = (
    "id", "timestamp", "actor_type", "actor_id", "actor_label", "action", "category", "resource_type", "resource_id",
    "resource_name", "project_id", "outcome", "ip", "request_id", "details_json",
)  # fmt: skip


def audit_row(record: AuditRecord) -> list[JsonValue]:
    """Return the cells of an entry, in the order of `COLUMNS`."""
    entry = record.entry
    actor, resource = entry.by.actor, entry.resource
    return [
        record.audit_id,
        iso_ms(record.at),
        actor.type,
        actor.id,
        actor.label,
        entry.action,
        entry.category,
        resource.type,
        resource.id,
        resource.name,
        entry.project_id,
        entry.outcome,
        entry.by.ip,
        entry.by.request_id,
        msgspec.json.encode(entry.details).decode(),
    ]
