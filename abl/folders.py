"""Which files belong to a project, and where one project ends and the next begins. Spec: abl-language 2.1."""

from __future__ import annotations

import re
from collections.abc import Iterable

SUFFIXES = (".abl", ".agent.yaml", ".agent.yml", ".supervisor.yaml", ".supervisor.yml")
"""How the names of files end that belong to a project without being named one by one."""
LAYOUT = frozenset({"agents", "tools", "profiles", "languages"})
"""Subfolders in which a project keeps its files."""


def is_project_file(name: str) -> bool:
    """Return whether a file of this name belongs to the project of its folder.

    >>> is_project_file("desk.agent.abl"), is_project_file("desk.agent.yaml"), is_project_file("compose.yaml")
    (True, True, False)
    """
    return name.lower().endswith(SUFFIXES)


_LANGUAGE_FILE = re.compile(r"(?:^|/)languages/([a-z]{2,3})\.ya?ml$")


def language_of_file(path: str) -> str:
    """Return the tag of the language whose words and sentences a project's file changes, empty for any other file.

    >>> language_of_file("bank/languages/de.yaml"), language_of_file("languages/notes.txt")
    ('de', '')
    """
    found = _LANGUAGE_FILE.search(path)
    return found[1] if found is not None else ""


def is_project_path(path: str) -> bool:
    """Return whether the file of this path, or of this name, belongs to a project: a text of ABL or a language."""
    return is_project_file(path) or bool(language_of_file(path))


def group_projects(paths: Iterable[str]) -> list[list[str]]:
    """Return the files of each project among relative paths with forward slashes, in the order given.

    A folder is a project when it has a file of its own, directly or in its folders of `LAYOUT`;
    all below it belongs to it. Where the top folder has none, each folder below that has is a project.

    >>> group_projects(["bank/agents/desk.abl", "bank/tools/bank.tools.abl", "clinic/desk.abl"])
    [['bank/agents/desk.abl', 'bank/tools/bank.tools.abl'], ['clinic/desk.abl']]
    >>> group_projects(["agents/desk.abl", "more/other.abl"])
    [['agents/desk.abl', 'more/other.abl']]
    """
    split = [(path, tuple(path.split("/")[:-1])) for path in paths]
    roots: set[tuple[str, ...]] = set()
    for _, folders in split:
        roots.add(folders)
        roots.update(folders[:depth] for depth, name in enumerate(folders) if name in LAYOUT)
    groups: dict[tuple[str, ...], list[str]] = {}
    for path, folders in split:
        root = next(folders[:depth] for depth in range(len(folders) + 1) if folders[:depth] in roots)
        groups.setdefault(root, []).append(path)
    return list(groups.values())
