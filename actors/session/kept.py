"""A finished turn in few bytes: what was answered, and in which order its output came, so that it can be told again.

The texts of the stream are pieces of the reply and its trace events stand in the store, so only lengths are kept.
Spec: platform-api 4.1, 12.6.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct, field

from actors.runtime import StreamEvent, StreamKind, TurnReply
from domain.json_values import JsonObject
from domain.messages import voice_config
from storage.turn_end import SaidTurn

A_TRACE = 0
A_RESTART = -1
OPENING_EVENTS = 2
"""`session_start` and `response_start`."""
SCHEMA = 1
CANCELLED, ENDED = "cancelled", "ended"
HUMAN_COMPLETED = "human_completed"
"""Why a session is over that a turn has ended: an escalation whose agent does not come back. Spec: platform-api 3.1."""

_SHORT = {
    "message_id": "m",
    "turn": "n",
    "first_seq": "q",
    "response": "r",
    "action": "a",
    "agent_name": "g",
    "state": "s",
    "voice_config": "vc",
    "rich_content": "rc",
    "actions": "ac",
    "status": "st",
    "outcome": "o",
    "attempt": "at",
    "shape": "sh",
    "void": "vd",
    "fact_seq": "j",
    "failed": "f",
    "open": "op",
    "answers": "an",
    "is_void": "iv",
    "v": "v",
}


class OpenSet(Struct, frozen=True, omit_defaults=True, array_like=True):
    """A set of actions that can be answered. Stored by position: fields are only ever added, at the end.

    Attributes:
        message_id: Of the message that shows it.
        turn: The one that showed it.
        life: The runtime session id of its time: a reset has begun another.
        place: Where the conversation stood when it was shown, see `actors.session.offering`.
    """

    message_id: str
    turn: int
    life: str
    place: str = ""


class KeptTurn(Struct, frozen=True, omit_defaults=True, rename=_SHORT):
    """One finished turn.

    Attributes:
        shape: Of each event between the opening and the closing ones: the length of a chunk, `A_TRACE`, `A_RESTART`.
        void: What had been shown before each restart.
        attempt: The one its output began with.
        fact_seq: Number of its last record in the journal, under which its trace events stand.
        voice_config: How it is spoken, in the words of the agent.
        failed: Data of the `error` event that stands in the place of the closing ones.
        open: The set of actions that can be answered after this turn, its own or an earlier one.
        answers: Id of the message whose set of actions it answers.
        is_void: Whether it has no reply and changed nothing: nothing was kept under its key, which may come again.
    """

    message_id: str = ""
    turn: int = 0
    first_seq: int = 0
    response: str = ""
    action: JsonObject = field(default_factory=dict)
    agent_name: str = ""
    state: JsonObject = field(default_factory=dict)
    voice_config: JsonObject | None = None
    rich_content: JsonObject | None = None
    actions: JsonObject | None = None
    status: str = "idle"
    outcome: JsonObject = field(default_factory=dict)
    attempt: int = 1
    shape: tuple[int, ...] = ()
    void: tuple[str, ...] = ()
    fact_seq: int = 0
    failed: JsonObject = field(default_factory=dict)
    open: OpenSet | None = None
    answers: str = ""
    is_void: bool = False
    v: int = SCHEMA

    @property
    def last_seq(self) -> int:
        """The number of the turn's last event."""
        closing = 1 if self.failed else 2
        return self.first_seq + OPENING_EVENTS + len(self.shape) + closing - 1


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(KeptTurn)


def encode_kept(kept: KeptTurn) -> bytes:
    """Return the bytes under which a turn is stored with its idempotency key."""
    return _ENCODER.encode(kept)


def decode_kept(raw: bytes) -> KeptTurn:
    """Return the turn in these bytes."""
    return _DECODER.decode(raw)


def encode_beside(kept: KeptTurn, *, is_said: bool) -> bytes:
    """Return the bytes that stand beside a turn in the transcript: what its lines do not say.

    Args:
        kept: The turn.
        is_said: Whether the transcript has a line of the reply, which bears its id.
    """
    return encode_kept(
        msgspec.structs.replace(
            kept,
            message_id="" if is_said else kept.message_id,
            turn=0,
            response="",
            agent_name="",
            rich_content=None,
            actions=None,
            outcome={},
            fact_seq=0,
        )
    )


