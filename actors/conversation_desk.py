"""Conversations that are known by what was said in them, as the gateway asks for them. Decision: 0053."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from domain.json_values import JsonObject
from storage.database import Database
from storage.repositories.conversations import Asked, AskedAgain, Conversations, Head, Named
from storage.repositories.transcripts import Transcripts
from storage.turn_end import MessageRow

__all__ = ["Asked", "AskedAgain", "ConversationDesk", "Head", "MessageRow", "Named", "StoredConversations"]


class ConversationDesk(Protocol):
    """Where conversations stand, and what was said in them."""

    async def ask(self, at: Head, asked: bytes, new: Asked, again: AskedAgain) -> Asked:
        """Return the turn that carries a question: one that is the same, the next of a session there, or `new`."""
        ...

    async def find(self, at: Head) -> Asked | None:
        """Return the session at a head, with the turn that has gone on from there, if one has."""
        ...

    async def remove(self, at: Head) -> bool:
        """Forget a head; False when there is none."""
        ...

    async def said_until(self, tenant_id: str, session_id: str, message_id: str, limit: int) -> Sequence[MessageRow]:
        """Return a message and those before it, newest first; none when there is no such message."""
        ...

    async def carried(self, at: Head, asked: bytes, limit: int) -> Sequence[Asked]:
        """Return turns that carry or carried a question, the latest first."""
        ...

    async def answer(self, at: Head, session_id: str, heads: Sequence[bytes], named: Named | None = None) -> None:
        """Write that a session has gone on from a head, and where it stands now: also at one that has a name."""
        ...

    async def about(self, at: Head, session_id: str) -> JsonObject:
        """Return what is kept with a head that has a name; empty when nothing is."""
        ...

    async def left(self, at: Head, session_id: str) -> None:
        """Write that nobody waits any more for the answer to what a session was asked at a head."""
        ...

    async def free(self, at: Head, session_id: str) -> None:
        """Write that a session has not gone on from a head: what it was asked was refused."""
        ...


class StoredConversations(Conversations):
    """Satisfies `ConversationDesk`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._transcripts = Transcripts(database)

    async def said_until(self, tenant_id: str, session_id: str, message_id: str, limit: int) -> Sequence[MessageRow]:
        """Return a message and those before it, newest first."""
        last = await self._transcripts.find(tenant_id, session_id, message_id)
        if last is None:
            return ()
        return (last, *await self._transcripts.before(tenant_id, session_id, last.seq, limit - 1))
