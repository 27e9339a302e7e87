"""The folder of a project: which of its files are served."""

from __future__ import annotations

from pathlib import Path

from abl.folders import is_project_path
from abl.variables import is_variables_file
from actors.catalogue import is_catalogue_file


def is_served(path: str) -> bool:
    """Return whether a path below the folder of a project belongs to what is served: texts, catalogue, variables."""
    return is_project_path(path) or is_catalogue_file(path) or is_variables_file(path)


def project_texts(root: Path) -> dict[str, str]:
    """Return path below the folder -> text of every file that belongs to a project, its catalogue included.

    Raises:
        UnicodeDecodeError: One of them is no text.
    """
    paths = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {
        str(path.relative_to(root)): path.read_text(encoding="utf-8") for name, path in paths.items() if is_served(name)
    }
