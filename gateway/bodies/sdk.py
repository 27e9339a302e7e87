"""Bodies of the SDK bootstrap. Spec: platform-api 12.1."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from domain import limits
from domain.json_values import JsonObject, JsonValue
from gateway import bounds
from gateway.bodies.texts import Id, TolerantBody, checked_values
from gateway.envelope import Success

CALLER_NAMES = frozenset({"channel", "userId", "displayName"})


class SdkUser(TolerantBody):
    """Who the page says is there; untrusted."""

    id: Id | None = None
    display_name: Annotated[str, Field(max_length=limits.CONTACT_NAME_MAX_CHARS)] | None = None
    attributes: dict[str, JsonValue] | None = None

    def as_caller(self) -> JsonObject:
        """Return what agents read at `caller.`: the attributes, and `displayName`.

        Names under which the platform itself says something are not taken from attributes.

        Raises:
            InvalidInput: The attributes are too many, too long or too deep.
        """
        attributes = checked_values(
            self.attributes, "/user/attributes", max_bytes=bounds.SDK_USER_MAX_BYTES, sentence="Invalid request"
        )
        caller = {name: value for name, value in attributes.items() if name not in CALLER_NAMES}
        return {**caller, "displayName": self.display_name} if self.display_name else caller


class SdkInitBody(TolerantBody):
    """A page that wants to speak with an agent."""

    project_id: Id | None = None
    channel_id: Id | None = None
    channel_name: Id | None = None
    agent_id: Id | None = None
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