def decode_beside(turn: SaidTurn) -> KeptTurn:
    """Return a turn of the transcript as it was kept when it ended."""
    kept = msgspec.structs.replace(decode_kept(turn.beside), turn=turn.turn, fact_seq=turn.seq)
    line = turn.answered
    if line is None:
        return kept
    extra: JsonObject = msgspec.json.decode(line.extra) if line.extra else {}
    return msgspec.structs.replace(
        kept,
        message_id=line.message_id,
        response=line.content,
        agent_name=line.agent_name,
        rich_content=extra.get("richContent"),
        actions=extra.get("actions"),
    )


def reply_of_kept(session_id: str, kept: KeptTurn, traces: Sequence[JsonObject], *, repeated: bool = True) -> TurnReply:
    """Return the reply of a kept turn; `traces` are its events as they stand in the store."""
    return TurnReply(
        session_id=session_id,
        message_id=kept.message_id,
        turn=kept.turn,
        response=kept.response,
        action=kept.action,
        agent_name=kept.agent_name,
        state=kept.state,
        trace_events=tuple(traces),
        voice_config=voice_config(kept.voice_config) if kept.voice_config else None,
        rich_content=kept.rich_content,
        actions=kept.actions,
        first_seq=kept.first_seq,
        last_seq=kept.last_seq,
        status=kept.status,
        outcome=kept.outcome,
        open_actions=kept.open.message_id if kept.open is not None else "",
        repeated=repeated,
    )


def told_again(session_id: str, kept: KeptTurn, traces: Sequence[JsonObject]) -> list[StreamEvent]:
    """Return the events of a turn as they were, number for number."""
    message_id = kept.message_id
    events: list[StreamEvent] = []

    def tell(kind: StreamKind, data: JsonObject) -> None:
        events.append(StreamEvent(seq=kept.first_seq + len(events), turn=kept.turn, kind=kind, data=data))

    tell("session_start", {"sessionId": session_id})
    tell("response_start", starting_data(message_id, kept.attempt, kept.answers))
    texts = [*kept.void, kept.response]
    attempt, at, rows = kept.attempt, 0, iter(traces)
    for one in kept.shape:
        if one > 0:
            tell("response_chunk", {"messageId": message_id, "chunk": texts[0][at : at + one]})
            at += one
        elif one == A_TRACE:
            tell("trace_event", {"event": next(rows, {})})
        else:
            attempt, at = attempt + 1, 0
            del texts[0]
            tell("response_restart", {"messageId": message_id, "attempt": attempt})
    if kept.failed:
        tell("error", kept.failed)
        return events
    reply = reply_of_kept(session_id, kept, traces, repeated=False)
    tell("response_end", closing_data(reply))
    tell("complete", wire_form(reply))
    return events


def starting_data(message_id: str, attempt: int, answers: str) -> JsonObject:
    """Return the data of `response_start`; `answers` is whose set of actions the turn answers, "" for none."""
    data: JsonObject = {"messageId": message_id, "attempt": attempt}
    return {**data, "answers": answers} if answers else data


def closing_data(reply: TurnReply) -> JsonObject:
    """Return the data of `response_end`. Spec: platform-api 12.4."""
    data: JsonObject = {"messageId": reply.message_id, "fullText": reply.response, "action": reply.action}
    data["openActions"] = reply.open_actions or None
    if reply.status == CANCELLED:
        data["interrupted"] = True
    return data | _shown_with(reply)


def wire_form(reply: TurnReply) -> JsonObject:
    """Return the body of platform-api 4.1 without `success`."""
    body: JsonObject = {
        "sessionId": reply.session_id,
        "messageId": reply.message_id,
        "response": reply.response,
        "action": reply.action,
        "state": reply.state,
        "agentName": reply.agent_name,
    }
    if reply.trace_events:
        body["traceEvents"] = list(reply.trace_events)
    if reply.status in (CANCELLED, ENDED):
        body["status"] = reply.status
    if reply.status == ENDED:
        body["endReason"] = HUMAN_COMPLETED
    return body | _shown_with(reply)


def _shown_with(reply: TurnReply) -> JsonObject:
    """Return what is shown and spoken with the text of a reply."""
    optional = {"voiceConfig": reply.voice_config, "richContent": reply.rich_content, "actions": reply.actions}
    return {name: value for name, value in optional.items() if value}
