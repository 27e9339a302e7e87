"""The forms of the API about sdk. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class SdkInitBody(TypedDict):
    """A page that wants to speak with an agent."""

    projectId: NotRequired[str | None]
    channelId: NotRequired[str | None]
    channelName: NotRequired[str | None]
    agentId: NotRequired[str | None]
    resumeToken: NotRequired[str | None]
    user: NotRequired[SdkUser | None]


class SdkInitReply(TypedDict):
    """A token for the page."""

    success: NotRequired[Literal[True]]
    token: str
    expiresIn: int
    tenantId: str
    projectId: str
    channelId: str | None
    permissions: list[str]
    showActivityUpdates: bool
    sessionId: str | None
    wsUrl: str


class SdkTokenReply(TypedDict):
    """A token in place of an older one."""

    success: NotRequired[Literal[True]]
    token: str
    expiresIn: int


class SdkUser(TypedDict):
    """Who the page says is there; untrusted."""

    id: NotRequired[str | None]
    displayName: NotRequired[str | None]
    attributes: NotRequired[dict[str, Any] | None]


class ThemeItem(TypedDict):
    """Colours and shape of a widget; what is null is the widget's own."""

    primaryColor: NotRequired[str | None]
    textColor: NotRequired[str | None]
    backgroundColor: NotRequired[str | None]
    borderRadius: NotRequired[float | None]
    fontFamily: NotRequired[str | None]
    darkMode: NotRequired[bool | None]


class TicketReply(TypedDict):
    """A ticket that opens one WebSocket."""

    success: NotRequired[Literal[True]]
    ticket: str
    expiresIn: int


class WidgetItem(TypedDict):
    """A widget as a page shows it."""

    mode: Literal["chat", "voice", "unified"]
    position: NotRequired[Literal["bottom-right", "bottom-left", "top-right", "top-left"]]
    theme: NotRequired[ThemeItem]
    welcomeMessage: NotRequired[str | None]
    placeholderText: NotRequired[str | None]
    voiceEnabled: bool
    chatEnabled: bool


class WidgetPermissions(TypedDict):
    """What the key of a page allows."""

    chat: bool
    voice: bool


class WidgetReply(TypedDict):
    """The configuration of a widget."""

    success: NotRequired[Literal[True]]
    projectId: str
    permissions: WidgetPermissions
    config: WidgetItem
