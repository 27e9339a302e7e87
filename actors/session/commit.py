"""The end of a turn: made durable with everything it adds, and only then shown."""

from __future__ import annotations

import logging
from typing import Final

import msgspec

from actors.messages import EndSession, ResetSession
from actors.runtime import TurnReply
from actors.session.activity import action_said, activity_of, transcript_of
from actors.session.announcing import happened
from actors.session.ending import RESET
from actors.session.kept import CANCELLED, ENDED, closing_data, encode_beside, encode_kept, reply_of_kept, wire_form
from actors.session.live import LiveSession
from actors.session.offering import open_after
from actors.session.output import BETWEEN_TEXTS, TurnOutput
from actors.session.records import TurnOpening
from actors.session.replies import AWAY, RULE, kept_turn, refused
from actors.session.snapshot import encode_snapshot
from actors.session.store import TurnCommit
from domain.budgets import SPENT
from domain.errors import InvalidInput
from domain.json_values import JsonObject, storable
from domain.model_calls import BUDGET_EXCEEDED, MODEL_NOT_READY
from engine import EndTurn, UserSpoke
from providers.resolve import HOW_TO_CONFIGURE, MODEL_NOT_CONFIGURED, NOT_CONFIGURED

NOT_STORABLE, BROKEN = "not_storable", "broken"
"""Why a turn was given up: a value of it cannot be stored; each attempt at it has failed."""
NOTHING_DONE: Final[JsonObject] = {"type": "continue"}
"""The action of a turn in which an agent did nothing that has a name."""
REFUSALS = {
    ("cancelled", "deadline"): "Turn timed out",
    ("failed", "not_configured"): NOT_CONFIGURED,
    ("failed", MODEL_NOT_READY): "The model is not ready",
    ("failed", BUDGET_EXCEEDED): SPENT,
    ("failed", NOT_STORABLE): "The turn cannot be stored",
    ("cancelled", NOT_STORABLE): "The turn cannot be stored",
    ("failed", BROKEN): "The turn has failed",
    ("cancelled", BROKEN): "The turn has failed",
    ("cancelled", EndSession.__name__): "Session has ended",
    ("cancelled", ResetSession.__name__): RESET.message,
}
"""How a turn has ended and why -> what its caller gets in the place of a reply. Spec: platform-api 4.1."""
HINTS: dict[str, JsonObject] = {
    "not_configured": {"reason": MODEL_NOT_CONFIGURED, "hint": HOW_TO_CONFIGURE},
    "deadline": {"reason": "TURN_TIMEOUT"},
    EndSession.__name__: {"reason": "SESSION_ENDED", "begun": True},
    ResetSession.__name__: {**RESET.details, "begun": True},
}
"""Why a turn has no reply -> what tells its caller more of it; the reason is the code of a socket. Spec: 12.7."""
_RULES = frozenset({BUDGET_EXCEEDED, EndSession.__name__, ResetSession.__name__})
"""Why a turn has no reply where it is no use to wait: a rule forbids it, or its session is over or was reset."""
_log = logging.getLogger(__name__)


async def commit(
    live: LiveSession, output: TurnOutput, opening: TurnOpening, end: EndTurn, spoke: UserSpoke | None, at: str
) -> TurnReply:
    """Make the end of a turn durable, and only then show it; return the reply.

    An end that the store refuses for a value in it is made again of what can be stored, and else without a reply:
    a turn that cannot be ended would be taken up by every later message of its session, and fail each of them.

    Raises:
        Unavailable, Conflict: The turn has no reply, see `REFUSALS`; that it has none is durable. It may be asked for
            again, but under its key only when it has asked for nothing that changes the world: else the key keeps the
            refusal. Conflict: a budget of the tenant's own is spent.
            Also: the session was ended or reset while it ran; it had begun, so it is not to be run in another session.
            What a turn had said that was given up, and what may have been done, is `details.response`.
        SessionMoved, StoreLost: As for every write.
    """
    try:
        return await _commit(live, output, opening, end, spoke, at)
    except InvalidInput:
        _log.exception("a turn of %s holds what cannot be stored", live.pin.session_id)
    output.traces = storable(output.traces)
    try:
        return await _commit(live, output, opening, storable(end), storable(spoke), at)
    except InvalidInput:
        output.traces = []
        return await _commit(live, output, opening, end_without_reply(end), None, at)


