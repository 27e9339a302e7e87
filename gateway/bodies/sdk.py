"""Bodies of the SDK bootstrap. Spec: platform-api 12.1."""

from __future__ import annotations

from domain.json_values import JsonValue
from gateway.bodies.texts import Id, RequestBody
from gateway.envelope import Success


class SdkUser(RequestBody):
    """Who the page says is there; untrusted."""

    id: Id | None = None
    display_name: str | None = None
    attributes: dict[str, JsonValue] | None = None


class SdkInitBody(RequestBody):
    """A page that wants to speak with an agent."""

    project_id: Id | None = None
    channel_id: Id | None = None
    channel_name: Id | None = None
    resume_token: str | None = None
    user: SdkUser | None = None


class SdkInitReply(Success):
    """A token for the page."""

    token: str
    expires_in: int
    tenant_id: str
    project_id: str
    channel_id: str | None
    permissions: list[str]
    show_activity_updates: bool
    session_id: str | None
    ws_url: str


class SdkTokenReply(Success):
    """A token in place of an older one."""

    token: str
    expires_in: int


class TicketReply(Success):
    """A ticket that opens one WebSocket."""

    ticket: str
    expires_in: int
