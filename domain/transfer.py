"""Project transfer: what may be imported, where documents stand in an export, and what an import would do. Pure.

Spec: platform-api 9. An export holds drafts: its lockfile names the version `draft` and the hash of each text, so that
it follows from the texts alone and importing an export gives an identical one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from domain import limits
from domain.errors import InvalidInput
from domain.json_values import JsonObject, JsonValue
from domain.project_file import NAME_RULE, NO_DETAILS, PROJECT_FILE, Details, ProjectFile, is_name, read_project_file

FORMAT_VERSION: Final = 1
DRAFT: Final = "draft"
MANIFEST: Final = "manifest.json"
LOCKFILE: Final = "lockfile.json"
DEPLOYMENTS: Final = "deployments.json"
WARNINGS: Final = "warnings.json"
IGNORED: Final = frozenset({MANIFEST, LOCKFILE, DEPLOYMENTS, WARNINGS})
"""Files of an export that an import does not read."""
VERSION_CHARS: Final = 12
NUL: Final = "\0"
SHOWN_CHARS: Final = 200

NO_FILES: Final = 'Request body must contain a "files" object'
TOO_MANY_FILES: Final = "Too many files"
BAD_PATH: Final = "Invalid file path (path traversal detected)"
NO_TEXT: Final = "File content must be a string"
FILE_TOO_LARGE: Final = "File too large (max 1MB)"
ALL_TOO_LARGE: Final = "Total content size exceeds 50MB"
UNSTORABLE: Final = "File content must not contain U+0000"
EMPTY: Final = "File content must not be empty"
BAD_NAME: Final = f"Invalid name ({NAME_RULE})"


class Entity(StrEnum):
    """What a document is; the project itself is none, and has no place in an export."""

    AGENT = "agent"
    TOOL = "tool"
    PROFILE = "profile"
    LANGUAGE = "language"
    PROJECT = "project"


class Change(StrEnum):
    """What an import does with a document."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    UNCHANGED = "unchanged"


class ImportMode(StrEnum):
    """`merge` deletes nothing; `replace` deletes what is not imported."""

    MERGE = "merge"
    REPLACE = "replace"


REASONS: Final[Mapping[tuple[Entity, Change], str]] = {
    **{
        (entity, change): reason
        for entity in Entity
        for change, reason in (
            (Change.UPDATE, "Content changed"),
            (Change.DELETE, "Not in import"),
            (Change.UNCHANGED, "Identical"),
        )
    },
    (Entity.AGENT, Change.CREATE): "New agent",
    (Entity.TOOL, Change.CREATE): "New tool",
    (Entity.PROFILE, Change.CREATE): "New profile",
    (Entity.LANGUAGE, Change.CREATE): "New language",
    (Entity.PROJECT, Change.UPDATE): "Entry agent changed",
}
_FOLDERS: Final[tuple[tuple[Entity, str, tuple[str, ...]], ...]] = (
    (Entity.AGENT, "agents/", (".agent.abl", ".abl")),
    (Entity.TOOL, "tools/", (".tools.abl",)),
    (Entity.PROFILE, "profiles/", (".abl",)),
    (Entity.LANGUAGE, "languages/", (".yml", ".yaml")),
)
"""Entity, folder, and the ends of file names that are read; the last one is written."""
LISTED: Final = tuple((folder.removesuffix("/"), entity) for entity, folder, _ in _FOLDERS)
"""Word of a manifest -> what it lists."""
_STEM_ENDS: Final = (".tools.abl", ".agent.abl", ".abl", ".tools", ".yaml", ".yml")
_PART: Final = re.compile(r"[^\W_][^/\\\x00-\x1f\x7f]{0,127}")


class Place(NamedTuple):
    """Which document a file is: its entity, and its name within the export."""

    entity: Entity
    name: str


class Existing(Struct, frozen=True):
    """A document of a project: its own name, its place in an export, the hash of its text, what is said beside it."""

    document: str
    place: Place
    source_hash: str
    details: Details = NO_DETAILS


class Operation(Struct, frozen=True):
    """What an import does with one document, or with the project.

    Attributes:
        document: Its name in the project, empty for a new one.
        text: The text to write; None when it stays as it is.
        details: What is to be said beside the text; None when that stays as it is.
    """

    change: Change
    place: Place
    reason: str
    document: str = ""
    text: str | None = None
    details: Details | None = None


