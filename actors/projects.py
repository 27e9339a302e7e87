"""A folder of ABL texts as a project: its documents stored, its program compiled and kept.

Putting the same folder in again changes nothing; changed texts make another program, and sessions that run keep theirs.
What was saved, renamed or removed over the API stays until the folder's text of it changes. Decision 0036.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from abl.folders import language_of_file
from abl.project import Project
from abl.variables import Variables as FileVariables
from abl.variables import VariablesFault, is_variables_file, read_variables
from actors.catalogue import catalogue_of, is_catalogue_file
from actors.clocks import RandomIds
from actors.compiling import AGENT_KINDS
from actors.folder_variables import CONFIG, plan_variables
from actors.programs import compile_texts
from domain.errors import InvalidInput
from domain.folders import FolderPlan, FolderText, plan_of
from domain.ids import PREFIXES, stable_id
from domain.transfer import source_hash
from storage.database import Connection, Database
from storage.errors import Duplicate
from storage.repositories.agents import AgentRecord, Agents
from storage.repositories.catalogue import CatalogueEntry, Catalogues
from storage.repositories.deployments import Deployments
from storage.repositories.folder_documents import last_put, note_put
from storage.repositories.projects import ProjectRecord, Projects
from storage.repositories.transfer import Transfer
from storage.repositories.variables import Variables

TENANT_ID = "ten_default"
_NOTHING: Mapping[str, str] = {}
LANGUAGE = "language"
"""Kind of a document that changes what a language means and how it is said."""
REPLACED = "{}: the folder's newer text replaces a draft that was saved over the API"
HELD = "{}: served as it was saved over the API; the folder's text is put when it changes"
MISSING = "{}: removed or renamed over the API; the folder's text is put when it changes"
KEPT = "{}: not in the folder any more, but its draft was saved over the API; it stays"
DEPLOYED = "{}: not in the folder any more, but a deployment runs it; it stays"


class Seeded(Struct, frozen=True):
    """A project that is ready to be talked to.

    Attributes:
        agents: All of its agents and supervisors, those of the folder first.
        told: Where the folder and what the project had differed, a sentence each.
    """

    tenant_id: str
    project_id: str
    name: str
    agents: tuple[str, ...]
    told: tuple[str, ...] = ()


async def put_project(
    database: Database,
    name: str,
    files: Mapping[str, str],
    *,
    tenant_id: str = TENANT_ID,
    config: Mapping[str, str] = _NOTHING,
) -> Seeded:
    """Store what has changed of a project's texts since they were put last, its catalogue and its config variables.

    Args:
        config: Values of `{{config.KEY}}` that come before those of the file of variables; what was set over the API
            comes before both. Decision: 0064.

    Returns:
        The project.

    Raises:
        UnreadableProject: The texts do not compile.
        InvalidInput: Its catalogue or its file of variables cannot be read.
    """
    wanted = {**variables_in(files).config, **config}
    entries, files = separated(files)
    projects, agents = Projects(database), Agents(database)
    await projects.ensure_tenant(tenant_id, tenant_id.removeprefix("ten_"))
    project = await _project(projects, tenant_id, name)
    put = plan_variables(await Variables(database).list(tenant_id, project.project_id, kind=CONFIG), wanted)
    program_id, ir = compile_texts(files, put.values)
    await agents.keep_program(tenant_id, program_id, project.project_id, ir)
    folder = _documents(files)
    async with database.transaction() as connection:
        await projects.lock(connection, tenant_id, project.project_id)
        told = await _Put(database, connection, tenant_id, project.project_id).put(folder)
        await put.write(Variables(database), connection, tenant_id, project.project_id)
        stored = await agents.list_without_texts(tenant_id, project.project_id, connection)
    if _is_folder(stored, folder):
        drafts_hash = await projects.drafts_hash(tenant_id, project.project_id)
        await projects.note_program(tenant_id, project.project_id, program_id, drafts_hash)
    await Catalogues(database).replace(tenant_id, project.project_id, entries)
    return Seeded(tenant_id, project.project_id, name, _agents_of(stored, folder), (*told, *put.told))


class _Put:
    """Puts the documents of a folder into its project, which nobody else changes meanwhile."""

    def __init__(self, database: Database, connection: Connection, tenant_id: str, project_id: str) -> None:
        self._agents = Agents(database)
        self._projects = Projects(database)
        self._deployments = Deployments(database)
        self._transfer = Transfer(database)
        self._connection = connection
        self._of = (tenant_id, project_id)

    async def put(self, folder: Mapping[str, FolderText]) -> tuple[str, ...]:
        """Write what has changed in the folder, remove what it has no more; return what is worth a sentence."""
        await self._transfer.hold_documents(self._connection, *self._of)  # drafts are not saved over the API meanwhile
        stored = {one.name: one for one in await self._agents.list_without_texts(*self._of, self._connection)}
        last = await last_put(self._connection, *self._of)
        plan = plan_of(folder, last, {name: one.source_hash for name, one in stored.items()})
        ids = {one.agent_id for one in stored.values()}
        for name, one in folder.items():
            if name in plan.written:
                await self._write(name, one, ids)
            elif name in stored and stored[name].path != one.path:
                await self._agents.move(self._connection, *self._of, name, one.path)
        deployed = [name for name in plan.gone if not await self._remove(name)]
        await note_put(self._connection, *self._of, {name: source_hash(one.text) for name, one in folder.items()})
        return tuple(_told(plan, deployed))

    async def _write(self, name: str, one: FolderText, ids: set[str]) -> None:
        agent_id = stable_id(PREFIXES["agent"], *self._of, name)
        if agent_id in ids:  # of the document itself, or of one that was renamed
            agent_id = RandomIds().new(PREFIXES["agent"])
        await self._agents.save(
            *self._of, agent_id, name=name, dsl=one.text, kind=one.kind, path=one.path, connection=self._connection
        )

    async def _remove(self, name: str) -> bool:
        """Remove a document that the folder has no more; False when an active deployment uses it."""
        if await self._deployments.using(self._connection, *self._of, name):
            return False
        await self._agents.remove(self._connection, *self._of, name)
        await self._projects.move_entry(self._connection, *self._of, name, None)
        return True


def _told(plan: FolderPlan, deployed: Iterable[str]) -> Iterable[str]:
    for sentence, names in (
        (REPLACED, plan.replaced),
        (HELD, plan.held),
        (MISSING, plan.missing),
        (KEPT, plan.kept),
        (DEPLOYED, deployed),
    ):
        for name in names:
            yield sentence.format(name)


def _is_folder(stored: Iterable[AgentRecord], folder: Mapping[str, FolderText]) -> bool:
    """Return whether the drafts are what the folder has, so that its program is theirs."""
    drafts = {one.name: (one.kind, one.source_hash) for one in stored}
    return drafts == {name: (one.kind, source_hash(one.text)) for name, one in folder.items()}


def _agents_of(stored: Iterable[AgentRecord], folder: Mapping[str, FolderText]) -> tuple[str, ...]:
    places = {name: place for place, name in enumerate(folder)}
    names = [one.name for one in stored if one.kind in AGENT_KINDS]
    return tuple(sorted(names, key=lambda name: places.get(name, len(places))))


def separated(files: Mapping[str, str]) -> tuple[list[CatalogueEntry], dict[str, str]]:
    """Return the catalogue of a project, and its other files.

    Raises:
        InvalidInput: The catalogue cannot be read.
    """
    texts = {path: text for path, text in files.items() if not (is_catalogue_file(path) or is_variables_file(path))}
    return catalogue_of(files), texts


def variables_in(files: Mapping[str, str]) -> FileVariables:
    """Return what the file of variables among the files of a project says, nothing without one.

    Raises:
        InvalidInput: It cannot be read; the message names the line.
    """
    try:
        return next(
            (read_variables(text, path) for path, text in files.items() if is_variables_file(path)), FileVariables()
        )
    except VariablesFault as error:
        raise InvalidInput(str(error)) from error


async def _project(projects: Projects, tenant_id: str, name: str) -> ProjectRecord:
    known = await projects.find_by_slug(tenant_id, name)
    if known is not None:
        return known
    project_id = stable_id("", tenant_id, name)
    try:
        return await projects.create(tenant_id, project_id, name=name, slug=name)
    except Duplicate:
        return await projects.get(tenant_id, project_id)


def _documents(files: Mapping[str, str]) -> dict[str, FolderText]:
    """Return every document by its name; languages, libraries and profiles without one go by their path."""
    found = {path: FolderText(LANGUAGE, path, text) for path, text in files.items() if language_of_file(path)}
    for part in Project.from_files(files).parts:
        if part.unit is not None:
            document = part.unit.document
            found.setdefault(
                document.name or part.source.path or part.file,
                FolderText(document.kind, part.file, part.source.text),
            )
    return found
