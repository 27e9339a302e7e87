"""The texts an editor has open or knows of, with what has been read from them; nothing is read before it is asked for.

Pure: texts are handed in, nothing is fetched. Paths may be paths or addresses; only their `/` matters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from abl.diagnostics.model import Diagnostic
from abl.editor.names import PROJECT_WIDE, Symbol
from abl.editor.symbols import DECLARES, WRITES, Occurrence, occurrences
from abl.folders import group_projects
from abl.frontend import parse
from abl.outline import Outline, outline
from abl.parser.detect import is_yaml_format, split_documents
from abl.project import Project, check_project
from abl.source import Source
from abl.syntax.document import Document


@dataclass(frozen=True, slots=True)
class Piece:
    """One agent of a text; most texts are one piece."""

    offset: int
    document: Document | None
    occurrences: list[Occurrence]


class File:
    """One text and everything read from it, on demand."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.source = Source(text, path)
        self._pieces: list[Piece] | None = None
        self._outline: Outline | None = None
        self._occurrences: list[Occurrence] | None = None

    @property
    def text(self) -> str:
        """The normalised text."""
        return self.source.text

    @property
    def is_yaml(self) -> bool:
        """Whether it is the YAML form."""
        return is_yaml_format(self.text)

    @property
    def pieces(self) -> list[Piece]:
        """The agents of the text, each read on its own; their names have places in the whole text."""
        if self._pieces is None:
            self._pieces = list(self._read())
        return self._pieces

    def _read(self) -> Iterator[Piece]:
        offset = 0
        texts = split_documents(self.text)
        for text in texts:
            document = parse(text).document
            lines = self.outline if len(texts) == 1 else outline(Source(text))
            found = occurrences(document, lines) if document is not None else []
            yield Piece(offset, document, [replace(one, offset=one.offset + offset) for one in found])
            offset += len(text)

    @property
    def outline(self) -> Outline:
        """What every line is."""
        if self._outline is None:
            self._outline = outline(self.source)
        return self._outline

    @property
    def occurrences(self) -> list[Occurrence]:
        """All names, in the order of the text."""
        if self._occurrences is None:
            self._occurrences = [one for piece in self.pieces for one in piece.occurrences]
        return self._occurrences

    def piece(self, offset: int) -> Piece:
        """Return the agent whose text holds `offset`."""
        return [piece for piece in self.pieces if piece.offset <= offset or piece.offset == 0][-1]

    def occurrence(self, offset: int) -> Occurrence | None:
        """Return the name that stands at `offset`, also directly behind it."""
        found = self.occurrences
        index = bisect_right(found, offset, key=lambda one: one.offset)
        for one in reversed(found[max(index - 2, 0) : index]):
            if one.offset <= offset <= one.stop:
                return one
        return None


def family(file: File, offset: int, project: list[tuple[File, Piece]]) -> list[tuple[File, Piece]]:
    """Return the texts that share the names of steps and variables with the one at `offset`.

    These are an agent and the profiles it uses; where another agent's variable is named, that agent is meant.
    """
    start = file.piece(offset)
    at = file.occurrence(offset)
    if at is not None and at.agent:
        start = next((one for _, one in project if one.document is not None and one.document.name == at.agent), start)
    document = start.document
    if document is None:
        return [(file, start)]
    users = [
        piece
        for _, piece in project
        if piece is start or (piece.document is not None and document.name in piece.document.use_behavior_profiles)
    ]
    if document.kind != "profile":
        users = [start]
    used = {name for piece in users if piece.document is not None for name in piece.document.use_behavior_profiles}
    return [
        (other, piece)
        for other, piece in project
        if any(piece is one for one in users)
        or (piece.document is not None and piece.document.kind == "profile" and piece.document.name in used)
    ]


class Workspace:
    """All texts by path."""

    def __init__(self) -> None:
        """Start empty."""
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
            self._findings[key] = check_project(Project.from_files({file.path: file.text for file in files}))
        found = [one for one in self._findings[key] if one.file == path]
        return sorted(found, key=lambda one: one.offset or 0)

    # --- names --------------------------------------------------------------------------------------------

    def places(self, path: str, offset: int, symbol: Symbol, name: str = "") -> Iterator[tuple[File, Occurrence]]:
        """Yield the occurrences of a name (or of all) of a kind, in all text where it means the same as at `offset`."""
        file = self._files.get(path)
        if file is None:
            return
        project = [(other, piece) for other in self.project(path) for piece in other.pieces]
        scope = project if symbol in PROJECT_WIDE else family(file, offset, project)
        agents = {piece.document.name for _, piece in scope if piece.document is not None}
        for other, piece in project:
            shared = any(piece is one for _, one in scope)
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

    def agent(self, path: str, offset: int) -> Document | None:
        """Return the document that `offset` belongs to."""
        file = self._files.get(path)
        return file.piece(offset).document if file is not None else None