class Edge(NamedTuple):
    """One agent leads to another, or uses a tool; `type` is `handoff`, `delegate` or `tool`."""

    source: str
    target: str
    type: str


class Exported(Struct, frozen=True):
    """A document as it goes into an export."""

    place: Place
    text: str
    source_hash: str

    @property
    def path(self) -> str:
        """Where it stands in the export."""
        return path_of(self.place)


class ImportFiles(NamedTuple):
    """Files that keep every rule of an import: documents in their order, what is said beside them, what is noticed."""

    texts: dict[Place, str]
    project: ProjectFile | None
    warnings: list[str]


def checked_files(files: JsonValue | None) -> ImportFiles:
    """Return the files of an import, checked in the order of platform-api 9.

    Raises:
        InvalidInput: One of the rules is broken; the sentence is that of the specification.
    """
    if not isinstance(files, dict):
        raise InvalidInput(NO_FILES)
    if len(files) > limits.IMPORT_FILES_MAX:
        raise InvalidInput(TOO_MANY_FILES)
    for path in files:
        if not is_safe_path(path):
            raise InvalidInput(BAD_PATH, details=_at(path))
    for path, text in files.items():
        if not isinstance(text, str):
            raise InvalidInput(NO_TEXT, details=_at(path))
    sizes = {path: len(text.encode("utf-8", "surrogatepass")) for path, text in files.items()}
    for path, size_bytes in sizes.items():
        if size_bytes > limits.IMPORT_FILE_MAX_BYTES:
            raise InvalidInput(FILE_TOO_LARGE, details=_at(path))
    if sum(sizes.values()) > limits.IMPORT_TOTAL_MAX_BYTES:
        raise InvalidInput(ALL_TOO_LARGE)
    for path, text in files.items():
        if NUL in text:
            raise InvalidInput(UNSTORABLE, details=_at(path))
    _check_documents(files)
    return _sorted_out(files)


def is_safe_path(path: str) -> bool:
    """Return whether a path stays within the folder it is relative to, however it is read.

    >>> [is_safe_path(path) for path in ("agents/a.abl", "../a", "a/..b", "/a", "a\\\\b", "")]
    [True, False, False, False, False, False]
    """
    return bool(path) and ".." not in path and not path.startswith("/") and NUL not in path and "\\" not in path


def place_of(path: str) -> Place | None:
    """Return which document a file is, None when it is none.

    >>> place_of("agents/desk.agent.abl"), place_of("tools/orders.tools.abl"), place_of("notes.txt")
    (Place(entity=<Entity.AGENT: 'agent'>, name='desk'), Place(entity=<Entity.TOOL: 'tool'>, name='orders'), None)
    """
    for entity, folder, ends in _FOLDERS:
        for end in ends:
            name = path[len(folder) : -len(end)]
            if path.startswith(folder) and path.endswith(end) and is_name(name):
                return Place(entity, name)
    return None


def is_part(text: str) -> bool:
    """Return whether a document of this name can stand in an export: it is one part of a path."""
    return _PART.fullmatch(text) is not None


def path_of(place: Place) -> str:
    """Return where a document stands in an export.

    >>> path_of(Place(Entity.TOOL, "orders"))
    'tools/orders.tools.abl'
    """
    folder, ends = next((folder, ends) for entity, folder, ends in _FOLDERS if entity is place.entity)
    return f"{folder}{place.name}{ends[-1]}"


def stem_of(document: str) -> str:
    """Return the name that a document has in an export: without a folder, and without the end of a file name.

    >>> stem_of("tools/orders.tools.abl"), stem_of("orders.tools"), stem_of("Desk")
    ('orders', 'orders', 'Desk')
    """
    name = document.rpartition("/")[2]
    end = next((end for end in _STEM_ENDS if name.endswith(end) and len(name) > len(end)), "")
    return name.removesuffix(end) if end else name


def document_of(place: Place) -> str:
    """Return the name of a new document; a library is called so that agents find it by the path of its file."""
    if place.entity is Entity.LANGUAGE:
        return path_of(place)
    return f"{place.name}.tools" if place.entity is Entity.TOOL else place.name


