"""What a host of sessions is to the rest, and who brings hosts into being."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from actors.messages import HostAnswer, HostMessage
from actors.session.stream import Listener
from domain.errors import Unavailable


class HostGone(Exception):
    """The host cannot be reached or died with the message in flight: whether it was carried out is not known."""


class HostDoesNotStart(Unavailable):
    """A host was wanted and did not come to serve."""


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

    def close(self) -> None:
        """Let go of the way to the host: what is out ends with HostGone."""
        ...


class HostMaker(Protocol):
    """Brings hosts into being in processes of their own, and starts those again that die."""

    async def start(self) -> None:
        """Bring up what hosts need.

        Raises:
            Unavailable: It does not come up; the message says what to do.
        """
        ...

    async def keep(self, host_id: str) -> None:
        """Have a host of this id from now on; return once it serves. Does nothing when it is there already.

        Raises:
            HostDoesNotStart: It does not come to serve in time.
        """
        ...

    async def end(self, host_id: str) -> None:
        """Drain a host, whoever has started it, and keep it no longer."""
        ...

    def watch(self, host_ids: Collection[str]) -> None:
        """Hear of the end of the hosts that serve, whoever has started them; costs nothing when all are known."""
        ...

    async def leaving(self) -> frozenset[str]:
        """Return the hosts on machines that are to go."""
        ...

    async def move(self, host_id: str) -> None:
        """Drain a host and have it serve again on another machine.

        Raises:
            HostDoesNotStart: It does not come to serve there in time.
        """
        ...

    async def leave(self) -> None:
        """Let go of all hosts without ending any: other gateways go on with them."""
        ...

    async def break_off(self) -> None:
        """End what a start that nobody waits for any more has begun, at once; this process is about to end."""
        ...

    async def stop(self) -> None:
        """Drain and end everything that was started here, and nothing else."""
        ...
