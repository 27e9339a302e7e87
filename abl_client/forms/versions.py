"""The forms of the API about versions. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class DiffReply(TypedDict):
    """What is different, as a unified diff; empty when nothing is."""

    success: NotRequired[Literal[True]]
    diff: str


class NewVersionBody(TypedDict):
    """A version to freeze; without a name it gets the next integer."""

    version: NotRequired[str | None]
    label: NotRequired[str | None]
    changelog: NotRequired[str | None]
    expectedDraftSourceHash: NotRequired[str | None]


class VersionDetail(TypedDict):
    """A version with its text."""

    version: str
    sourceHash: str
    label: str | None
    changelog: str | None
    createdAt: str
    createdBy: str
    dslContent: str


class VersionItem(TypedDict):
    """A version without its text."""

    version: str
    sourceHash: str
    label: str | None
    changelog: str | None
    createdAt: str
    createdBy: str


class VersionListReply(TypedDict):
    """The versions of an agent, the newest first."""

    success: NotRequired[Literal[True]]
    versions: list[VersionItem]


class VersionReply(TypedDict):
    """One version."""

    success: NotRequired[Literal[True]]
    version: VersionDetail
