"""Bodies of project transfer. Spec: platform-api 9."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from actors.transfer import ExportPreview, Imported
from domain import limits
from domain.transfer import Change, ImportMode, Operation, counted
from gateway.bodies.texts import RequestBody
from gateway.envelope import ErrorDetail, Success, Wire

Files = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "object",
            "maxProperties": limits.IMPORT_FILES_MAX,
            "additionalProperties": {"type": "string", "maxLength": limits.IMPORT_FILE_MAX_BYTES},
            "description": "Path -> text: agents/<name>.abl, tools/<name>.tools.abl, profiles/<name>.abl, project.json",
        }
    ),
]
"""Any JSON here; `domain.transfer.checked_files` refuses what is none, in the order of the specification."""


class ImportBody(RequestBody):
    """Texts to write as drafts; with `replace`, agents and tools that are not among them are deleted."""

    files: Files = None
    mode: Literal["merge", "replace"] = "merge"

    @property
    def has_files(self) -> bool:
        """Return whether anything was given as files."""
        return "files" in self.model_fields_set

    @property
    def import_mode(self) -> ImportMode:
        """Return the mode."""
        return ImportMode(self.mode)


class ProjectNames(Wire):
    """What a project is called."""

    name: str
    slug: str


class PreviewedAgent(Wire):
    """An agent, and whether it has a text to export."""

    name: str
    has_dsl_content: bool


class PreviewedTool(Wire):
    """A tool that is written down in the project."""

    name: str
    tool_type: str


class EdgeItem(Wire):
    """An agent leads to another, or uses a tool."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    type: Literal["handoff", "delegate", "tool"]


class GraphValidation(Wire):
    """Whether each edge leads to something, and a sentence for each that does not."""

    valid: bool
    errors: list[str]


class Dependencies(Wire):
    """What the agents of a project need of each other."""

    edges: list[EdgeItem]
    validation: GraphValidation


class ExportPreviewReply(Success):
    """What an export would hold."""

    project: ProjectNames
    agents: list[PreviewedAgent]
    tools: list[PreviewedTool]
    dependencies: Dependencies


class ManifestEntry(Wire):
    """A text in an export."""

    source_hash: str
    path: str


class Manifest(Wire):
    """What an export is of; `version` follows from the texts."""

    format_version: Literal[1]
    name: str
    version: str
    entry_agent: str | None
    agents: dict[str, ManifestEntry]
    tools: dict[str, ManifestEntry]
    profiles: dict[str, ManifestEntry]
    languages: dict[str, ManifestEntry]
    exported_at: str
    exported_by: str


class LockedAgent(Wire):
    """The text an agent has in an export; its version is `draft`."""

    version: str
    hash: str


class Lockfile(Wire):
    """Agent -> its text."""

    agents: dict[str, LockedAgent]


class ExportReply(Success):
    """A project as texts: path -> text, in the order of its documents."""

    manifest: Manifest
    lockfile: Lockfile
    files: dict[str, str]
    warnings: list[str]


class OperationItem(Wire):
    """What an import does with one document, or with the project, of which the entry agent may change."""

    type: Literal["create", "update", "delete", "unchanged"]
    entity: Literal["agent", "tool", "profile", "language", "project"]
    name: str
    reason: str


class PreviewSummary(Wire):
    """How many documents change."""

    create: int
    update: int
    delete: int


class PreviewDetail(Wire):
    """What an import would do."""

    operations: list[OperationItem]
    summary: PreviewSummary


class ImportPreviewReply(Success):
    """What an import would do; `error` is null."""

    preview: PreviewDetail
    error: None = None


class ImportPreviewRefusal(Wire):
    """Why files would not be imported."""

    success: Literal[False] = False
    preview: None = None
    error: ErrorDetail


class Applied(Wire):
    """What an import has done."""

    created: int
    updated: int
    deleted: int


class ImportReply(Success):
    """What an import has done, and what was noticed; texts with mistakes are written all the same."""

    applied: Applied
    warnings: list[str]


def export_preview_reply(found: ExportPreview) -> ExportPreviewReply:
    """Return what an export would hold as it is shown."""
    graph = found.graph
    edges = [EdgeItem.model_validate({"from": one.source, "to": one.target, "type": one.type}) for one in graph.edges]
    return ExportPreviewReply(
        project=ProjectNames(name=found.name, slug=found.slug),
        agents=[PreviewedAgent(name=name, has_dsl_content=has_text) for name, has_text in found.agents.items()],
        tools=[PreviewedTool(name=one.name, tool_type=one.type) for one in graph.tools],
        dependencies=Dependencies(edges=edges, validation=GraphValidation(valid=not graph.errors, errors=graph.errors)),
    )


def import_preview_reply(operations: Iterable[Operation]) -> ImportPreviewReply:
    """Return what an import would do as it is shown."""
    operations = list(operations)
    counts = counted(operations)
    items = [
        OperationItem(type=one.change.value, entity=one.place.entity.value, name=one.place.name, reason=one.reason)
        for one in operations
    ]
    summary = PreviewSummary(create=counts[Change.CREATE], update=counts[Change.UPDATE], delete=counts[Change.DELETE])
    return ImportPreviewReply(preview=PreviewDetail(operations=items, summary=summary))


def import_reply(done: Imported) -> ImportReply:
    """Return what an import has done as it is shown."""
    counts = done.counts
    applied = Applied(created=counts[Change.CREATE], updated=counts[Change.UPDATE], deleted=counts[Change.DELETE])
    return ImportReply(applied=applied, warnings=done.warnings)
