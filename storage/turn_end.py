"""What is written in the transaction that ends a turn, beside its last facts."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class KeyedReply(Struct, frozen=True):
    """The reply of a request that came with an idempotency key.

    Attributes:
        scope_id: What the key belongs to: a session or a project.
        request_hash: Of the request, so that the key is not taken for another one.
    """

    scope_id: str
    key: str
    request_hash: str
    reply: bytes


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


class TraceRow(Struct, frozen=True, kw_only=True, array_like=True):
    """One trace event; `seq` counts from 1 in the session, `data` is the whole event as JSON.

    Stored by position: fields are only ever added, at the end.
    """

    seq: int
    turn: int
    type: str
    data: bytes
    agent_name: str = ""
    decision_kind: str = ""
    span_id: str = ""
    parent_span_id: str = ""
    duration_ms: int | None = None


class Activity(Struct, frozen=True, kw_only=True):
    """What the session's row says in lists. Counters are what to add; None leaves a value as it is."""

    agent_name: str | None = None
    execution_state: str | None = None
    end_reason: str | None = None
    last_error: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    estimated_cost: float = 0.0
    duration_ms: int = 0
    errors: int = 0
    handoffs: int = 0
    delegates: int = 0


class TurnEnd(Struct, frozen=True, kw_only=True):
    """The end of one turn."""

    turn: int
    keyed: KeyedReply | None = None
    snapshot: bytes | None = None
    messages: tuple[MessageRow, ...] = ()
    traces: tuple[TraceRow, ...] = ()
    activity: Activity = Activity()
