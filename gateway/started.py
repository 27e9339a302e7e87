"""Streams whose first piece is fetched before the answer begins: what goes wrong by then is an ordinary error."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

Piece = TypeVar("Piece")


async def started(pieces: AsyncGenerator[Piece]) -> AsyncGenerator[Piece]:
    """Return the same pieces, of which the first is here already."""
    try:
        first = await anext(pieces)
    except StopAsyncIteration:
        return _nothing(pieces)
    return _from_first(first, pieces)


async def _nothing(pieces: AsyncGenerator[Piece]) -> AsyncGenerator[Piece]:
    async with aclosing(pieces):
        async for piece in pieces:
            yield piece


async def _from_first(first: Piece, pieces: AsyncGenerator[Piece]) -> AsyncGenerator[Piece]:
    async with aclosing(pieces):
        yield first
        async for piece in pieces:
            yield piece
