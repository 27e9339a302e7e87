"""What was acknowledged and refused for good after all: told once by its `messageId`, also to a page that comes back.

A refusal is durable before it is told (`actors.intake`), and removed once it was. Spec: platform-api 3.1, 12.4, 12.7;
decision 0046.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable
from typing import NamedTuple, Protocol

from actors.refusals import Refusals
from actors.runtime import ChatTurn, SessionRef
from domain.errors import AppError
from gateway import bounds

SOCKET_KEY = "socket:"
"""With what the keys of messages begin that came by a socket; their `messageId` follows."""
logger = logging.getLogger(__name__)


class Tell(Protocol):
    """Says on a socket that a message was refused."""

    def __call__(self, error: AppError, *, message_id: str | None, reply_to: str | None) -> Awaitable[None]:
        """Send an `error`."""
        ...


class _Refused(NamedTuple):
    turn: ChatTurn
    error: AppError
    reply_to: str | None = None

    @property
    def message_id(self) -> str:
        return self.turn.idempotency_key.removeprefix(SOCKET_KEY)


class RefusedMessages:
    """The refusals of one session, for one of its sockets."""

    def __init__(self, session: SessionRef, refusals: Refusals, tell: Tell) -> None:
        self._session = session
        self._refusals = refusals
        self._tell = tell
        self._reported: asyncio.Queue[_Refused] = asyncio.Queue(bounds.SOCKET_OUTBOX_FRAMES)
        self._told: deque[str] = deque(maxlen=bounds.SOCKET_OUTBOX_FRAMES)

    def report(self, error: AppError, turn: ChatTurn, reply_to: str | None) -> None:
        """Have a refusal told; one that finds no place is told when the page comes back."""
        if not self._reported.full():
            self._reported.put_nowait(_Refused(turn, error, reply_to))

    def said(self, message_id: str) -> None:
        """Know that the page has said a message, perhaps again: it may be refused again."""
        if message_id in self._told:
            self._told.remove(message_id)

    async def tell_all_along(self) -> None:
        """Tell what no socket was told before, and then whatever is reported, until the socket is closed."""
        await self.tell_stored()
        while True:
            await self._say(await self._reported.get())

    async def tell_stored(self) -> None:
        """Tell the refusals that the store has."""
        try:
            for turn, error in await self._refusals.of_session(self._session):
                if turn.idempotency_key.startswith(SOCKET_KEY):
                    await self._say(_Refused(turn, error))
        except AppError as error:
            logger.warning("refused messages of %s cannot be read: %s", self._session.session_id, error.message)

    async def tell_last(self) -> None:
        """Tell all refusals of a session that is over, also those that are written in this moment, wherever.

        What is not refused within the bound is told when the page comes back.
        """
        try:
            for _ in range(bounds.SOCKET_REFUSED_LOOKS):
                if not await self._refusals.waiting(self._session):
                    break
                await asyncio.sleep(bounds.SOCKET_REFUSED_PAUSE_S)
        except AppError as error:
            logger.warning("whether messages of %s wait is not known: %s", self._session.session_id, error.message)
        while not self._reported.empty():
            await self._say(self._reported.get_nowait())
        await self.tell_stored()

    async def _say(self, refused: _Refused) -> None:
        if refused.message_id in self._told:
            return  # it was reported, and stood in the store as well
        self._told.append(refused.message_id)
        await self._tell(refused.error, message_id=refused.message_id, reply_to=refused.reply_to)
        try:
            await self._refusals.told(refused.turn)
        except AppError as error:
            logger.warning("a refusal of %s will be told again: %s", self._session.session_id, error.message)
