"""Conversations that are known by what was said in them, as the gateway asks for them. Decision: 0053."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from storage.repositories.conversations import Asked, Head

__all__ = ["Asked", "ConversationDesk", "Head"]


class ConversationDesk(Protocol):
    """Where conversations stand. Satisfied by `storage.repositories.conversations.Conversations`."""

    async def ask(
        self, at: Head, asked: bytes, new: Asked, *, has_key: bool, is_repeated: bool, within_s: int
    ) -> Asked:
        """Return the turn that carries a question: one that is under way, the next of a session there, or `new`."""
        ...

    async def carried(self, at: Head, asked: bytes, limit: int) -> Sequence[Asked]:
        """Return turns that carry or carried a question, the latest first."""
        ...

    async def answer(self, at: Head, session_id: str, heads: Sequence[bytes]) -> None:
        """Write that a session has gone on from a head, and where it stands now."""
        ...

    async def left(self, at: Head, session_id: str) -> None:
        """Write that nobody waits any more for the answer to what a session was asked at a head."""
        ...

    async def free(self, at: Head, session_id: str) -> None:
        """Write that a session has not gone on from a head: what it was asked was refused."""
        ...
