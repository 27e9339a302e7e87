"""A folder of ABL files whose program is what was saved last and compiles: stored again when a file changes.

Files are looked at when somebody says that one has changed, and before each turn, so that a turn never runs what was
saved over. What does not compile is told once, as `abl check` tells it, and the last good program stays. What compiles
is used; errors that only some turns would meet are told as well.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from time import perf_counter

from abl.compiler import CompileOptions
from abl.diagnostics.render import render, summary
from abl.folders import group_projects, is_project_path
from abl.project import Project, check_project
from abl.variables import VariablesFault
from actors.programs import UnreadableProject
from actors.projects import Seeded, put_project, variables_in
from cli import files
from cli.output import MAX_SHOWN, Screen, refuse
from cli.projects import is_served
from cli.variables import Given, folder_variables, told_unset, variables_place
from domain.errors import AppError, InvalidInput
from storage.database import Database

MS_PER_S = 1_000.0
USED_ALL_THE_SAME = "in use all the same: a turn that comes there fails"
log = logging.getLogger(__name__)

Fingerprint = dict[str, tuple[int, int, int, int]]
"""File -> what tells its versions apart: inode, size, times of the last change of content and of anything."""
Tell = Callable[[str], None]


class Workspace:
    """The project of a folder, or of one file.

    Attributes:
        seeded: The project as it is served; None until its files have compiled once.
        version: Counts the programs that were put into the store.
    """

    def __init__(
        self, path: str, tell: Tell, screen: Screen, variables: Iterable[str] = (), *, mocks: str = ""
    ) -> None:
        self.root = Path(path)
        self.seeded: Seeded | None = None
        self.version = 0
        self._path = path
        self._tell = tell
        self._screen = screen
        self._variables = tuple(variables)
        self._is_mocked = bool(mocks)
        self._seen: Fingerprint | None = None
        self._is_broken = False
        self._doubts = ""
        self._unset: list[str] = []
        self._told_unset: set[str] = set()
        self._lock = asyncio.Lock()

    @property
    def name(self) -> str:
        """The name of the project."""
        place = self.root.resolve()
        return place.name.partition(".")[0] if self.root.is_file() else place.name

    def check_is_one(self) -> None:
        """End the program when there is no such folder, nothing in it, or more than one project."""
        if not self.root.exists():
            refuse(f"there is no folder {self._path}")
        paths = [one for one in self._paths() if is_project_path(one)]
        if not paths:
            refuse(f"{self._path}: no ABL files in this folder; their names end in .agent.abl")
        groups = [] if self.root.is_file() else group_projects(paths)
        if len(groups) > 1:
            names = sorted({group[0].partition("/")[0] for group in groups})
            refuse(f"{self._path} holds {len(groups)} projects; choose one of them: {', '.join(names)}")

    def given(self) -> Given:
        """Return the variables of environment, command line and file.

        Raises:
            InvalidInput: One of them has the wrong form.
        """
        try:
            return Given.of(os.environ, self._variables, folder_variables(self.root))
        except VariablesFault as error:
            raise InvalidInput(str(error)) from error

    async def refresh(self, database: Database) -> bool:
        """Put what was saved since the last look into the store; return whether there is another program now."""
        async with self._lock:
            seen = self._fingerprint()
            if seen == self._seen:
                return False
            began_s = perf_counter()
            changed = _changed(self._seen, seen)
            self._seen = seen
            seeded = await self._put(database, list(seen))
            if seeded is None:
                return False
            is_first, self.seeded = self.seeded is None, seeded
            self._is_broken = False
            self.version += 1
            if not is_first:
                took_ms = (perf_counter() - began_s) * MS_PER_S
                self._tell(f"{', '.join(changed)}: in use from the next turn on ({took_ms:.0f} ms)")
            for told in (*seeded.told, *self._unset):
                self._tell(told)
            if self._doubts:
                self._tell(f"{self._doubts}\n{USED_ALL_THE_SAME}")
            return True

    async def _put(self, database: Database, paths: list[str]) -> Seeded | None:
        """Return the project as it was put into the store; None, told why, when it could not be."""
        texts: dict[str, str] = {}
        for path in paths:
            text = files.read(self._shown(path))
            if not isinstance(text, str):
                self._tell_broken(f"abl: {text}")
                return None
            texts[path] = text
        try:
            if not texts:
                raise UnreadableProject(f"{self._path}: no ABL files in this folder any more")
            given = self.given()
            seeded = await put_project(database, self.name, texts, config=given.config)
            unset = told_unset({self._shown(path): text for path, text in texts.items()}, given.env.keys())
            self._doubts = self._findings(texts)
            self._unset = [one for one in unset if one not in self._told_unset and not self._is_mocked]
            self._told_unset.update(unset)
            return seeded
        except UnreadableProject as error:
            self._tell_broken(self._findings(texts) or error.message)
        except AppError as error:
            self._tell_broken(error.message)
        except Exception as error:  # whatever it is, it must not take an agent down that runs
            log.exception("the project %s cannot be put into the store", self._path)
            self._tell_broken(f"{type(error).__name__}: {error}")
        return None

    def _tell_broken(self, told: str) -> None:
        self._is_broken = True
        served = (
            "the last good version is served on" if self.seeded is not None else "there is nothing to run until it is"
        )
        self._tell(f"{told}\nnot in use: {served}{'' if self.seeded is not None else ' mended'}")

    def _findings(self, texts: Mapping[str, str]) -> str:
        """Return the findings as `abl check` prints them; "" when there is no error among them."""
        shown = {self._shown(path): text for path, text in texts.items() if is_project_path(path)}
        config = {**variables_in(texts).config, **self.given().config}
        options = CompileOptions(single_agent=self.root.is_file(), config_variables=config)
        found = check_project(Project.from_files(shown), options)
        errors = [one for one in found if one.is_error]
        if not errors:
            return ""
        screen = self._screen
        told = [
            render(one, shown.get(one.file or "", ""), color=screen.color, width=screen.width)
            for one in errors[:MAX_SHOWN]
        ]
        return "\n\n".join([*told, summary(found)])

    def _shown(self, path: str) -> str:
        if self.root.is_file():
            place = variables_place(self.root)
            return place.as_posix() if place is not None and path == place.name else self._path
        return (self.root / path).as_posix()

    def _fingerprint(self) -> Fingerprint:
        found: Fingerprint = {}
        for path in self._paths():
            try:
                stat = Path(self._shown(path)).stat()
            except OSError:
                continue  # it was removed just now
            found[path] = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        return found

    def _paths(self) -> Iterator[str]:
        if self.root.is_file():
            yield self.root.name
            if (place := variables_place(self.root)) is not None:
                yield place.name
            return
        here = files.find([self._path], is_served)
        yield from (path for path in here.folders.get(self._path, ()) if is_served(path))


def _changed(before: Fingerprint | None, now: Fingerprint) -> list[str]:
    """Return the files that differ, by name."""
    known = before or {}
    return sorted(path for path in known.keys() | now.keys() if known.get(path) != now.get(path))
