"""The mocks of `abl dev` and `abl chat`: read again when their file was saved, and used from the next turn on."""

from __future__ import annotations

from pathlib import Path

from actors.session.services import Mocks
from cli.dev_project import Tell
from cli.mocks import tool_mocks
from domain.errors import InvalidInput

Seen = tuple[int, int, int]
NOTHING: Seen = (0, 0, 0)


class MocksFile:
    """A file of mocks; what cannot be read is told once, and the last good mocks stay.

    Attributes:
        version: Counts what was taken over since the start.
    """

    def __init__(self, path: str, mocks: Mocks, tell: Tell) -> None:
        self.version = 0
        self._path = path
        self._mocks = mocks
        self._tell = tell
        self._seen = self._look()

    def refresh(self) -> None:
        """Take over what was saved since the last look."""
        seen = self._look()
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._mocks.tool_mocks = tool_mocks(self._path)
        except InvalidInput as error:
            self._tell(f"abl: {error.message}\nnot in use: the last good mocks answer on")
            return
        self.version += 1
        self._tell(f"{self._path}: in use from the next turn on")

    def _look(self) -> Seen:
        if not self._path:
            return NOTHING
        try:
            found = Path(self._path).stat()
        except OSError:
            return NOTHING
        return found.st_ino, found.st_size, found.st_mtime_ns
