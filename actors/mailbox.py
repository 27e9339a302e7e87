"""The order in which a session takes its messages: first come, first served, a bounded depth, and an urgent lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")

MAX_WAITING = 100
"""Messages that may wait for one session; the next one is refused with QUEUE_FULL."""
MAX_WAITING_URGENT = 16
"""Urgent messages (cancel, reset, end) that may wait; they are few and short."""


class MailboxFull(Exception):
    """The mailbox holds as much as it may."""


class Mailbox(Generic[Item]):
    """Messages that wait for one receiver. Holds no task and no lock: one event loop uses it."""

    __slots__ = ("_limit", "_urgent", "_usual")

    def __init__(self, limit: int = MAX_WAITING) -> None:
        self._limit = limit
        self._usual: list[Item] = []  # short, and mostly empty: a deque takes ten times the room
        self._urgent: list[Item] = []

    def __len__(self) -> int:
        return len(self._usual) + len(self._urgent)

    def put(self, item: Item, *, urgent: bool = False) -> None:
        """Add a message at the end of its lane.

        Raises:
            MailboxFull: The lane is at its bound.
        """
        lane, limit = (self._urgent, MAX_WAITING_URGENT) if urgent else (self._usual, self._limit)
        if len(lane) >= limit:
            raise MailboxFull(f"{limit} messages wait for the session")
        lane.append(item)

    def usual(self) -> Sequence[Item]:
        """Return what waits and is not urgent, in its order."""
        return self._usual

    def take(self) -> Item | None:
        """Return the next message, urgent ones first; None when nothing waits."""
        if self._urgent:
            return self._urgent.pop(0)
        return self._usual.pop(0) if self._usual else None

    def take_usual(self, wanted: Callable[[Item], bool] = lambda _item: True) -> list[Item]:
        """Return and remove what is not urgent and wanted, for a receiver that will not come to it."""
        taken = [item for item in self._usual if wanted(item)]
        self._usual = [item for item in self._usual if not wanted(item)]
        return taken
