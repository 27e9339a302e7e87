"""The project that is to be served: its folder is there and its agents compile."""

from __future__ import annotations

from collections.abc import Iterator

from cli.doctor.faults import Fault, Place


def look_at_project(place: Place) -> Iterator[Fault]:
    """The folder holds agents without errors."""
    from abl.project import is_project_file
    from actors.programs import compile_texts
    from domain.errors import AppError

    folder = place.project
    if folder is None:
        return
    if not folder.is_dir():
        yield Fault("NO_PROJECT", f"there is no folder {folder}", "abl serve --project DIR")
        return
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and is_project_file(path.name)]
    if not files:
        yield Fault("EMPTY_PROJECT", f"{folder} has no ABL files", "name them *.agent.abl, or take another --project")
        return
    try:
        compile_texts({str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files})
    except UnicodeDecodeError as error:
        yield Fault("NOT_TEXT", f"a file of {folder} is no UTF-8 text: {error.reason}", f"file {folder}/* says which")
    except AppError as error:
        yield Fault("PROJECT_HAS_ERRORS", error.message.splitlines()[0], f"abl check {folder}")
