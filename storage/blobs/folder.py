"""Blobs as files in a folder that every gateway sees. Names are hashes, so that no id can leave the folder.

The file of a sealed blob says so with its ending, and holds its pieces one after the other, each sealed.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import BinaryIO, TypeVar

from domain.errors import NotFound, Unavailable
from storage.blobs.port import PIECE_BYTES, piece_key
from storage.contents import SEAL_BYTES, Contents

PRIVATE = 0o700
SPREAD_CHARS = 2
NAME_CHARS = 40
SEALED_ENDING = ".sealed"
Given = TypeVar("Given")


class FolderBlobs:
    """Satisfies `storage.blobs.port.Blobs`. A blob has its name when it is whole and on the disk, not before."""

    def __init__(self, folder: Path, contents: Contents | None = None) -> None:
        self._folder = folder
        self._contents = contents

    async def write(self, tenant_id: str, owner_id: str, blob_id: str, content: BinaryIO) -> int:
        """Keep a blob."""
        place = self._place(tenant_id, owner_id, blob_id)
        sealer = await self._contents.sealer(tenant_id) if self._contents is not None else None
        if sealer is None:
            return await _in_thread(lambda: _written(place, content, lambda _, piece: piece))

        def sealed(number: int, piece: bytes) -> bytes:
            return sealer.close(piece_key(owner_id, blob_id, number), piece)

        size_bytes = await _in_thread(lambda: _written(_sealed(place), content, sealed))
        await _in_thread(lambda: place.unlink(missing_ok=True))
        return size_bytes

    async def read(self, tenant_id: str, owner_id: str, blob_id: str) -> AsyncGenerator[bytes]:
        """Yield the blob in pieces."""
        place = self._place(tenant_id, owner_id, blob_id)
        contents = self._contents if await _in_thread(_sealed(place).exists) else None
        piece_bytes = PIECE_BYTES + SEAL_BYTES if contents is not None else PIECE_BYTES
        try:
            file = await _in_thread(lambda: (_sealed(place) if contents is not None else place).open("rb"))
        except FileNotFoundError as error:
            raise NotFound("The content is not there") from error
        number = 0
        with file:
            while piece := await _in_thread(lambda: file.read(piece_bytes)):
                if contents is not None:
                    piece = await contents.opened(tenant_id, piece_key(owner_id, blob_id, number), piece)
                yield piece
                number += 1

    async def delete(self, tenant_id: str, owner_id: str, blob_id: str) -> None:
        """Remove a blob."""
        place = self._place(tenant_id, owner_id, blob_id)
        for one in (place, _sealed(place)):
            await _in_thread(partial(one.unlink, missing_ok=True))

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


def _sealed(place: Path) -> Path:
    return place.with_name(f"{place.name}{SEALED_ENDING}")


def _written(place: Path, content: BinaryIO, kept: Callable[[int, bytes], bytes]) -> int:
    """Write what is kept of each piece; return how long the pieces are."""
    place.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    content.seek(0)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        try:
            size_bytes = 0
            for number in count():
                if not (piece := content.read(PIECE_BYTES)):
                    break
                file.write(kept(number, piece))
                size_bytes += len(piece)
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
