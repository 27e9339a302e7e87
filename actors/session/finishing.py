"""A turn that was not finished is taken up, or given up: whatever stands in its way, later messages do not meet it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from actors.session.commit import BROKEN, NOT_STORABLE, commit, end_without_reply, joined
from actors.session.driver import Turn, TurnStopped
from actors.session.family import is_wanted, recall_work
from actors.session.kept import CANCELLED
from actors.session.live import LiveSession
from actors.session.offering import answered_by
from actors.session.output import TurnOutput
from actors.session.services import Services
from actors.session.store import EffectStoreLost, SessionMoved, StoreLost
from actors.session.waking import Unfinished
from domain.clock import iso_ms
from domain.errors import AppError, InvalidInput
from domain.limits import TURN_DEADLINE_S
from engine import EndTurn, Say
from storage.errors import Closing

TAKEN_UP_DEADLINE_S: Final = TURN_DEADLINE_S
"""How long a turn that was taken up after a crash, or woken from outside, may take."""
MAX_ATTEMPTS: Final = 5
"""A turn whose attempt of this number fails is given up, however its hosts ended before; the first one is the run."""
_FAILURES: Final = (BROKEN, NOT_STORABLE)
_log = logging.getLogger(__name__)

Loaded = tuple[LiveSession, Unfinished | None]
Load = Callable[[], Awaitable[Loaded]]
"""Loads the session as its journal has it, with the turn that was not finished."""
Hold = Callable[[Turn | None], None]
"""Is told of the turn that runs, so that it can be interrupted; None once it has ended."""


async def brought_to_end(loaded: Loaded, load: Load, services: Services, hold: Hold, reason: str = "") -> LiveSession:
    """Return a session whose unfinished turn, if it has one, has come to its end.

    The turn goes on where its journal ends. With a `reason` it is given up instead, as a turn that is cancelled, for
    which nothing is performed; where even that fails it is left to what makes it void, a reset or the session's end.
    So is that of a child whose parent waits for it no more.

    Raises:
        SessionMoved, TurnStopped, Closing: It goes on elsewhere or later.
        StoreLost: The store stays away.
    """
    live, unfinished = loaded
    while unfinished is not None:
        try:
            await _finish(live, unfinished, services, hold, reason)
            break
        except (SessionMoved, TurnStopped, Closing):
            raise
        except StoreLost as lost:
            if not isinstance(lost, EffectStoreLost) or unfinished.attempt < MAX_ATTEMPTS:
                raise
            _log.exception("a turn of %s finds no store", live.pin.session_id)
            failure = BROKEN
        except Exception as error:
            _log.exception("attempt %d at a turn of %s has failed", unfinished.attempt, live.pin.session_id)
            if reason in _FAILURES:
                raise
            failure = _failure_of(error, unfinished.attempt)
        live, next_try = await load()
        if reason:
            break
        unfinished, reason = next_try, failure
    return live


def _failure_of(error: Exception, attempt: int) -> str:
    """Return for what a turn is given up, empty when it is tried again."""
    if isinstance(error, InvalidInput):
        return NOT_STORABLE  # nor could it be the next time
    return BROKEN if attempt >= MAX_ATTEMPTS else ""


async def _finish(live: LiveSession, unfinished: Unfinished, services: Services, hold: Hold, reason: str) -> None:
    number = live.state.turn_number if live.state is not None else 0
    answers = answered_by(live, unfinished.spoke)
    output = TurnOutput(live, unfinished.opening.message_id, number, unfinished.attempt, answers=answers)
    output.open()
    for shown in unfinished.shown:
        if isinstance(shown, Say):
            output.say(shown)
        else:
            output.trace(shown.event)
    turn = Turn(live, services.performer, services.clock, output)
    hold(turn)
    try:
        live.note_attempt(unfinished.attempt)
        await live.write()
        is_void = not reason and not await is_wanted(live.pin, unfinished.opening.key, services)
        end = await _end_of(turn, unfinished, CANCELLED if is_void else reason)
        if live.pin.parent_session_id:
            await recall_work(live, services.performer)
        at = iso_ms(services.clock.now())
        await commit(live, output, unfinished.opening, joined(unfinished.before, end), unfinished.spoke, at)
    except AppError:
        if live.is_ahead:
            raise
        # the turn has ended without a reply, which is no answer to the message that has woken the session
    finally:
        hold(None)


async def _end_of(turn: Turn, unfinished: Unfinished, reason: str) -> EndTurn:
    if unfinished.end is not None:
        if reason in _FAILURES:
            return end_without_reply(unfinished.end, reason)
        if not reason:
            await turn.set_up(unfinished.beyond)
        return unfinished.end
    if reason:
        turn.give_up(reason)
        return await turn.take_up((), deadline_s=TAKEN_UP_DEADLINE_S)
    await turn.set_up(unfinished.beyond)
    return await turn.take_up(unfinished.effects, deadline_s=TAKEN_UP_DEADLINE_S)
