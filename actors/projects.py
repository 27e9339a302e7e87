"""A folder of ABL texts as a project: its documents stored, its program compiled and kept.

Putting the same folder in again changes nothing; changed texts make another program, and sessions that run keep theirs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from msgspec import Struct

from abl.project import Project
from actors.catalogue import catalogue_of, is_catalogue_file
from actors.programs import compile_texts
from domain.ids import CUID_CHARS, PREFIXES
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.agents import Agents
from storage.repositories.catalogue import CatalogueEntry, Catalogues
from storage.repositories.projects import ProjectRecord, Projects
from storage.repositories.variables import Variables

TENANT_ID = "ten_default"


class Seeded(Struct, frozen=True):
    """A project that is ready to be talked to."""

    tenant_id: str
    project_id: str
    name: str
    agents: tuple[str, ...]


async def put_project(database: Database, name: str, files: Mapping[str, str], *, tenant_id: str = TENANT_ID) -> Seeded:
    """Store a project's texts, their program and its catalogue; return it.

    Raises:
        UnreadableProject: The texts do not compile.
        InvalidInput: Its catalogue cannot be read.
    """
    entries, files = separated(files)
    projects, agents = Projects(database), Agents(database)
    await projects.ensure_tenant(tenant_id, tenant_id.removeprefix("ten_"))
    project = await _project(projects, tenant_id, name)
    config = await Variables(database).config(tenant_id, project.project_id)
    program_id, ir = compile_texts(files, config)
    await agents.keep_program(tenant_id, program_id, project.project_id, ir)
    documents = _documents(files)
    for document, (kind, path, text) in documents.items():
        await agents.save(
            tenant_id,
            project.project_id,
            _stable_id(PREFIXES["agent"], tenant_id, project.project_id, document),
            name=document,
            dsl=text,
            kind=kind,
            path=path,
        )
    await agents.forget_files(tenant_id, project.project_id, list(documents))
    drafts_hash = await projects.drafts_hash(tenant_id, project.project_id)
    await projects.note_program(tenant_id, project.project_id, program_id, drafts_hash)
    await Catalogues(database).replace(tenant_id, project.project_id, entries)
    names = tuple(name for name, (kind, _, _) in documents.items() if kind in ("agent", "supervisor"))
    return Seeded(tenant_id, project.project_id, name, names)


def separated(files: Mapping[str, str]) -> tuple[list[CatalogueEntry], dict[str, str]]:
    """Return the catalogue of a project, and its other files.

    Raises:
        InvalidInput: The catalogue cannot be read.
    """
    return catalogue_of(files), {path: text for path, text in files.items() if not is_catalogue_file(path)}


async def _project(projects: Projects, tenant_id: str, name: str) -> ProjectRecord:
    known = await projects.find_by_slug(tenant_id, name)
    if known is not None:
        return known
    project_id = _stable_id("", tenant_id, name)
    try:
        return await projects.create(tenant_id, project_id, name=name, slug=name)
    except Duplicate:
        return await projects.get(tenant_id, project_id)


def _documents(files: Mapping[str, str]) -> dict[str, tuple[str, str, str]]:
    """Return name -> (kind, path, text) of every document; libraries and profiles without a name go by their path."""
    found: dict[str, tuple[str, str, str]] = {}
    for part in Project.from_files(files).parts:
        if part.unit is not None:
            document = part.unit.document
            found.setdefault(
                document.name or part.source.path or part.file, (document.kind, part.file, part.source.text)
            )
    return found


def _stable_id(prefix: str, *parts: str) -> str:
    digest = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest())
    signs = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while len(text) < CUID_CHARS - 1:
        digest, place = divmod(digest, len(signs))
        text += signs[place]
    return f"{prefix}_c{text}" if prefix else f"c{text}"
