"""The forms of the API about audit. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class AuditActor(TypedDict):
    """Who acted."""

    type: Literal["user", "api_key", "sdk", "system"]
    id: str
    label: str


AuditCategory = Literal[
    "auth_and_access",
    "workspace_governance",
    "project_and_agent_config",
    "tools_and_credentials",
    "data_and_sessions",
    "evaluation",
    "system",
]


class AuditItem(TypedDict):
    """One action."""

    id: str
    timestamp: str
    actor: AuditActor
    action: str
    category: AuditCategory
    resource: AuditResource
    projectId: str | None
    outcome: Literal["success", "failure"]
    ip: str
    requestId: str
    details: dict[str, Any]


class AuditListReply(TypedDict):
    """What was done, the newest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    entries: list[AuditItem]


class AuditResource(TypedDict):
    """What was acted on."""

    type: str
    id: str
    name: str
