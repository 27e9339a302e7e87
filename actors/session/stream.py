"""The numbered output of one session: written by its driver, handed to any number of listeners, bounded in memory.

The last turn and the running one are held for a while; what is wanted later is told again from the store, see
`actors.session.telling`. What a page follows that may have lost its connection is held for longer, see
`domain.limits.RESUME_BUFFER_FRAMES`. A listener that does not keep up is let go and asks again from its last number.
Spec: platform-api 4.1, 12.6, 15.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from actors.runtime import StreamEvent, StreamKind
from domain.limits import RESUME_BUFFER_BYTES, RESUME_BUFFER_FRAMES, RESUME_BUFFER_KEPT_S

MAX_HELD = 16_384
"""Events kept for late listeners of one session; the oldest go first."""
NUMBERS_BEGAN_AT = datetime(2026, 1, 1, tzinfo=UTC)
US = timedelta(microseconds=1)
TURN_ENDS: frozenset[str] = frozenset({"complete", "error"})


def never_shown(now: datetime) -> int:
    """Return a number above every number that any host has given to an event of a session until now.

    A host that takes a session over, or begins a turn again, cannot know how far the last one came: numbers jump to the
    microseconds since the product's first year, of which each event needs more than one. They stay far below 2**53, the
    largest whole number that JavaScript counts exactly.
    """
    return (now - NUMBERS_BEGAN_AT) // US


def gap(from_seq: int, to_seq: int) -> StreamEvent:
    """Return the event that says that output can be had no more."""
    return StreamEvent(seq=to_seq, turn=0, kind="resume_gap", data={"fromSeq": from_seq, "toSeq": to_seq})


Listener = Callable[[StreamEvent], bool]
"""Takes one event at once, without waiting; False says that it takes no more."""


class NotHeld(Exception):
    """What was asked for is held no more; it stands in the store."""


class _Listening:
    """One listener and the future that tells how its listening ended."""

    __slots__ = ("endless", "listener", "over")

    def __init__(self, listener: Listener, over: asyncio.Future[bool], *, endless: bool) -> None:
        self.listener = listener
        self.over = over
        self.endless = endless


class OutputStream:
    """The output of one session. Made for one event loop."""

    __slots__ = ("_before_turn", "_followed_s", "_held", "_listening", "_whole_after", "last_seq", "running")

    def __init__(self, last_seq: int = 0) -> None:
        self.last_seq = last_seq
        self.running = False
        self._before_turn = last_seq
        self._held: list[StreamEvent] = []
        self._whole_after: int | None = None
        self._followed_s: float | None = None
        self._listening: dict[int, _Listening] | None = None

    @property
    def listeners(self) -> int:
        """How many are listening now."""
        return len(self._listening or ())

    def jump(self, now: datetime) -> None:
        """Go on with numbers that nobody can have seen; see `never_shown`."""
        self.last_seq = max(self.last_seq, never_shown(now))

    def begin(self) -> None:
        """A turn begins. Only the last finished turn stays held, and what a page may have missed before it."""
        if self._held:
            last_turn = self._held[-1].turn
            if self._held[0].turn < last_turn:
                first = next(place for place, event in enumerate(self._held) if event.turn == last_turn)
                self._drop_first(self._first_for_pages(first))
        self.running = True
        self._before_turn = self.last_seq

    @property
    def ended_seq(self) -> int:
        """The number of the last event of the turns that have ended: what runs comes behind it, whole."""
        return self._before_turn if self.running else self.last_seq

    @property
    def is_followed(self) -> bool:
        """Whether a page follows the session, or did so a short while ago and may come back."""
        if any(one.endless for one in (self._listening or {}).values()):
            return True
        return self._followed_s is not None and time.monotonic() - self._followed_s < RESUME_BUFFER_KEPT_S

    def _first_for_pages(self, first: int) -> int:
        """Return the place of the first event to hold, `first` when no page may have missed anything."""
        frames, room_bytes = len(self._held) - first, RESUME_BUFFER_BYTES
        if not self.is_followed:
            return first
        while first and frames < RESUME_BUFFER_FRAMES:
            room_bytes -= len(msgspec.json.encode(self._held[first - 1].data))
            if room_bytes < 0:
                break
            first -= 1
            frames += 1
        return first

    def emit(self, turn: int, kind: StreamKind, data: dict[str, Any]) -> StreamEvent:
        """Number an event and hand it to all listeners; `complete` and `error` end the turn."""
        self.last_seq += 1
        event = StreamEvent(seq=self.last_seq, turn=turn, kind=kind, data=data)
        self._held.append(event)
        if len(self._held) > MAX_HELD:
            self._drop_first(MAX_HELD // 4)
        ends = kind in TURN_ENDS
        if self._listening:
            for key, one in list(self._listening.items()):
                is_over = ends and not one.endless
                if not one.listener(event) or is_over:
                    self._let_go(key, kept_up=is_over)
        if ends:
            self.running = False
        return event

    def abandon(self) -> None:
        """The host lets go of the session: every listener has to look elsewhere."""
        for key in list(self._listening or ()):
            self._let_go(key, kept_up=False)
        self.running = False

    def forget(self) -> None:
        """Hold nothing of the turns that are over, unless for a page; the last one can be told again from the store."""
        if not self.running and not self.is_followed:
            self._held, self._whole_after = [], None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is held."""
        return not self._held

    @property
    def first_held(self) -> int:
        """The number of the first event that is held; the next one to be given when none is."""
        return self._held[0].seq if self._held else self.last_seq + 1

    def recall(self, events: list[StreamEvent], whole_after: int | None = None) -> None:
        """Hold events of ended turns again, before those that are held.

        Args:
            events: In order; those that are held already are left out.
            whole_after: From which number on nothing is missing before the first of them, if not only from its own:
                numbers jump where a host took the session over.
        """
        first = self.first_held
        self._held = [event for event in events if event.seq < first] + self._held
        self._whole_after = whole_after

    def _drop_first(self, count: int) -> None:
        if count:
            del self._held[:count]
            self._whole_after = None

    def holds(self, after: int) -> bool:
        """Whether everything after this number is still held."""
        whole_after = self.first_held - 1 if self._whole_after is None else self._whole_after
        return after >= min(whole_after, self.last_seq)

    def listen(
        self, listener: Listener, after: int | None = None, *, endless: bool = False, gaps: bool = False
    ) -> asyncio.Future[bool]:
        """Hand over what is held after this number, then what comes until the running turn ends.

        Args:
            listener: Takes the events.
            after: None means only what comes.
            endless: Go on with the turns after it.
            gaps: When not everything after the number is held say so, and begin with what there is.

        Returns:
            A future that is True when the turn's end was handed over or no turn runs, False when the listener was let
            go before. Cancelling it ends the listening.

        Raises:
            NotHeld: Events after this number are held no more.
        """
        over: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if after is not None:
            if not self.holds(after):
                if not gaps:
                    raise NotHeld
                listener(gap(after + 1, self.first_held - 1))
            for event in self._held:
                if event.seq > after and not listener(event):
                    over.set_result(False)
                    return over
        if not self.running and not endless:
            over.set_result(True)
            return over
        key = id(over)
        if self._listening is None:
            self._listening = {}
        self._listening[key] = _Listening(listener, over, endless=endless)
        over.add_done_callback(lambda _done: self._drop(key))
        return over

    def _let_go(self, key: int, *, kept_up: bool) -> None:
        over = self._listening[key].over if self._listening and key in self._listening else None
        self._drop(key)
        if over is not None and not over.done():
            over.set_result(kept_up)

    def _drop(self, key: int) -> None:
        if self._listening is not None:
            one = self._listening.pop(key, None)
            if one is not None and one.endless:
                self._followed_s = time.monotonic()
            if not self._listening:
                self._listening = None
