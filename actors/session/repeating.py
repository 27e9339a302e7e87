"""A request that came before: its turn is told again and never run again, also when its reply is kept no more.

Spec: platform-api 4.1. Decision: 0008.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Final

from actors.runtime import TurnReply
from actors.session.kept import KeptTurn, decode_beside, decode_kept, reply_of_kept
from actors.session.live import LiveSession
from actors.session.replies import refused
from domain.clock import parse_iso
from domain.errors import Conflict
from domain.ids import PREFIXES
from domain.limits import IDEMPOTENCY_KEPT_S, MINUTE_S

ID_DIGEST_BYTES: Final = 12
REUSED: Final = "IDEMPOTENCY_KEY_REUSED"
EXPIRED: Final = "IDEMPOTENCY_KEY_EXPIRED"
AGE_SLACK_S: Final = MINUTE_S
"""How far the clocks of hosts and store may be apart: a key is not taken for a young one in its last minute."""


async def kept_reply(live: LiveSession, key: str, request_hash: str = "") -> TurnReply | None:
    """Return the reply of the turn that was ended under a key, None when there was none.

    Raises:
        Conflict: The key was used with another request, or so long ago that the reply is kept no more.
    """
    if not key or not live.knows_key(key):
        return None
    known = await live.store.known_turn(live.pin, key)
    if known is None:
        said = await live.store.said_turn(live.pin, spoken_id(live.pin.session_id, key))
        if said is not None and not (said.beside and decode_beside(said).is_void):
            raise expired()
        return None
    if known.request_hash != request_hash:
        raise Conflict("The Idempotency-Key was used with another request", details={"reason": REUSED})
    return await _told(live, decode_kept(known.reply))


async def own_reply(live: LiveSession, key: str) -> TurnReply | None:
    """Return the reply of a turn without a key of its caller: the last one, or what the transcript tells."""
    session_id = live.pin.session_id
    message_id = derived_id(session_id, key)
    last = live.last
    if last is not None and last.message_id == message_id:
        return await _told(live, last)
    turn = await live.store.said_turn(live.pin, spoken_id(session_id, key))
    if turn is None or turn.spoke is None:
        return None
    spoken, refusal = turn.spoke, decode_beside(turn).failed if turn.beside else {}
    if refusal:
        raise refused(refusal)
    said = turn.answered
    return TurnReply(
        session_id=session_id,
        message_id=message_id,
        turn=spoken.turn,
        response=said.content if said is not None else "",
        action={"type": "continue"},
        agent_name=said.agent_name if said is not None else "",
        repeated=True,
    )


def check_young(live: LiveSession, now: datetime) -> None:
    """Refuse the key that opened this session when it is a day old: the reply to its request is forgotten.

    Raises:
        Conflict: It is.
    """
    oldest = now - timedelta(seconds=IDEMPOTENCY_KEPT_S - AGE_SLACK_S)
    if live.pin.created_at and parse_iso(live.pin.created_at) <= oldest:
        raise expired()


def expired() -> Conflict:
    """Return the error of a request whose reply is kept no more: to run it could be to run it a second time."""
    return Conflict(
        "This Idempotency-Key was used more than 24 hours ago; its reply is kept no more. Send a new request under a "
        "new key",
        details={"reason": EXPIRED},
    )


async def _told(live: LiveSession, kept: KeptTurn) -> TurnReply:
    if kept.failed:
        raise refused(kept.failed)
    traces = await live.store.trace_events(live.pin, kept.fact_seq) if kept.fact_seq else []
    return reply_of_kept(live.pin.session_id, kept, traces)


def derived_id(session_id: str, key: str, part: str = "") -> str:
    """Return the id of the message that answers the request under a key: the same one in every attempt; "" without."""
    if not key:
        return ""
    digest = blake2b(f"{session_id}\0{key}{part}".encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
    return f"{PREFIXES['message']}_c{digest}"


def spoken_id(session_id: str, key: str) -> str:
    """Return the id of the user's message of the request under a key."""
    return derived_id(session_id, key, "\0user")
