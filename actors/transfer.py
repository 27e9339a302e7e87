"""Taking a project out as texts, and putting texts into one. Spec: platform-api 9."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from actors.project_graph import ProjectGraph
from domain.audit import Initiator
from domain.json_values import JsonObject
from domain.transfer import Change, ImportFiles, ImportMode, Operation


class ExportPreview(NamedTuple):
    """What an export would hold; `agents` is agent -> whether it has a text."""

    name: str
    slug: str
    agents: dict[str, bool]
    graph: ProjectGraph


class ExportedProject(NamedTuple):
    """A project as texts; `files` is path -> text in the order of the documents."""

    slug: str
    manifest: JsonObject
    lockfile: JsonObject
    files: dict[str, str]
    warnings: list[str]


class Imported(NamedTuple):
    """What an import has done."""

    counts: dict[Change, int]
    warnings: list[str]


class TransferDesk(Protocol):
    """Projects as texts."""

    async def preview_export(self, tenant_id: str, project_id: str) -> ExportPreview:
        """Return what an export would hold. Raises NotFound; TooLarge: more documents than an export may have."""
        ...

    async def export(
        self, tenant_id: str, project_id: str, *, include_deployments: bool, by: Initiator
    ) -> ExportedProject:
        """Return a project as texts. Raises NotFound; TooLarge: more documents or bytes than an export may have."""
        ...

    async def zipped(self, exported: ExportedProject) -> bytes:
        """Return an export as a zip file, the same bytes for the same export."""
        ...

    async def preview_import(
        self, tenant_id: str, project_id: str, files: ImportFiles, mode: ImportMode
    ) -> list[Operation]:
        """Return what an import would do. Raises Conflict, as the import: an active deployment uses what it deletes."""
        ...

    async def import_files(
        self, tenant_id: str, project_id: str, files: ImportFiles, mode: ImportMode, by: Initiator
    ) -> Imported:
        """Write drafts, all of them or none.

        Raises:
            Conflict: Another import is under way (IMPORT_IN_PROGRESS), or what is to be deleted is deployed.
        """
        ...
