"""Project transfer over the store: one transaction writes an import, under a lock that outlives no worker for long.

Spec: platform-api 9.
"""

from __future__ import annotations

import asyncio
import logging
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Final

import msgspec
from msgspec import UNSET

from actors.compiling import kind_of
from actors.project_graph import ENTITIES, graph_of, shortened, tools_in, warnings_of
from actors.transfer import ExportedProject, ExportPreview, Imported
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import Clock, IdSource, iso_ms
from domain.deployments import label_of
from domain.errors import Conflict, NotFound, TooLarge, Unavailable
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.limits import (
    EXPORT_AGENTS_MAX,
    EXPORT_MAX_BYTES,
    EXPORT_TOOLS_MAX,
    IMPORT_FILE_MAX_BYTES,
    IMPORT_FILES_MAX,
)
from domain.project_changes import entry_of, with_project_file
from domain.project_file import PROJECT_FILE, Details, is_name, project_file_of
from domain.transfer import (
    DEPLOYMENTS,
    LOCKFILE,
    MANIFEST,
    WARNINGS,
    Change,
    Entity,
    Existing,
    Exported,
    ImportFiles,
    ImportMode,
    Operation,
    Place,
    counted,
    document_of,
    is_part,
    lockfile_of,
    manifest_of,
    path_of,
    plan,
    source_hash,
    stem_of,
)
from storage.database import Connection, Database
from storage.repositories.audit import AuditLog
from storage.repositories.catalogue import Catalogues
from storage.repositories.deployments import DeploymentRecord, Deployments
from storage.repositories.projects import ProjectRecord, Projects
from storage.repositories.transfer import Document, HeldDocument, Transfer, WrittenDocument

log = logging.getLogger(__name__)
NO_PROJECT: Final = "Project not found"
IN_PROGRESS: Final = "Import already in progress"
KINDS: Final[Mapping[Entity, str]] = {
    Entity.TOOL: "tools",
    Entity.PROFILE: "profile",
    Entity.LANGUAGE: "language",
}
ZIP_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
"""What each file of a zip is dated: the same export gives the same bytes."""
ENVELOPE_BYTES: Final = 4_096


