"""Whether a server on a socket answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

PING_DEADLINE_S = 1.0


async def answer_of(socket: Path, question: bytes, count: int) -> bytes:
    """Return the first `count` bytes that a server answers; none when it does not answer in time."""
    try:
        async with asyncio.timeout(PING_DEADLINE_S):
            reader, writer = await asyncio.open_unix_connection(socket)
            try:
                writer.write(question)
                return await reader.readexactly(count)
            finally:
                writer.close()
    except (OSError, EOFError, TimeoutError):
        return b""
