"""The part of the API about audit. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport

if TYPE_CHECKING:
    from abl_client.forms.audit import AuditCategory, AuditListReply


class AuditApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_audit_entries(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        action: str | None = None,
        category: AuditCategory | None = None,
        actor_id: str | None = None,
        project_id: str | None = None,
        outcome: Literal["success", "failure"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        format_: Literal["csv"] | None = None,
    ) -> AuditListReply:
        """Return what was done in the tenant, the newest first; as CSV all of it, without pages."""
        return cast(
            "AuditListReply",
            self._transport.json(
                "GET",
                "/api/audit-logs",
                query={
                    "from": from_,
                    "to": to,
                    "action": action,
                    "category": category,
                    "actorId": actor_id,
                    "projectId": project_id,
                    "outcome": outcome,
                    "limit": limit,
                    "offset": offset,
                    "format": format_,
                },
                schemes=("apiKey", "bearer"),
            ),
        )
