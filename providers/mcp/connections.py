"""The connections to MCP servers of one process: shared by the sessions that may, bounded, reopened with back-off."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from domain.json_values import JsonObject, JsonValue
from providers.mcp import bounds
from providers.mcp.calls import Listed, NotConnected
from providers.mcp.servers import Target
from providers.retry import RetryPolicy, Seconds, chance, delay_s
from providers.tools.results import ToolFault

BACKOFF: Final = RetryPolicy(attempts=bounds.ATTEMPTS, delay_s=0.25, backoff="exponential", max_delay_s=30.0)


class Opened(Protocol):
    """A connection as it is used; `providers.mcp.client.Connection`."""

    tools: dict[str, Listed]
    calls: int

    @property
    def is_open(self) -> bool:
        """Whether a call may be sent."""

    async def open(self, within_s: float) -> None:
        """Connect. Raises NotConnected."""

    async def call(self, tool: str, arguments: JsonObject, key: str, timeout_s: float) -> JsonValue:
        """Return what a tool gave. Raises NotConnected, Interrupted, ToolFault."""

    async def close(self) -> None:
        """Close it."""


@dataclass(slots=True)
class _Place:
    """One server: its connection or the attempt at one, and how often that has failed in a row."""

    connection: Opened | None = None
    opening: asyncio.Task[Opened] | None = None
    failures: int = 0
    rests_until_s: float = 0.0
    used_s: float = 0.0

    def is_idle(self) -> bool:
        """Whether nobody would miss it now."""
        return self.opening is None and (self.connection is None or not self.connection.calls)


class Resting(NotConnected):
    """A server that could not be reached is not tried again before `wait_s` have passed."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Connections:
    """One connection per target; those not used for long are closed, at the latest when another one needs the room."""

    def __init__(self, make: Callable[[Target], Opened], *, seconds: Seconds = time.monotonic) -> None:
        self._make = make
        self._seconds = seconds
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def get(self, target: Target) -> Opened:
        """Return an open connection; whoever comes while it is being opened waits for the same one.

        Raises:
            NotConnected: There is none to be had.
            Resting: It was tried shortly before.
            ToolFault: There are too many connections in use.
        """
        if self._is_closed:
            raise NotConnected("MCP connections are closed")
        place = self._place(target)
        place.used_s = self._seconds()
        if place.connection is not None and place.connection.is_open:
            return place.connection
        if place.opening is None:
            wait_s = place.rests_until_s - self._seconds()
            if wait_s > 0:
                raise Resting(f"The MCP server {target.name!r} could not be reached", wait_s)
            self._drop(place)
            place.opening = asyncio.get_running_loop().create_task(self._open(place, target))
        return await asyncio.shield(place.opening)

    async def close(self) -> None:
        """Close all connections, server programs included."""
        self._is_closed = True
        places, self._places = list(self._places.values()), OrderedDict()
        opening = [place.opening for place in places if place.opening is not None]
        for task in opening:
            task.cancel()
        if opening:
            await asyncio.wait(opening)
        for place in places:
            self._drop(place)
        if self._closing:
            await asyncio.wait(set(self._closing))

    async def _open(self, place: _Place, target: Target) -> Opened:
        connection = self._make(target)
        try:
            await connection.open(bounds.CONNECT_S)
        except NotConnected:
            place.failures += 1
            place.rests_until_s = self._seconds() + delay_s(BACKOFF, place.failures, chance())
            raise
        except asyncio.CancelledError:
            await connection.close()
            raise
        finally:
            place.opening = None
        place.connection, place.failures = connection, 0
        return connection

    def _place(self, target: Target) -> _Place:
        place = self._places.get(target.key)
        if place is None:
            self._make_room()
            place = self._places[target.key] = _Place()
        self._places.move_to_end(target.key)
        return place

    def _make_room(self) -> None:
        """Close what has not been used for long, and the longest unused one when there are too many."""
        quiet = [key for key, place in self._places.items() if place.is_idle()]
        now_s = self._seconds()
        gone = [key for key in quiet if now_s - self._places[key].used_s >= bounds.IDLE_S]
        if not gone and len(self._places) >= bounds.CONNECTIONS_MAX:
            if not quiet:
                raise ToolFault("tool_error", "BUSY", f"All {bounds.CONNECTIONS_MAX} MCP connections are in use")
            gone = quiet[:1]
        for key in gone:
            self._drop(self._places.pop(key))

    def _drop(self, place: _Place) -> None:
        connection, place.connection = place.connection, None
        if connection is not None:
            task = asyncio.get_running_loop().create_task(connection.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