def plan(existing: Iterable[Existing], wanted: Mapping[Place, str], mode: ImportMode) -> list[Operation]:
    """Return what an import does: with each imported document in its order, and then what `replace` deletes."""
    known = {one.place: one for one in existing}
    operations = []
    for place, text in wanted.items():
        before = known.get(place)
        change = Change.CREATE
        if before is not None:
            change = Change.UNCHANGED if before.source_hash == source_hash(text) else Change.UPDATE
        document = before.document if before is not None else ""
        operations.append(Operation(change, place, REASONS[place.entity, change], document, text))
    if mode is ImportMode.REPLACE:
        operations += [
            Operation(Change.DELETE, one.place, REASONS[one.place.entity, Change.DELETE], one.document)
            for place, one in known.items()
            if place not in wanted
        ]
    return operations


def counted(operations: Iterable[Operation]) -> dict[Change, int]:
    """Return how many documents are created, updated, deleted and left as they are."""
    counts = dict.fromkeys(Change, 0)
    for one in operations:
        counts[one.change] += 1
    return counts


def source_hash(text: str) -> str:
    """Return the hash of a text as the API shows it: `sha256:<hex>`."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def lockfile_of(documents: Iterable[Exported]) -> JsonObject:
    """Return the lockfile: agent -> version and hash."""
    return {
        "agents": {
            one.place.name: {"version": DRAFT, "hash": one.source_hash}
            for one in documents
            if one.place.entity is Entity.AGENT
        }
    }


def manifest_of(
    name: str, entry_agent: str | None, documents: Sequence[Exported], *, exported_at: str, exported_by: str
) -> JsonObject:
    """Return the manifest; its `version` follows from the texts, in whatever order they were made."""
    hashes = msgspec.json.encode(sorted((one.path, one.source_hash) for one in documents))
    listed: JsonObject = {
        word: {
            one.place.name: {"sourceHash": one.source_hash, "path": one.path}
            for one in documents
            if one.place.entity is entity
        }
        for word, entity in LISTED
    }
    return {
        "formatVersion": FORMAT_VERSION,
        "name": name,
        "version": hashlib.sha256(hashes).hexdigest()[:VERSION_CHARS],
        "entryAgent": entry_agent,
        **listed,
        "exportedAt": exported_at,
        "exportedBy": exported_by,
    }


def broken_edges(edges: Iterable[Edge], agents: Iterable[str], tools: Iterable[str]) -> list[str]:
    """Return a sentence for each edge that leads to nothing in the project."""
    known = {"tool": frozenset(tools), "handoff": frozenset(agents)}
    known["delegate"] = known["handoff"]
    verbs = {"tool": "uses the tool", "handoff": "hands over to", "delegate": "delegates to"}
    return [
        f"{one.source} {verbs[one.type]} {one.target}, which is not in the project"
        for one in edges
        if one.target not in known[one.type]
    ]


def _check_documents(files: Mapping[str, str]) -> None:
    """Refuse what no route would let be called or written so: names and texts keep the rules of platform-api 6.2."""
    for path in files:
        if _is_document(path) and place_of(path) is None:
            raise InvalidInput(f"{BAD_NAME}: {path[:SHOWN_CHARS]}", details=_at(path))
    for path, text in files.items():
        if _is_document(path) and not text.strip():
            raise InvalidInput(f"{EMPTY}: {path}", details=_at(path))


def _is_document(path: str) -> bool:
    """Return whether a path is that of a document, whatever the document is called."""
    folder, slash, name = path.partition("/")
    return "/" not in name and any(f"{folder}{slash}" == known and name.endswith(ends) for _, known, ends in _FOLDERS)


def _sorted_out(files: Mapping[str, str]) -> ImportFiles:
    texts: dict[Place, str] = {}
    warnings = []
    for path, text in files.items():
        place = place_of(path)
        if place is not None and place in texts:
            raise InvalidInput(f"Two files are the {place.entity} {place.name}", details=_at(path))
        if place is not None:
            texts[place] = text
            continue
        if path not in IGNORED and path != PROJECT_FILE:
            warnings.append(f"{path} is no file of a project and was left out")
    said = read_project_file(files[PROJECT_FILE]) if PROJECT_FILE in files else None
    return ImportFiles(texts, said, warnings)


def _at(path: str) -> JsonObject:
    pointer = path.replace("~", "~0").replace("/", "~1")[: limits.METADATA_KEY_MAX_CHARS]
    return {"fields": [{"path": f"/files/{pointer}", "message": f"{path[:SHOWN_CHARS]} is refused"}]}