class StoredTransfer:
    """Satisfies `actors.transfer.TransferDesk`."""

    def __init__(self, database: Database, audit: AuditLog, clock: Clock, ids: IdSource) -> None:
        self._database = database
        self._transfer = Transfer(database)
        self._projects = Projects(database)
        self._deployments = Deployments(database)
        self._catalogues = Catalogues(database)
        self._audit = audit
        self._clock = clock
        self._ids = ids

    async def preview_export(self, tenant_id: str, project_id: str) -> ExportPreview:
        """Return what an export would hold."""
        project, documents, _ = await self._read(tenant_id, project_id)
        graph = await asyncio.to_thread(graph_of, _files(documents))
        agents = {
            one.name: bool(one.dsl.strip()) for one in documents if ENTITIES.get(one.kind, Entity.AGENT) is Entity.AGENT
        }
        return ExportPreview(project.name, project.slug, agents, graph)

    async def export(
        self, tenant_id: str, project_id: str, *, include_deployments: bool, by: Initiator
    ) -> ExportedProject:
        """Return a project as texts."""
        project, documents, warnings = await self._read(tenant_id, project_id)
        exported = [one for one in documents if one.dsl.strip()]
        kept = [Exported(_place(one), one.dsl, one.source_hash) for one in exported]
        details = {one.name: _details(one) for one in exported if _place(one).entity is Entity.AGENT}
        set_entry = project.entry_agent_name if project.entry_agent_name in details else None
        entry = set_entry or (await asyncio.to_thread(graph_of, _files(exported))).entry_agent
        manifest = manifest_of(
            project.name, entry, kept, exported_at=iso_ms(self._clock.now()), exported_by=by.actor.label or by.actor.id
        )
        files = {one.path: one.text for one in kept}
        if (said := project_file_of(set_entry, details)) is not None:
            files[PROJECT_FILE] = said
        if include_deployments:
            records = await self._deployments.list(tenant_id, project_id)
            told = [_deployment(one) for one in records]
            files[DEPLOYMENTS] = msgspec.json.format(msgspec.json.encode(told), indent=2).decode()
        if (entries := len(await self._catalogues.list(tenant_id, project_id))) > 0:
            warnings.append(f"{entries} entries of the tool catalogue are not part of an export")
        sizes = {path: len(text.encode()) for path, text in files.items()}
        if sum(len(path) + size_bytes for path, size_bytes in sizes.items()) + ENVELOPE_BYTES > EXPORT_MAX_BYTES:
            raise TooLarge("Export too large (max 100MB)")
        warnings += _too_much(sizes)
        entry_of_log = _entry(project, "export", by, {"files": len(files), "includeDeployments": include_deployments})
        await self._audit.note(tenant_id, entry_of_log)
        return ExportedProject(project.slug, manifest, lockfile_of(kept), files, shortened(warnings))

    async def zipped(self, exported: ExportedProject) -> bytes:
        """Return an export as a zip file."""
        return await asyncio.to_thread(_zipped, exported)

    async def preview_import(
        self, tenant_id: str, project_id: str, files: ImportFiles, mode: ImportMode
    ) -> list[Operation]:
        """Return what an import would do, or refuse it as the import would. Raises Conflict."""
        project = await self._project(tenant_id, project_id)
        operations = _planned(project, await self._transfer.documents(tenant_id, project_id), files, mode)
        if deleted := _deleted(operations):
            async with self._database.transaction() as connection:
                await self._check_unused(connection, tenant_id, project_id, deleted)
        return operations

    async def import_files(
        self, tenant_id: str, project_id: str, files: ImportFiles, mode: ImportMode, by: Initiator
    ) -> Imported:
        """Write drafts, all of them or none."""
        project = await self._project(tenant_id, project_id)
        lock_id = self._ids.new("")
        if not await self._transfer.lock(tenant_id, project_id, lock_id):
            raise _in_progress()
        try:
            found = await asyncio.to_thread(warnings_of, files.texts)
            kinds = {place: _kind(place, text) for place, text in files.texts.items()}
            async with self._database.transaction() as connection:
                operations = await self._write(connection, tenant_id, project_id, files, mode, kinds)
                counts = counted(operations)
                details: JsonObject = {str(change): count for change, count in counts.items()}
                entry = _entry(project, "import", by, {**details, "mode": str(mode)})
                await self._audit.append(connection, tenant_id, entry)
                # In the same transaction: what is written is never answered with an error, nor keeps others out.
                if not await self._transfer.give_back(connection, tenant_id, project_id, lock_id):
                    raise _in_progress()  # this worker was away for longer than the lock lasts
        except BaseException:
            await self._let_go(tenant_id, project_id, lock_id)
            raise
        return Imported(counts, shortened([*files.warnings, *found]))

    async def _let_go(self, tenant_id: str, project_id: str, lock_id: str) -> None:
        try:
            await self._transfer.unlock(tenant_id, project_id, lock_id)
        except Unavailable as error:  # why the import failed is what its caller has to know
            log.warning("the lock of an import of %s stays for its time: %s", project_id, error.message)

    async def _write(
        self,
        connection: Connection,
        tenant_id: str,
        project_id: str,
        files: ImportFiles,
        mode: ImportMode,
        kinds: Mapping[Place, str],
    ) -> list[Operation]:
        project = await self._projects.lock(connection, tenant_id, project_id)
        held = await self._transfer.hold_documents(connection, tenant_id, project_id)
        operations = _planned(project, held, files, mode)
        if deleted := _deleted(operations):
            await self._check_unused(connection, tenant_id, project_id, deleted)
            await self._transfer.delete(connection, tenant_id, project_id, [one.document for one in deleted])
        created = [self._written(one, kinds) for one in operations if one.change is Change.CREATE]
        changed = [self._written(one, kinds) for one in operations if one.change is Change.UPDATE and one.text]
        said = {one.document or document_of(one.place): one.details for one in operations if one.details is not None}
        if created:
            await self._transfer.create(connection, tenant_id, project_id, created)
        if changed:
            await self._transfer.update(connection, tenant_id, project_id, changed)
        if said:
            await self._transfer.describe(connection, tenant_id, project_id, said)
        entry = entry_of(files.project, mode)
        if entry is not UNSET:
            await self._transfer.set_entry(connection, tenant_id, project_id, entry)
        return operations

    def _written(self, operation: Operation, kinds: Mapping[Place, str]) -> WrittenDocument:
        text = operation.text or ""
        return WrittenDocument(
            agent_id=self._ids.new(PREFIXES["agent"]),
            name=operation.document or document_of(operation.place),
            kind=kinds[operation.place],
            dsl=text,
            source_hash=source_hash(text),
        )

    async def _check_unused(
        self, connection: Connection, tenant_id: str, project_id: str, deleted: Sequence[Operation]
    ) -> None:
        """Refuse to delete what an active deployment uses. Raises Conflict."""
        active = await self._transfer.active_deployments(connection, tenant_id, project_id)
        if not active:
            return
        agents = {name for one in active for name in one.agent_version_manifest}
        tools = {name for one in active for name in _tools_of_program(one.ir)}
        libraries = [one.document for one in deleted if one.place.entity is Entity.TOOL]
        texts = await self._transfer.texts(connection, tenant_id, project_id, libraries) if libraries else {}
        used = {name for name, text in texts.items() if not tools.isdisjoint(tools_in(text))}
        used |= {one.document for one in deleted if one.place.entity is Entity.AGENT and one.document in agents}
        if used:
            names = sorted(used)
            raise Conflict(
                f"An active deployment uses {', '.join(names)}",
                details={"reason": "AGENT_IN_USE", "names": list(names)},
            )

    async def _read(self, tenant_id: str, project_id: str) -> tuple[ProjectRecord, list[Document], list[str]]:
        """Return a project with the documents that an export holds, and what is to be said of the others."""
        project = await self._project(tenant_id, project_id)
        documents: dict[Place, Document] = {}
        warnings = []
        for one in await self._transfer.documents(tenant_id, project_id):
            place = _place(one)
            if not is_part(place.name) or place in documents:
                warnings.append(f"{one.name} has no name of its own in an export and was left out")
                continue
            documents[place] = one
            if not one.dsl.strip():
                warnings.append(f"{one.name} has no text and was left out")
            elif not is_name(place.name):
                warnings.append(f"{one.name} is a name that an import refuses")
        if sum(place.entity is Entity.AGENT for place in documents) > EXPORT_AGENTS_MAX:
            raise TooLarge(f"Too many agents to export (max {EXPORT_AGENTS_MAX})")
        libraries = [one.dsl for place, one in documents.items() if place.entity is Entity.TOOL]
        if await asyncio.to_thread(_tools_in_all, libraries) > EXPORT_TOOLS_MAX:
            raise TooLarge(f"Too many tools to export (max {EXPORT_TOOLS_MAX})")
        return project, list(documents.values()), warnings

    async def _project(self, tenant_id: str, project_id: str) -> ProjectRecord:
        project = await self._projects.find(tenant_id, project_id)
        if project is None:
            raise NotFound(NO_PROJECT)
        return project


