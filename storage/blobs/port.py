"""What keeps blobs: bytes under a tenant, an owner and an id, written once, read in pieces, gone with their owner."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import BinaryIO, Final, Protocol

PIECE_BYTES: Final = 256 * 1024
"""How much is in memory of a blob that is written or read."""


def piece_key(owner_id: str, blob_id: str, number: int) -> bytes:
    """Return what a piece of a blob is sealed for; pieces that change places cannot be opened."""
    return f"blob\0{owner_id}\0{blob_id}\0{number}".encode()


class Blobs(Protocol):
    """Keeps blobs."""

    async def write(self, tenant_id: str, owner_id: str, blob_id: str, content: BinaryIO) -> int:
        """Keep what `content` holds from its start; return how many bytes. What was there before is replaced.

        Raises:
            Unavailable: It cannot be kept; nothing of it is.
        """
        ...

    def read(self, tenant_id: str, owner_id: str, blob_id: str) -> AsyncGenerator[bytes]:
        """Yield the blob in pieces.

        Raises:
            NotFound: There is none; raised before the first piece.
        """
        ...

    async def delete(self, tenant_id: str, owner_id: str, blob_id: str) -> None:
        """Remove a blob; one that is not there changes nothing."""
        ...

    async def delete_all(self, tenant_id: str, owner_id: str) -> None:
        """Remove all blobs of an owner; none changes nothing."""
        ...
