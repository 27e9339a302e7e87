"""What is written in the transaction that ends a turn, beside its last facts."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from domain.json_values import JsonObject
from domain.webhooks import Happening


class KeyedReply(Struct, frozen=True):
    """The reply of a request that came with an idempotency key.

    Attributes:
        request_hash: Of the request, so that the key is not taken for another one.
        reply: None where the turn leaves none, and the request may be asked again; its message waits no more.
    """

    key: str
    request_hash: str
    reply: bytes | None


class MessageRow(Struct, frozen=True, kw_only=True):
    """One line of the transcript; `seq` counts from 1 in the session, `extra` is JSON for rich content and the like."""

    seq: int
    message_id: str
    role: str
    content: str
    turn: int
    at: datetime
    agent_name: str = ""
    extra: bytes | None = None


class SaidTurn(Struct, frozen=True, kw_only=True):
    """One turn as the transcript has it; `seq` is the number of its last fact.

    Attributes:
        first_line: Number of its first line in the transcript.
        beside: What was written beside its lines, see `TurnEnd`; empty in rows of earlier versions.
    """

    seq: int
    turn: int
    first_line: int
    spoke: MessageRow | None = None
    answered: MessageRow | None = None
    beside: bytes = b""

    @property
    def lines(self) -> tuple[MessageRow, ...]:
        """Its lines, in order; there is at least one."""
        return tuple(line for line in (self.spoke, self.answered) if line is not None)


class TraceRow(Struct, frozen=True, kw_only=True, array_like=True):
    """One trace event; `seq` counts from 1 in the session, `at` is as it goes over the wire.

    Stored by position: fields are only ever added, at the end.
    """

    seq: int
    turn: int
    type: str
    at: str
    agent_name: str
    span_id: str
    parent_span_id: str = ""
    duration_ms: int | None = None
    data: JsonObject = {}


class Activity(Struct, frozen=True, kw_only=True):
    """What the session's row says in lists. Counters are what to add; None leaves a value as it is.

    Attributes:
        estimated_cost: US dollars of the calls whose price is known; None where there is none.
        resumes: 1 for a turn that began because what a suspended session waited for has come.
    """

    agent_name: str | None = None
    execution_state: str | None = None
    end_reason: str | None = None
    last_error: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    estimated_cost: float | None = None
    duration_ms: int = 0
    errors: int = 0
    handoffs: int = 0
    delegates: int = 0
    resumes: int = 0


class TurnEnd(Struct, frozen=True, kw_only=True):
    """The end of one turn.

    Attributes:
        spoke: The line of the message that the turn answers.
        answered: The line of the reply, the next one in the transcript.
        beside: What its caller wants back with the lines of the transcript; not written for a turn without lines.
        snapshot: The state after the turn; None leaves the last one in its place.
        announced: What the webhooks of its project are told; empty where it has none.
    """

    turn: int
    keyed: KeyedReply | None = None
    spoke: MessageRow | None = None
    answered: MessageRow | None = None
    beside: bytes = b""
    snapshot: bytes | None = None
    traces: tuple[TraceRow, ...] = ()
    activity: Activity = Activity()
    announced: tuple[Happening, ...] = ()

    @property
    def lines(self) -> int:
        """Return how many lines the transcript grows by."""
        return (self.spoke is not None) + (self.answered is not None)
