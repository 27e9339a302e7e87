"""Blobs as files in a folder that every gateway sees. Names are hashes, so that no id can leave the folder."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, TypeVar

from domain.errors import NotFound, Unavailable
from storage.blobs.port import PIECE_BYTES

PRIVATE = 0o700
SPREAD_CHARS = 2
NAME_CHARS = 40
Given = TypeVar("Given")


class FolderBlobs:
    """Satisfies `storage.blobs.port.Blobs`. A blob has its name when it is whole and on the disk, not before."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def write(self, tenant_id: str, owner_id: str, blob_id: str, content: BinaryIO) -> int:
        """Keep a blob."""
        place = self._place(tenant_id, owner_id, blob_id)
        return await _in_thread(lambda: _written(place, content))

    async def read(self, tenant_id: str, owner_id: str, blob_id: str) -> AsyncGenerator[bytes]:
        """Yield the blob in pieces."""
        place = self._place(tenant_id, owner_id, blob_id)
        try:
            file = await _in_thread(lambda: place.open("rb"))
        except FileNotFoundError as error:
            raise NotFound("The content is not there") from error
        with file:
            while piece := await _in_thread(lambda: file.read(PIECE_BYTES)):
                yield piece

    async def delete(self, tenant_id: str, owner_id: str, blob_id: str) -> None:
        """Remove a blob."""
        place = self._place(tenant_id, owner_id, blob_id)
        await _in_thread(lambda: place.unlink(missing_ok=True))

    async def delete_all(self, tenant_id: str, owner_id: str) -> None:
        """Remove all blobs of an owner."""
        folder = self._owned(tenant_id, owner_id)
        await _in_thread(lambda: shutil.rmtree(folder) if folder.exists() else None)

    def _owned(self, tenant_id: str, owner_id: str) -> Path:
        owner = _name(owner_id)
        return self._folder / _name(tenant_id) / owner[:SPREAD_CHARS] / owner

    def _place(self, tenant_id: str, owner_id: str, blob_id: str) -> Path:
        return self._owned(tenant_id, owner_id) / _name(blob_id)


def _name(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:NAME_CHARS]


def _written(place: Path, content: BinaryIO) -> int:
    place.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    content.seek(0)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        try:
            shutil.copyfileobj(content, file, PIECE_BYTES)
            size_bytes = file.tell()
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(place)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    return size_bytes


async def _in_thread(act: Callable[[], Given]) -> Given:
    """Return what a piece of file work brings.

    Raises:
        FileNotFoundError: As it is.
        Unavailable: The disk refuses.
    """
    try:
        return await asyncio.to_thread(act)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unavailable(f"Attachments cannot be stored or read: {error.strerror}") from error
