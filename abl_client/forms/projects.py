"""The forms of the API about projects. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals


class NewProjectBody(TypedDict):
    """A project to make; without a slug one is made of its name."""

    name: str
    description: NotRequired[str]
    slug: NotRequired[str | None]


class ProjectChangeBody(TypedDict):
    """What is to be different; `entryAgentName: null` clears it."""

    name: NotRequired[str | None]
    description: NotRequired[str | None]
    slug: NotRequired[str | None]
    entryAgentName: NotRequired[str | None]
    settings: NotRequired[ProjectSettingsBody | None]


class ProjectItem(TypedDict):
    """A project."""

    id: str
    tenantId: str
    name: str
    slug: str
    description: str
    entryAgentName: str | None
    settings: SettingsItem
    agentCount: int
    createdAt: str
    updatedAt: str


class ProjectListReply(TypedDict):
    """Projects, the oldest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    projects: list[ProjectItem]


class ProjectReply(TypedDict):
    """One project."""

    success: NotRequired[Literal[True]]
    project: ProjectItem


class ProjectSettingsBody(TypedDict):
    """Settings to change; what is not given stays. Their bounds stand in `domain.projects`."""

    sessionIdleTimeoutSec: NotRequired[int | None]
    turnTimeoutSec: NotRequired[int | None]
    callbackTtlSec: NotRequired[int | None]
    drainTimeoutSec: NotRequired[int | None]
    maxMessageChars: NotRequired[int | None]
    traceRetentionDays: NotRequired[int | None]
    evalRetentionDays: NotRequired[int | None]
    voice: NotRequired[VoiceSettingsBody | None]


class SettingsItem(TypedDict):
    """The settings of a project; times in seconds."""

    sessionIdleTimeoutSec: int
    turnTimeoutSec: int
    callbackTtlSec: int
    drainTimeoutSec: int
    maxMessageChars: int
    traceRetentionDays: int
    evalRetentionDays: int
    voice: VoiceItem


class VoiceItem(TypedDict):
    """How the agents speak."""

    mode: Literal["pipeline", "realtime"]
    voice: str | None
    language: str | None


class VoiceSettingsBody(TypedDict):
    """How the agents speak."""

    mode: NotRequired[Literal["pipeline", "realtime"] | None]
    voice: NotRequired[str | None]
    language: NotRequired[str | None]
