"""What a host of sessions is to the rest: something with an id that takes a message and answers it."""

from __future__ import annotations

from typing import Protocol

from actors.messages import HostAnswer, HostMessage
from actors.session.stream import Listener


class HostGone(Exception):
    """The host cannot be reached or died with the message in flight: whether it was carried out is not known."""


class Host(Protocol):
    """A place where sessions live; in this process or behind a link."""

    @property
    def host_id(self) -> str:
        """The id under which the host holds its lease."""
        ...

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Return the answer to a message; stream events that belong to it go to the listener before.

        Raises:
            HostGone: The host is not there (any more).
        """
        ...
