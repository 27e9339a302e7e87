"""Blobs in the database, in pieces: every gateway sees them, and they are in its backup."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import BinaryIO

from domain.errors import NotFound
from storage.blobs.port import PIECE_BYTES, piece_key
from storage.database import Database
from storage.statements import Statement

ADD = Statement("""
    INSERT INTO blob_pieces (tenant_id, owner_id, blob_id, number, content, is_sealed)
    VALUES (:tenant_id, :owner_id, :blob_id, :number, :content, :is_sealed)
""")
LOCK = Statement("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
PIECE = Statement("""
    SELECT content, is_sealed FROM blob_pieces
    WHERE tenant_id = :tenant_id AND owner_id = :owner_id AND blob_id = :blob_id AND number = :number
""")
DELETE = Statement(
    "DELETE FROM blob_pieces WHERE tenant_id = :tenant_id AND owner_id = :owner_id AND blob_id = :blob_id",
    is_repeatable=True,
)
DELETE_ALL = Statement(
    "DELETE FROM blob_pieces WHERE tenant_id = :tenant_id AND owner_id = :owner_id", is_repeatable=True
)


class DatabaseBlobs:
    """Satisfies `storage.blobs.port.Blobs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, tenant_id: str, owner_id: str, blob_id: str, content: BinaryIO) -> int:
        """Keep a blob, in one transaction. An empty one has one piece without bytes."""
        sealer = await self._database.contents.sealer(tenant_id)
        names = {"tenant_id": tenant_id, "owner_id": owner_id, "blob_id": blob_id}
        size_bytes = number = 0
        await asyncio.to_thread(content.seek, 0)
        async with self._database.transaction() as connection:
            await connection.value(LOCK, name=f"{owner_id}/{blob_id}")  # of two writers one comes after the other
            await self._database.contents.check(connection, tenant_id, sealer)
            await connection.execute(DELETE, **names)
            while (piece := await asyncio.to_thread(content.read, PIECE_BYTES)) or not number:
                size_bytes += len(piece)
                if sealer is not None:
                    piece = sealer.close(piece_key(owner_id, blob_id, number), piece)
                await connection.execute(ADD, **names, number=number, content=piece, is_sealed=sealer is not None)
                number += 1
        return size_bytes

    async def read(self, tenant_id: str, owner_id: str, blob_id: str) -> AsyncGenerator[bytes]:
        """Yield the blob in pieces; no connection is held between them."""
        number = 0
        while True:
            row = await self._database.row(
                PIECE, tenant_id=tenant_id, owner_id=owner_id, blob_id=blob_id, number=number
            )
            if row is None and not number:
                raise NotFound("The content is not there")
            if row is None:
                return
            piece: bytes = row["content"]
            if row["is_sealed"]:
                key = piece_key(owner_id, blob_id, number)
                piece = await self._database.contents.opened(tenant_id, key, piece)
            if piece:
                yield piece
            if len(piece) < PIECE_BYTES:
                return
            number += 1

    async def delete(self, tenant_id: str, owner_id: str, blob_id: str) -> None:
        """Remove a blob."""
        await self._database.execute(DELETE, tenant_id=tenant_id, owner_id=owner_id, blob_id=blob_id)

    async def delete_all(self, tenant_id: str, owner_id: str) -> None:
        """Remove all blobs of an owner."""
        await self._database.execute(DELETE_ALL, tenant_id=tenant_id, owner_id=owner_id)
