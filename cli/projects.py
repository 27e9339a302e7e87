"""The folder of a project: which of its files are served."""

from __future__ import annotations

from pathlib import Path

from abl.folders import is_project_path
from actors.catalogue import is_catalogue_file


def project_texts(root: Path) -> dict[str, str]:
    """Return path below the folder -> text of every file that belongs to a project, its catalogue included.

    Raises:
        UnicodeDecodeError: One of them is no text.
    """
    paths = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for name, path in paths.items()
        if is_project_path(name) or is_catalogue_file(name)
    }
