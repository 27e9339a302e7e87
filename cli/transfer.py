"""`abl export` and `abl import`: a project of a running server as a folder or a zip file, and back. Spec: 9."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from cli.chat_link import JsonObject
from cli.files import Unreadable, find, read, write
from cli.output import CLEAN, USAGE, complain
from cli.server import Server, project_path, server_of
from domain.errors import AppError, InvalidInput, NotFound
from domain.limits import IMPORT_FILES_MAX, IMPORT_TOTAL_MAX_BYTES
from domain.project_file import NAME_RULE, PROJECT_FILE, is_name
from domain.transfer import LOCKFILE, MANIFEST, Entity, Place, is_safe_path, path_of, place_of, source_hash, stem_of

if TYPE_CHECKING:
    from abl.syntax.document import Document

ZIP = ".zip"
ENTITIES = {"agent": Entity.AGENT, "supervisor": Entity.AGENT, "tools": Entity.TOOL, "profile": Entity.PROFILE}


def export_project(target: str, *, url: str, key: str, key_file: str, project: str, with_deployments: bool) -> int:
    """Write a project of a server to a folder, or to a file that ends with .zip; return the exit status."""
    try:
        server = server_of(url, key, key_file)
        place = f"{project_path(server.project(project))}/project-io/export"
        deployments = "true" if with_deployments else "false"
        if target.endswith(ZIP):
            _write_bytes(Path(target), server.read(place, format="zip", include_deployments=deployments))
            print(f"{target} written")
            return CLEAN
        exported = server.call("GET", place, format="folder", include_deployments=deployments)
        count = _write_folder(Path(target), exported)
    except (AppError, OSError) as error:
        complain(getattr(error, "message", error))
        return USAGE
    for warning in exported["warnings"]:
        complain(f"warning: {warning}")
    print(f"{count} files written to {target}")
    return CLEAN


def import_project(
    source: str, *, url: str, key: str, key_file: str, project: str, replace: bool, dry_run: bool
) -> int:
    """Put the texts of a folder or a zip file into a project of a server; return the exit status."""
    try:
        server = server_of(url, key, key_file)
        files = files_in(source)
        project_id = server.project(project)
        if dry_run:
            _show(preview(server, project_id, files, replace=replace))
            return CLEAN
        done = put(server, project_id, files, replace=replace)
    except (AppError, OSError) as error:
        complain(getattr(error, "message", error))
        return USAGE
    show_applied(done)
    return CLEAN


def put(server: Server, project_id: str, files: dict[str, str], *, replace: bool) -> JsonObject:
    """Import files into a project; return what was done. Raises as `Server.call`."""
    body = {"files": files, "mode": "replace" if replace else "merge"}
    return server.call("POST", f"{project_path(project_id)}/project-io/import", body)


def preview(server: Server, project_id: str, files: dict[str, str], *, replace: bool) -> JsonObject:
    """Return what an import would do. Raises as `Server.call`."""
    body = {"files": files, "mode": "replace" if replace else "merge"}
    found: JsonObject = server.call("POST", f"{project_path(project_id)}/project-io/import/preview", body)["preview"]
    return found


def show_applied(done: JsonObject) -> None:
    """Print what an import has done."""
    for warning in done["warnings"]:
        complain(f"warning: {warning}")
    counts = done["applied"]
    print(f"{counts['created']} created, {counts['updated']} updated, {counts['deleted']} deleted")


def files_in(source: str) -> dict[str, str]:
    """Return path -> text of what a folder, a zip file or one file holds, by their places in an export.

    What a file holds says where it belongs, and how its agent or profile is called, as it does for `abl serve`. A
    library is called as its file, for agents name it so; so is what cannot be read, and what stands as it was exported.
    `project.json` goes with them.

    Raises:
        InvalidInput: Something cannot be read or called so, or there is nothing to import.
    """
    texts = _zip_texts(Path(source)) if source.endswith(ZIP) else _folder_texts(source)
    exported = _exported(texts.pop(MANIFEST, "{}"))
    placed: dict[str, str] = {}
    for path, text in texts.items():
        is_as_exported = path == PROJECT_FILE or exported.get(path) == source_hash(text)
        place = path if is_as_exported else _path_of(_place(path, text))
        if place and place in placed:
            raise InvalidInput(f"Two files are {place}; the second one is {path}")
        if place:
            placed[place] = text
    if not any(place_of(path) for path in placed):
        raise InvalidInput(f"{source} holds no agents, tools or profiles")
    if len(placed) > IMPORT_FILES_MAX:
        raise InvalidInput(f"{source} holds {len(placed)} files; one import takes {IMPORT_FILES_MAX}")
    order = [*(path for path in exported if path in placed), *sorted(placed)]
    return {path: placed[path] for path in dict.fromkeys(order)}


def _exported(manifest: str) -> dict[str, str]:
    """Return path -> hash of the texts of an export, in the order of the project they came from; none if unreadable."""
    try:
        told = json.loads(manifest)
        listed = [one for word in ("agents", "tools", "profiles", "languages") for one in told.get(word, {}).values()]
        return {str(one["path"]): str(one["sourceHash"]) for one in listed}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}


def _place(path: str, text: str) -> Place | None:
    """Return which document a file is by what it holds, else by its path; None when it is none."""
    from abl.folders import is_project_file
    from abl.project import Project

    by_path = place_of(path)
    if by_path is None and not is_project_file(path):
        return None
    held = [_declared(unit.document, path) for unit in Project.from_files({path: text}).units]
    declared = [place for place in held if place is not None]
    return by_path if by_path in declared or not declared else declared[0]


def _declared(document: Document, path: str) -> Place | None:
    entity = ENTITIES.get(document.kind)
    name = stem_of(path) if entity is Entity.TOOL else document.name
    if entity is None or not name:
        return None
    if not is_name(name):
        raise InvalidInput(f"{path}: {name!r} cannot be the name of a document ({NAME_RULE})")
    return Place(entity, name)


def _path_of(place: Place | None) -> str:
    return path_of(place) if place is not None else ""


def _folder_texts(source: str) -> dict[str, str]:
    from abl.folders import is_project_path

    found = find([source], lambda name: is_project_path(name) or name in (MANIFEST, PROJECT_FILE))
    if found.unreadable:
        raise InvalidInput(str(found.unreadable[0]))
    paths = {one: str(Path(source) / one) for one in found.folders.get(source, ())} or {
        Path(one).name: one for one in found.files
    }
    texts: dict[str, str] = {}
    for relative, path in paths.items():
        text = read(path)
        if isinstance(text, Unreadable):
            raise InvalidInput(str(text))
        texts[relative] = text
    return texts


def _zip_texts(source: Path) -> dict[str, str]:
    try:
        with zipfile.ZipFile(source) as archive:
            infos = [one for one in archive.infolist() if not one.is_dir()]
            if sum(one.file_size for one in infos) > IMPORT_TOTAL_MAX_BYTES:
                raise InvalidInput(f"{source} holds more than {IMPORT_TOTAL_MAX_BYTES} bytes")
            return {one.filename: archive.read(one).decode("utf-8") for one in infos}
    except (OSError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise InvalidInput(f"{source} cannot be read: {error}") from error


def _write_folder(folder: Path, exported: JsonObject) -> int:
    """Write an export below a folder, no file of it outside; return how many files there are. Raises OSError."""
    files: dict[str, str] = dict(exported["files"])
    for name, value in ((MANIFEST, exported["manifest"]), (LOCKFILE, exported["lockfile"])):
        files[name] = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    for path, text in files.items():
        if not is_safe_path(path):
            raise NotFound(f"The server sent a file outside of the folder: {path!r}")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        failed = write(str(folder / path), text)
        if failed is not None:
            raise InvalidInput(str(failed))
    return len(files)


def _write_bytes(target: Path, content: bytes) -> None:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        archive.testzip()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def _show(found: JsonObject) -> None:
    for one in found["operations"]:
        if one["type"] != "unchanged":
            print(f"{one['type']:<8} {one['entity']:<8} {one['name']}: {one['reason']}")
    counts = found["summary"]
    print(f"would create {counts['create']}, update {counts['update']}, delete {counts['delete']}")
