"""Sessions in which nothing was said: they are removed again. Decision: 0060."""

from __future__ import annotations

import logging
from typing import Final

from actors.messages import RunTurn
from actors.session.commit import REFUSALS
from actors.session.kept import ENDED
from actors.session.live import LiveSession
from actors.session.store import SessionMoved, StoreLost
from domain.model_calls import BUDGET_EXCEEDED, MODEL_NOT_READY

REFUSED_UNSPOKEN = frozenset(REFUSALS["failed", why] for why in ("not_configured", MODEL_NOT_READY, BUDGET_EXCEEDED))
"""How a turn is refused that could not begin: no model, or no budget for one."""
GONE: Final = "gone"
_SOCKET: Final = "websocket"
_log = logging.getLogger(__name__)


def is_unspoken(live: LiveSession) -> bool:
    """Return whether nothing was ever said to a session but a first message that was refused before it did anything.

    Such a session may be removed: nobody has been told anything of it that he could come back to.
    """
    if live.status == ENDED or live.is_ahead or live.unwritten or live.pin.parent_session_id:
        return False
    if live.state is None:
        return live.seq == 0
    if not live.is_new or live.last is None:  # only who has seen the whole session knows that it has done nothing
        return False
    return live.last.turn <= 1 and live.acted_in < 0 and live.last.failed.get("error") in REFUSED_UNSPOKEN


async def is_discarded(live: LiveSession) -> bool:
    """Remove a session if nothing was said in it and nobody follows it; return whether it is gone."""
    return not live.stream.listeners and is_unspoken(live) and await live.store.discard(live.pin, live.epoch)


async def is_forsaken(live: LiveSession) -> bool:
    """Remove a session that a socket has opened, whose gateway died before it could say that nothing was said."""
    return live.pin.transport == _SOCKET and await is_discarded(live)


async def is_undone(live: LiveSession | None, message: RunTurn) -> bool:
    """Leave no session behind a message that has made it and was refused; return whether it is to be let go of."""
    if live is None or not live.is_new or not is_unspoken(live):
        return False
    try:
        await live.store.discard(live.pin, live.epoch, message.turn.idempotency_key)
    except (SessionMoved, StoreLost):
        _log.warning("the session %s stays behind a refused message", live.pin.session_id, exc_info=True)
    return True
