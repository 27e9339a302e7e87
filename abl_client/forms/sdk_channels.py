"""The forms of the API about sdk-channels. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class ChannelChangeBody(TypedDict):
    """What is to be different; a deployment or environment of null is none."""

    name: NotRequired[str | None]
    channelType: NotRequired[Literal["web", "mobile_ios", "mobile_android", "voice", "api"] | None]
    publicApiKeyId: NotRequired[str | None]
    deploymentId: NotRequired[str | None]
    environment: NotRequired[Literal["dev", "staging", "production"] | None]
    followEnvironment: NotRequired[bool | None]
    config: NotRequired[WidgetBody | None]
    isActive: NotRequired[bool | None]


class ChannelItem(TypedDict):
    """A channel."""

    id: str
    tenantId: str
    projectId: str
    name: str
    channelType: Literal["web", "mobile_ios", "mobile_android", "voice", "api"]
    deploymentId: str | None
    publicApiKeyId: str
    config: dict[str, Any]
    isActive: bool
    environment: str | None
    followEnvironment: bool
    createdAt: str
    updatedAt: str


class ChannelListReply(TypedDict):
    """The channels of a project, the oldest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    channels: list[ChannelItem]


class ChannelReply(TypedDict):
    """One channel."""

    success: NotRequired[Literal[True]]
    channel: ChannelItem


class NewChannelBody(TypedDict):
    """A channel to make; without a deployment it follows what is active in its environment."""

    name: str
    channelType: Literal["web", "mobile_ios", "mobile_android", "voice", "api"]
    publicApiKeyId: str
    deploymentId: NotRequired[str | None]
    environment: NotRequired[Literal["dev", "staging", "production"] | None]
    followEnvironment: NotRequired[bool]
    config: NotRequired[WidgetBody | None]
    isActive: NotRequired[bool]


class ThemeBody(TypedDict):
    """Colours and shape of a widget."""

    primaryColor: NotRequired[str | None]
    textColor: NotRequired[str | None]
    backgroundColor: NotRequired[str | None]
    borderRadius: NotRequired[float | None]
    fontFamily: NotRequired[str | None]
    darkMode: NotRequired[bool | None]


class WidgetBody(TypedDict):
    """What a channel says of its widget; what is not given has its default."""

    mode: NotRequired[Literal["chat", "voice", "unified"] | None]
    position: NotRequired[Literal["bottom-right", "bottom-left", "top-right", "top-left"] | None]
    theme: NotRequired[ThemeBody | None]
    welcomeMessage: NotRequired[str | None]
    placeholderText: NotRequired[str | None]
    voiceEnabled: NotRequired[bool | None]
    chatEnabled: NotRequired[bool | None]
