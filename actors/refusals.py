"""Turns that were taken and refused for good: kept until their client was told. Decision 0046."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from actors.messages import RunTurn, decode_answer, decode_message
from actors.raising import error_of
from actors.runtime import ChatTurn, SessionRef
from actors.turn_keys import key_of
from domain.errors import AppError
from storage.database import Database
from storage.repositories.accepted import AcceptedMessages, name_of

TOLD_MAX: Final = 100
"""Refusals that a client hears when it comes back; more messages than that of one session never wait."""


class Refusal(NamedTuple):
    """A turn that was taken, as it was asked for, and why it was refused after all."""

    turn: ChatTurn
    error: AppError


class Refusals(Protocol):
    """Turns that were taken and refused for good, and whose client was not told."""

    async def of_session(self, session: SessionRef) -> Sequence[Refusal]:
        """Return those of a session, in the order in which they were taken."""
        ...

    async def waiting(self, session: SessionRef) -> int:
        """Return how many turns of a session were taken and are neither answered nor refused."""
        ...

    async def told(self, turn: ChatTurn) -> None:
        """Forget one: its client knows."""
        ...


class StoredRefusals:
    """Satisfies `Refusals`."""

    def __init__(self, database: Database) -> None:
        self._accepted = AcceptedMessages(database)

    async def of_session(self, session: SessionRef) -> Sequence[Refusal]:
        """Return the refusals of a session that nobody was told, in the order in which the turns were taken."""
        found = []
        for one in await self._accepted.refused(session.tenant_id, session.session_id, TOLD_MAX):
            message, answer = decode_message(one.message), decode_answer(one.refusal)
            if isinstance(message, RunTurn):
                turn = msgspec.structs.replace(message.turn, idempotency_key=message.asked_as)
                found.append(Refusal(turn, error_of(answer)))
        return found

    async def waiting(self, session: SessionRef) -> int:
        """Return how many turns of a session were taken and are neither answered nor refused."""
        return await self._accepted.waiting(session.tenant_id, session.session_id)

    async def told(self, turn: ChatTurn) -> None:
        """Forget that a turn was refused: its client knows."""
        await self._accepted.told(name_of(turn.tenant_id, turn.session_id, key_of(turn)))