def _tools_in_all(libraries: Sequence[str]) -> int:
    """Return how many tools some libraries have; one in which none can be read is counted as one."""
    if len(libraries) > EXPORT_TOOLS_MAX:
        return len(libraries)
    return sum(len(tools_in(text)) or 1 for text in libraries)


def _deleted(operations: Iterable[Operation]) -> list[Operation]:
    return [one for one in operations if one.change is Change.DELETE]


def _in_progress() -> Conflict:
    return Conflict(IN_PROGRESS, details={"reason": "IMPORT_IN_PROGRESS"})


def _place(document: Document | HeldDocument) -> Place:
    entity = ENTITIES.get(document.kind, Entity.AGENT)
    return Place(entity, document.name if entity is Entity.AGENT else stem_of(document.name))


def _existing(documents: Iterable[Document | HeldDocument]) -> list[Existing]:
    return [Existing(one.name, _place(one), one.source_hash, _details(one)) for one in documents]


def _details(document: Document | HeldDocument) -> Details:
    return Details(document.domain, document.description)


def _planned(
    project: ProjectRecord, documents: Sequence[Document | HeldDocument], files: ImportFiles, mode: ImportMode
) -> list[Operation]:
    """Return what an import does. Raises InvalidInput: it names an agent that is not there."""
    existing = _existing(documents)
    operations = plan(existing, files.texts, mode)
    entry = project.entry_agent_name
    return with_project_file(operations, existing, files.project, mode, name=project.name, entry_agent=entry)


def _too_much(sizes: Mapping[str, int]) -> list[str]:
    """Return a sentence for each rule of an import that the files of an export break."""
    told = [
        f"{path} has {size_bytes} bytes; one file of an import has at most {IMPORT_FILE_MAX_BYTES}"
        for path, size_bytes in sizes.items()
        if size_bytes > IMPORT_FILE_MAX_BYTES and path != DEPLOYMENTS
    ]
    if len(sizes) > IMPORT_FILES_MAX:
        told.append(f"There are {len(sizes)} files; one import takes {IMPORT_FILES_MAX}")
    return told


def _files(documents: Iterable[Document]) -> dict[str, str]:
    return {path_of(_place(one)): one.dsl for one in documents if one.dsl.strip()}


def _kind(place: Place, text: str) -> str:
    return KINDS.get(place.entity) or kind_of(text)


def _tools_of_program(ir: bytes | None) -> set[str]:
    """Return the names of tools that the agents of a program use."""
    if ir is None:
        return set()
    agents: JsonObject = msgspec.json.decode(ir).get("agents", {})
    return {str(tool.get("name")) for agent in agents.values() for tool in agent.get("tools", ())}


def _deployment(one: DeploymentRecord) -> JsonObject:
    return {
        "environment": one.environment,
        "status": one.status,
        "label": label_of(one.label, one.endpoint_slug),
        "description": one.description,
        "endpointSlug": one.endpoint_slug,
        "entryAgentName": one.entry_agent_name,
        "agentVersionManifest": one.agent_version_manifest,
        "createdAt": iso_ms(one.created_at),
        "retiredAt": iso_ms(one.retired_at) if one.retired_at else None,
    }


def _zipped(exported: ExportedProject) -> bytes:
    told = ((MANIFEST, exported.manifest), (LOCKFILE, exported.lockfile), (WARNINGS, exported.warnings))
    described = {name: msgspec.json.format(msgspec.json.encode(value), indent=2) for name, value in told}
    held = BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**{path: text.encode() for path, text in exported.files.items()}, **described}.items():
            info = zipfile.ZipInfo(path, ZIP_MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return held.getvalue()


def _entry(project: ProjectRecord, verb: str, by: Initiator, details: JsonObject) -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"project.{verb}",
        category=AuditCategory.PROJECT,
        resource=Resource("project", project.project_id, project.name),
        project_id=project.project_id,
        details=details,
    )
