"""One text and everything that is read from it, nothing before it is asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from abl.editor.symbols import Occurrence, occurrences
from abl.frontend import parse
from abl.outline import Outline, outline
from abl.parser.detect import is_yaml_format, split_documents
from abl.source import Source
from abl.syntax.document import Document


@dataclass(frozen=True, slots=True)
class Piece:
    """One agent of a text; most texts are one piece."""

    offset: int
    document: Document | None
    occurrences: list[Occurrence]

    @property
    def name(self) -> str:
        """Name of the agent or profile, empty when there is none."""
        return self.document.name if self.document is not None else ""

    @property
    def kind(self) -> str:
        """Kind of the document, empty when there is none."""
        return self.document.kind if self.document is not None else ""

    @property
    def profiles(self) -> list[str]:
        """Names of the profiles it uses."""
        return self.document.use_behavior_profiles if self.document is not None else []


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