def end_without_reply(end: EndTurn, why: str = NOT_STORABLE) -> EndTurn:
    """Return the end of a turn that cannot end as it should."""
    action = {"type": "respond"}
    status = "failed"
    return EndTurn(id="", reply="", action=action, agent=end.agent, status=status, error=why, changes=end.changes)


async def _commit(
    live: LiveSession, output: TurnOutput, opening: TurnOpening, end: EndTurn, spoke: UserSpoke | None, at: str
) -> TurnReply:
    state = live.state
    refusal = "" if live.pin.parent_session_id else REFUSALS.get((end.status, end.error), "")
    failed: JsonObject = {}
    if refusal:
        code = RULE if end.error in _RULES else AWAY
        failed = {"error": refusal, "code": code, "messageId": output.message_id}
    if refusal and end.error in HINTS:
        failed["details"] = HINTS[end.error]
        if (
            end.status == CANCELLED and output.shown
        ):  # what may have been done all the same; a transcript may go with it
            failed["details"] = {**HINTS[end.error], "response": output.shown}
    if refusal and "refusal" in end.metadata:
        failed["details"] = {"reason": end.error.upper(), "hint": end.metadata["refusal"]}
    if end.status == CANCELLED:
        end = msgspec.structs.replace(end, reply=output.shown)  # what a model had written stays
    output.settle(end.reply)
    if not live.unwritten:
        live.note_attempt(output.first_attempt)  # what ends a turn stands behind a record
    has_acted = live.acted_in == output.number
    is_void = bool(refusal) and not has_acted
    open_set = open_after(live, output, end, is_refused=bool(refusal), is_void=is_void)
    if failed and open_set is not None:
        failed["openActions"] = open_set.message_id
    kept = kept_turn(live, output, end, failed=failed, open_set=open_set, is_void=is_void)
    key = "" if is_void else opening.key  # what has changed the world is not to be run again
    beside = {"clientMessageId": opening.client_message_id, "action": action_said(spoke, output, is_void=is_void)}
    lines = transcript_of(live, spoke, end, output, at, beside)
    ending = TurnCommit(
        number=output.number,
        key=key,
        request_hash=opening.request_hash,
        answers=opening.key,
        reply=encode_kept(kept) if key else b"",
        snapshot=encode_snapshot(
            state, kept.last_seq, live.messages + len(lines), live.traces + len(output.traces), kept
        ),
        transcript=lines,
        beside=encode_beside(kept, is_said=any(line.message_id == kept.message_id for line in lines)),
        traces=tuple(output.traces),
        activity=activity_of(live, opening, spoke, end, output, at),
        announced=happened(live, opening, end, output),
        closes_waits=bool(live.pin.parent_session_id and state is not None and state.suspensions),
    )
    await live.write(ending)
    live.last = kept
    live.messages += len(lines)
    live.traces += len(output.traces)
    if key:
        live.remember_key(key)
    if end.status == ENDED or live.pin.parent_session_id:
        live.status = ENDED
    if refusal:
        output.fail(failed)
        raise refused(failed)
    reply = reply_of_kept(live.pin.session_id, kept, output.traces, repeated=False)
    output.close(closing_data(reply), wire_form(reply))
    if live.status == ENDED:
        live.stream.abandon()
    return reply


def joined(before: EndTurn | None, end: EndTurn) -> EndTurn:
    """Return the end of a turn that began with the session's own start, whose end is `before`.

    What was said there stands first; what was shown with it stays where the turn shows nothing else.
    """
    if before is None:
        return end
    return msgspec.structs.replace(
        end,
        reply=BETWEEN_TEXTS.join(text for text in (before.reply, end.reply) if text),
        action=before.action if end.action == NOTHING_DONE else end.action,
        rich_content=end.rich_content or before.rich_content,
        actions=end.actions or before.actions,
        voice=end.voice or before.voice,
        state={**before.state, **end.state},
    )
