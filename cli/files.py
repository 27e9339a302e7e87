"""Files of the command line: what the given paths mean, reading as text, writing without ever losing a file."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

STDIN = "-"
STDIN_NAME = "<stdin>"
BOM = "\ufeff"
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "dist", "build"})
"""Folders that hold what tools have made; hidden folders are skipped as well."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A path that cannot be read, or written, and why."""

    path: str
    reason: str
    wanted: str = "read"

    def __str__(self) -> str:
        return f"cannot {self.wanted} {self.path}: {self.reason}"


@dataclass(slots=True)
class Found:
    """What the paths of a command line hold.

    Attributes:
        folders: Folder as given -> paths of its files below it, with forward slashes.
        files: Files named one by one.
        unreadable: Paths that do not exist or may not be read.
    """

    folders: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)


def find(paths: Iterable[str], wanted: Callable[[str], bool]) -> Found:
    """Return the files that `paths` mean: a folder means all below it that are `wanted`, by name or folder and name."""
    found = Found()
    for path in dict.fromkeys(paths):
        if path == STDIN:
            found.files.append(path)
            continue
        try:
            mode = Path(path).stat().st_mode
        except OSError as error:
            found.unreadable.append(Unreadable(path, _reason(error)))
            continue
        if stat.S_ISDIR(mode):
            found.folders[path] = sorted(_below(path, wanted, found.unreadable))
        elif stat.S_ISREG(mode) or stat.S_ISFIFO(mode):
            found.files.append(path)
        else:
            found.unreadable.append(Unreadable(path, "it is neither a file nor a folder"))
    return found


def _below(folder: str, wanted: Callable[[str], bool], unreadable: list[Unreadable]) -> Iterator[str]:
    def refused(error: OSError) -> None:
        unreadable.append(Unreadable(str(error.filename), _reason(error)))

    for root, folders, names in os.walk(folder, onerror=refused):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        inside = Path(root).relative_to(folder)
        for name in names:
            if not name.startswith(".") and (wanted(name) or wanted(f"{inside.name}/{name}")):
                yield (inside / name).as_posix()


def read(path: str) -> str | Unreadable:
    """Return the text of a file or of standard input, byte order mark and line ends as they are."""
    try:
        raw = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        return Unreadable(path, _reason(error))
    return decode(raw, STDIN_NAME if path == STDIN else path)


def decode(raw: bytes, path: str) -> str | Unreadable:
    """Return the text of some bytes; what is no UTF-8 text says where it stops being one."""
    if b"\0" in raw:
        return Unreadable(path, "it is a binary file, not text")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Unreadable(
            path, f"line {line} is not UTF-8 text (byte 0x{raw[error.start]:02x}); save the file as UTF-8"
        )


def write(path: str, text: str) -> Unreadable | None:
    """Replace a file by `text` at once, keeping its permissions; return why that was not possible."""
    import tempfile

    made = ""
    try:
        target = Path(path).resolve()
        handle, made = tempfile.mkstemp(prefix=".abl-", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        Path(made).chmod(_mode(target))
        Path(made).replace(target)
    except OSError as error:
        if made:
            Path(made).unlink(missing_ok=True)
        return Unreadable(path, _reason(error), "write")
    return None


def _mode(target: Path) -> int:
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def like(original: str, text: str) -> str:
    """Return `text` with the byte order mark and the line ends of `original`."""
    if original.count("\r\n") * 2 > original.count("\n"):
        text = text.replace("\n", "\r\n")
    return BOM + text if original.startswith(BOM) else text


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
