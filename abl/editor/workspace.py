"""The texts an editor has open or knows of, and what is found in them as projects.

Pure: texts are handed in, nothing is fetched. Paths may be paths or addresses; only their `/` matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from abl.compiler import CompileOptions
from abl.diagnostics.model import Diagnostic
from abl.editor.names import Symbol
from abl.editor.readings import File
from abl.editor.scopes import scope_of
from abl.editor.symbols import DECLARES, WRITES, Occurrence
from abl.folders import group_projects
from abl.project import Project, check_project

ConfigOf: TypeAlias = Callable[[Sequence[str]], Mapping[str, str]]


class Workspace:
    """All texts by path."""

    def __init__(self, config_of: ConfigOf | None = None) -> None:
        """Start empty. `config_of` gives the values of `{{config.KEY}}` for the files of a project, by their paths."""
        self._config_of = config_of
        self._files: dict[str, File] = {}
        self._projects: dict[str, list[str]] = {}
        self._findings: dict[str, list[Diagnostic]] = {}

    @property
    def paths(self) -> list[str]:
        """All known paths."""
        return list(self._files)

    def update(self, path: str, text: str) -> None:
        """Take the text of a file, new or changed."""
        known = self._files.get(path)
        file = File(path, text)
        if known is not None and known.text == file.text:
            return
        self._files[path] = file
        if known is None:
            self._projects.clear()
        self._findings.clear()

    def edit(self, path: str, offset: int, length: int, text: str) -> None:
        """Replace `length` characters at `offset` of the normalised text of a file."""
        old = self._files[path].text
        self.update(path, old[:offset] + text + old[offset + length :])

    def remove(self, path: str) -> None:
        """Forget a file."""
        if self._files.pop(path, None) is not None:
            self._projects.clear()
            self._findings.clear()

    def file(self, path: str) -> File | None:
        """Return a file, None when it is not known."""
        return self._files.get(path)

    def project(self, path: str) -> list[File]:
        """Return the files of the project that `path` belongs to."""
        if not self._projects:
            groups = group_projects([one for one in self._files if "/" in one])
            self._projects = {one: group for group in groups for one in group}
        return [self._files[one] for one in self._projects.get(path, [path]) if one in self._files]

    def diagnostics(self, path: str) -> list[Diagnostic]:
        """Return everything found in a file, what only its whole project shows included, in the order of its text."""
        files = self.project(path)
        if not files:
            return []
        key = files[0].path
        if key not in self._findings:
            config = self._config_of([file.path for file in files]) if self._config_of is not None else None
            options = CompileOptions(config_variables=config)
            self._findings[key] = check_project(Project.from_files({file.path: file.text for file in files}), options)
        found = [one for one in self._findings[key] if one.file == path]
        return sorted(found, key=lambda one: one.offset or 0)

    # --- names --------------------------------------------------------------------------------------------

    def places(self, path: str, offset: int, symbol: Symbol, name: str = "") -> Iterator[tuple[File, Occurrence]]:
        """Yield the occurrences of a name (or of all) of a kind, in all text where it means the same as at `offset`."""
        file = self._files.get(path)
        if file is None:
            return
        project = [(other, piece) for other in self.project(path) for piece in other.pieces]
        scope = scope_of(file, offset, project, symbol, name)
        agents = {piece.name for _, piece in scope}
        sharing = {id(piece) for _, piece in scope}
        for other, piece in project:
            shared = id(piece) in sharing
            for one in piece.occurrences:
                if one.symbol is symbol and name in ("", one.name) and (one.agent in agents if one.agent else shared):
                    yield other, one

    def definitions(self, path: str, offset: int, symbol: Symbol, name: str) -> list[tuple[File, Occurrence]]:
        """Return where a name is declared; for a variable without declaration, where it first gets a value."""
        found = list(self.places(path, offset, symbol, name))
        declared = [(file, one) for file, one in found if one.rank == DECLARES]
        written = [(file, one) for file, one in found if one.rank == WRITES]
        return declared or written[:1]

    def names(self, path: str, offset: int, symbol: Symbol) -> dict[str, Occurrence]:
        """Return the names of a kind that may be mentioned at `offset`, with where each is declared."""
        known: dict[str, Occurrence] = {}
        for _, one in self.places(path, offset, symbol):
            if one.rank in (DECLARES, WRITES):
                known.setdefault(one.name, one)
        return known
