"""What a listener has missed of turns that are over, told again from the store: event for event, number for number.

Texts come from the transcript, trace events from the traces, and how both came from what stands beside the transcript.
Spec: platform-api 12.6.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from actors.runtime import StreamEvent
from actors.session.kept import KeptTurn, decode_beside, told_again
from actors.session.live import LiveSession
from actors.session.stream import MAX_HELD

PAGE_TURNS = 16
MAX_RETOLD_TURNS = 256
"""Turns that are told again to somebody who was away; who was away for longer has the transcript."""


async def missed(live: LiveSession, after: int) -> tuple[list[StreamEvent], int | None]:
    """Return what ended turns said above a number and the stream does not hold, in order.

    Returns:
        The events, and from which number on nothing is missing before them; None when that is their own first one:
        what was said before it can be had no more, or was too much.

    Raises:
        StoreLost: The store stayed away.
    """
    first, whole = live.stream.first_held, False
    told: list[list[StreamEvent]] = []
    count = 0
    async for kept in _ended(live):
        if kept is None:
            whole = True
            break
        if kept.first_seq >= first:
            continue  # held
        if kept.last_seq <= after:
            whole = True
            break
        if len(told) == MAX_RETOLD_TURNS or count > MAX_HELD // 2:
            break
        traces = await live.store.trace_events(live.pin, kept.fact_seq) if kept.fact_seq else []
        told.append(told_again(live.pin.session_id, kept, traces))
        count += len(told[-1])
        first = kept.first_seq
        if first <= after + 1:
            whole = True
            break
    return [event for turn in reversed(told) for event in turn], min(after, first - 1) if whole else None


async def _ended(live: LiveSession) -> AsyncIterator[KeptTurn | None]:
    """Yield the ended turns, newest first, as far back as they can be told; None behind the first of the session."""
    newest = live.last
    if newest is not None:
        yield newest
    before: int | None = None
    while True:
        turns = await live.store.said_turns(live.pin, before, PAGE_TURNS)
        for turn in turns:
            if not turn.beside:
                return
            yield decode_beside(turn)
        if len(turns) < PAGE_TURNS:
            if not turns or turns[-1].first_line <= 1:
                yield None
            return
        before = turns[-1].seq
