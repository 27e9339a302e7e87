"""The numbered output of one session: written by its driver, handed to any number of listeners, bounded in memory.

The last turn and the running one are held; what is older comes from the store. A listener that does not keep up is let
go and asks again from its last number. Spec: platform-api 4.1, 12.6.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from actors.runtime import StreamEvent, StreamKind

MAX_HELD = 2_048
"""Events kept for late listeners of one session; the oldest go first."""
ATTEMPT_STRIDE = 1_000_000
"""Numbers jump by this when a turn is begun again on another host, which cannot know how far the first one came."""
TURN_ENDS: frozenset[str] = frozenset({"complete", "error"})

Listener = Callable[[StreamEvent], bool]
"""Takes one event at once, without waiting; False says that it takes no more."""


class NotHeld(Exception):
    """What was asked for is held no more; it stands in the store."""


class OutputStream:
    """The output of one session. Made for one event loop."""

    __slots__ = ("_ends", "_held", "_listeners", "last_seq", "running")

    def __init__(self, last_seq: int = 0) -> None:
        self.last_seq = last_seq
        self.running = False
        self._held: deque[StreamEvent] = deque(maxlen=MAX_HELD)
        self._listeners: dict[int, Listener] = {}
        self._ends: dict[int, asyncio.Future[bool]] = {}

    @property
    def listeners(self) -> int:
        """How many are listening now."""
        return len(self._listeners)

    def begin(self, *, attempt: int = 1) -> None:
        """A turn begins; later attempts of the same turn jump ahead. Only the last finished turn stays held."""
        self.last_seq += (attempt - 1) * ATTEMPT_STRIDE
        if self._held:
            last_turn = self._held[-1].turn
            while self._held and self._held[0].turn < last_turn:
                self._held.popleft()
        self.running = True

    def emit(self, turn: int, kind: StreamKind, data: dict[str, Any]) -> StreamEvent:
        """Number an event and hand it to all listeners; `complete` and `error` end the turn."""
        self.last_seq += 1
        event = StreamEvent(seq=self.last_seq, turn=turn, kind=kind, data=data)
        self._held.append(event)
        ends = kind in TURN_ENDS
        if self._listeners:
            for key, listener in list(self._listeners.items()):
                if not listener(event) or ends:
                    self._let_go(key, kept_up=ends)
        if ends:
            self.running = False
        return event

    def abandon(self) -> None:
        """The host lets go of the session in the middle of its turn: every listener has to look elsewhere."""
        for key in list(self._listeners):
            self._let_go(key, kept_up=False)
        self.running = False

    def holds(self, after: int) -> bool:
        """Whether everything after this number is still held."""
        return after >= self.last_seq or (bool(self._held) and self._held[0].seq <= after + 1)

    def listen(self, listener: Listener, after: int | None = None) -> asyncio.Future[bool]:
        """Hand over what is held after this number, then what comes until the running turn ends.

        Returns:
            A future that is True when the turn's end was handed over or no turn runs, False when the listener was let
            go before. Cancelling it ends the listening.

        Raises:
            NotHeld: Events after this number are held no more.
        """
        over: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if after is not None:
            if not self.holds(after):
                raise NotHeld
            for event in self._held:
                if event.seq > after and not listener(event):
                    over.set_result(False)
                    return over
        if not self.running:
            over.set_result(True)
            return over
        key = id(over)
        self._listeners[key] = listener
        self._ends[key] = over
        over.add_done_callback(lambda _done: self._drop(key))
        return over

    def _let_go(self, key: int, *, kept_up: bool) -> None:
        over = self._ends.get(key)
        self._drop(key)
        if over is not None and not over.done():
            over.set_result(kept_up)

    def _drop(self, key: int) -> None:
        self._listeners.pop(key, None)
        self._ends.pop(key, None)
