"""Bodies of the callback routes. Spec: platform-api 7.1."""

from __future__ import annotations

from typing import Literal

from gateway.envelope import PaginatedPage, Wire


class CallbackReply(Wire):
    """The one success body without `success`."""

    ok: Literal[True] = True
    status: Literal["already_processed"] | None = None


class CallbackItem(Wire):
    """A callback without its secret."""

    id: str
    session_id: str
    agent_name: str
    tool_name: str
    status: Literal["pending", "processed", "expired", "cancelled"]
    created_at: str
    expires_at: str


class CallbackListReply(PaginatedPage):
    """Callbacks of a project."""

    callbacks: list[CallbackItem]
