"""A turn whose host died is brought to its end, whatever stands in the way of that."""

from __future__ import annotations

import logging

from actors.session.commit import NOT_STORABLE, end_without_reply
from actors.session.driver import Turn
from actors.session.waking import Unfinished
from domain.errors import InvalidInput
from domain.limits import TURN_DEADLINE_S
from engine import EndTurn

TAKEN_UP_DEADLINE_S = TURN_DEADLINE_S
"""How long a turn that was taken up after a crash, or woken from outside, may take."""
_log = logging.getLogger(__name__)


async def finished(unfinished: Unfinished, turn: Turn, last: Turn) -> EndTurn:
    """Do what is still to be done of a turn and return its end; one that cannot go on is given up by `last`.

    Nothing of it may come up again: every later message of the session would take it up, and fail.
    """
    live = turn.live
    try:
        await turn.set_up(unfinished.beyond)
        return unfinished.end or await turn.take_up(unfinished.effects, deadline_s=TAKEN_UP_DEADLINE_S)
    except InvalidInput:
        _log.exception("a turn of %s can go on no more", live.pin.session_id)
    if unfinished.end is not None:
        return end_without_reply(unfinished.end)
    last.give_up(NOT_STORABLE)
    return await last.take_up((), deadline_s=TAKEN_UP_DEADLINE_S)
