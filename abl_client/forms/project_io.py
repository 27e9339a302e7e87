"""The forms of the API about project-io. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Applied(TypedDict):
    """What an import has done."""

    created: int
    updated: int
    deleted: int


class Dependencies(TypedDict):
    """What the agents of a project need of each other."""

    edges: list[EdgeItem]
    validation: GraphValidation


EdgeItem = TypedDict(
    "EdgeItem",
    {
        "from": "str",
        "to": "str",
        "type": "Literal['handoff', 'delegate', 'tool']",
    },
)
"""An agent leads to another, or uses a tool."""


class ExportPreviewReply(TypedDict):
    """What an export would hold."""

    success: NotRequired[Literal[True]]
    project: ProjectNames
    agents: list[PreviewedAgent]
    tools: list[PreviewedTool]
    dependencies: Dependencies


class ExportReply(TypedDict):
    """A project as texts: path -> text, in the order of its documents."""

    success: NotRequired[Literal[True]]
    manifest: Manifest
    lockfile: Lockfile
    files: dict[str, str]
    warnings: list[str]


class GraphValidation(TypedDict):
    """Whether each edge leads to something, and a sentence for each that does not."""

    valid: bool
    errors: list[str]


class ImportBody(TypedDict):
    """Texts to write as drafts; with `replace`, agents and tools that are not among them are deleted."""

    files: NotRequired[dict[str, str]]
    mode: NotRequired[Literal["merge", "replace"]]


class ImportPreviewReply(TypedDict):
    """What an import would do; `error` is null."""

    success: NotRequired[Literal[True]]
    preview: PreviewDetail
    error: NotRequired[None]


class ImportReply(TypedDict):
    """What an import has done, and what was noticed; texts with mistakes are written all the same."""

    success: NotRequired[Literal[True]]
    applied: Applied
    warnings: list[str]


class LockedAgent(TypedDict):
    """The text an agent has in an export; its version is `draft`."""

    version: str
    hash: str


class Lockfile(TypedDict):
    """Agent -> its text."""

    agents: dict[str, LockedAgent]


class Manifest(TypedDict):
    """What an export is of; `version` follows from the texts."""

    formatVersion: Literal[1]
    name: str
    version: str
    entryAgent: str | None
    agents: dict[str, ManifestEntry]
    tools: dict[str, ManifestEntry]
    profiles: dict[str, ManifestEntry]
    languages: dict[str, ManifestEntry]
    exportedAt: str
    exportedBy: str


class ManifestEntry(TypedDict):
    """A text in an export."""

    sourceHash: str
    path: str


class OperationItem(TypedDict):
    """What an import does with one document, or with the project, of which the entry agent may change."""

    type: Literal["create", "update", "delete", "unchanged"]
    entity: Literal["agent", "tool", "profile", "language", "project"]
    name: str
    reason: str


class PreviewDetail(TypedDict):
    """What an import would do."""

    operations: list[OperationItem]
    summary: PreviewSummary


class PreviewSummary(TypedDict):
    """How many documents change."""

    create: int
    update: int
    delete: int


class PreviewedAgent(TypedDict):
    """An agent, and whether it has a text to export."""

    name: str
    hasDslContent: bool


class PreviewedTool(TypedDict):
    """A tool that is written down in the project."""

    name: str
    toolType: str


class ProjectNames(TypedDict):
    """What a project is called."""

    name: str
    slug: str
