"""How a session is ended from outside, and how it starts again. Spec: platform-api 3.1, 5.4 to 5.6."""

from __future__ import annotations

import msgspec

from actors.messages import Failed
from actors.session.activity import ended_activity, reset_activity
from actors.session.announcing import ended
from actors.session.family import recall_work
from actors.session.kept import ENDED
from actors.session.live import LiveSession
from actors.session.output import wire_event
from actors.session.services import Services
from actors.session.store import TurnCommit
from domain.clock import iso_ms
from domain.traces import TraceEvent, TraceType

RESET = Failed(kind="Conflict", message="The session was reset", details={"reason": "SESSION_RESET"})
"""The answer to a turn that was taken before a reset and had not begun."""
TAKEN_BACK = Failed(kind="Conflict", message="The message was taken back", details={"reason": "TURN_CANCELLED"})
"""The answer to a turn that was cancelled before it had begun."""
RESET_SPAN = "reset"
RESET_KEY = "reset:"
"""Keeps the keys of resets apart from those of turns."""


async def end(live: LiveSession, reason: str) -> None:
    """End a session; whoever follows it is told. What it waits for is closed, also when it was over already."""
    if live.status != ENDED:
        live.note_end(reason)
        news = ended(live.pin, reason)
        activity = ended_activity(reason)
        await live.write(TurnCommit(snapshot=live.snapshot(), activity=activity, announced=news, closes_waits=True))
        live.status, live.end_reason = ENDED, reason
        live.stream.abandon()
    else:
        await live.store.close_waits(live.pin, live.epoch)


async def was_reset(live: LiveSession, key: str) -> bool:
    """Return whether the session was reset by the request with this key already."""
    kept_as = RESET_KEY + key
    return bool(key) and live.knows_key(kept_as) and await live.store.known_turn(live.pin, kept_as) is not None


async def reset(live: LiveSession, services: Services, key: str = "") -> None:
    """Put a session back to its start, under a new runtime session id; its traces say where that was.

    A second time under the same key changes nothing, whatever has been said meanwhile. Decision: 0008.

    Raises:
        Gone: It has ended, and its deployment takes no sessions any more. Spec: platform-api 5.5.
    """
    if await was_reset(live, key):
        return
    pin = live.pin
    if live.status == ENDED and pin.deployment_id:
        await services.programs.check_goes_on(pin.tenant_id, pin.project_id, pin.deployment_id)
    await recall_work(live, services.performer)
    runtime_session_id = services.ids.uuid()
    event = TraceEvent(
        type=TraceType.STATE_CHANGE,
        at=iso_ms(services.clock.now()),
        agent=live.pin.entry_agent,
        turn=live.state.turn_number if live.state is not None else 0,
        seq=live.traces + 1,
        span=RESET_SPAN,
        data={
            "key": "session.reset",
            "oldValue": live.pin.runtime_session_id,
            "newValue": runtime_session_id,
            "scope": "runtime",
            "source": "reset",
        },
    )
    live.note_reset(event)
    live.state = None
    live.traces += 1
    row = wire_event(live.pin.session_id, event.seq, event)
    await live.write(
        TurnCommit(
            key=RESET_KEY + key if key else "",
            snapshot=live.snapshot(),
            traces=(row,),
            activity=reset_activity(live),
            closes_waits=True,
            revived=runtime_session_id,
        )
    )
    if key:
        live.remember_key(RESET_KEY + key)
    live.pin = msgspec.structs.replace(live.pin, runtime_session_id=runtime_session_id)
    live.status, live.end_reason = "active", ""
