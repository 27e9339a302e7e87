"""The forms of the API about callbacks. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class CallbackItem(TypedDict):
    """A callback without its secret."""

    id: str
    sessionId: str
    agentName: str
    toolName: str
    status: Literal["pending", "processed", "expired", "cancelled"]
    createdAt: str
    expiresAt: str


class CallbackListReply(TypedDict):
    """Callbacks of a project."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    callbacks: list[CallbackItem]


class CallbackReply(TypedDict):
    """The one success body without `success`."""

    ok: NotRequired[Literal[True]]
    status: NotRequired[Literal["already_processed"] | None]
