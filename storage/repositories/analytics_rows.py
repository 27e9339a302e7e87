"""How events stand in their table: narrow rows, each of which names its kind, and kinds that say once what is the same.

A kind is named by a hash, so that nobody has to look it up before events of it are written. Decision 0028.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from domain.analytics import COST, MODEL, PROVIDER, TOKENS_IN, TOKENS_OUT, WHOLE_MAX, EventCategory, NewEvent, within
from domain.clock import parse_iso
from domain.json_values import JsonObject
from domain.traces import TraceType
from storage.keys import session_key
from storage.statements import Statement
from storage.turn_end import TraceRow

LABELS = frozenset({
    "by", "category", "end_reason", "event", "field", "from", "guardrail", "model", "priority", "provider", "rating",
    "resource", "stage", "status", "step", "to", "tool",
})  # fmt: skip
"""What metadata say in one of few words: it stands with the kind of an event."""
LABEL_MAX_CHARS = 100
FIGURES = (TOKENS_IN, TOKENS_OUT, COST)
"""What metadata say in numbers that have a column of their own."""
KIND_KEY_BYTES = 8
WORD_MAX_CHARS = 300
"""Of names in keys of sums, two of them in one: an entry of an index has at most 2,704 bytes. The rest is cut off."""

_KIND = {
    "tenant_id": "text",
    "kind_key": "bigint",
    "project_id": "text",
    **dict.fromkeys(("category", "event_type", "agent_name", "channel", "environment", "operation"), "text"),
    "labels": "jsonb",
    "last_at": "timestamptz",
}
_CALL = {
    **dict.fromkeys(("turn", "seq"), "int"),
    "span_id": "text",
    **dict.fromkeys(("first_token_ms", "prompt_messages", "prompt_characters"), "int"),
    **dict.fromkeys(("system_prompt_hash", "child_session_id"), "text"),
}
NO_CALL = (None,) * len(_CALL)
_EVENT = {
    "at": "timestamptz",
    "kind_key": "bigint",
    "session_key": "uuid",
    **dict.fromkeys(("duration_ms", "tokens_in", "tokens_out"), "int"),
    "cost": "float8",
    "error": "text",
    "metadata": "jsonb",
    **_CALL,
}
_GIVEN = {"tenant_id": "text", "project_id": "text", **_EVENT}


def _arrays(columns: dict[str, str]) -> str:
    return ", ".join(f":{name}s::{kind}[]" for name, kind in columns.items())


KEEP_KINDS = Statement(f"""
    INSERT INTO analytics_kinds AS k ({", ".join(_KIND)})
    SELECT * FROM unnest({_arrays(_KIND)}) AS given ({", ".join(_KIND)})
    WHERE NOT EXISTS (
        SELECT FROM analytics_kinds k WHERE k.tenant_id = given.tenant_id AND k.kind_key = given.kind_key
            AND k.last_at >= given.last_at - interval '1 day'
    )
    ON CONFLICT (tenant_id, kind_key) DO UPDATE SET last_at = greatest(k.last_at, excluded.last_at)
""")
"""A kind is noted again at most a day after it was last seen."""
KEEP = Statement(f"""
    INSERT INTO analytics_events (project_key, {", ".join(_EVENT)})
    SELECT project_key(tenant_id, project_id), {", ".join(_EVENT)}
    FROM unnest({_arrays(_GIVEN)}) AS given ({", ".join(_GIVEN)})
""")


class AgentCall(Struct, frozen=True, kw_only=True):
    """What is known of an agent's call of a model beside its event, until its session is deleted.

    Attributes:
        child_session_id: Of the session in which a delegated agent made it, None when it was the conversation's own.
    """

    turn: int
    seq: int
    span_id: str
    first_token_ms: int | None = None
    prompt_messages: int | None = None
    prompt_characters: int | None = None
    system_prompt_hash: str | None = None
    child_session_id: str | None = None


class Kind(NamedTuple):
    """What makes a kind; `labels` in order."""

    tenant_id: str
    project_id: str
    category: str
    event_type: str
    agent_name: str
    channel: str
    environment: str
    operation: str
    labels: tuple[tuple[str, str], ...]

    def key(self) -> int:
        """Return the number, of 64 bits with a sign, that stands for it."""
        digest = blake2b(msgspec.json.encode(self), digest_size=KIND_KEY_BYTES).digest()
        return int.from_bytes(digest, "little", signed=True)


class Kept:
    """An event with its tenant, its hour and the key of its session; of an agent's call of a model, with that."""

    __slots__ = ("call", "event", "hour", "operation", "session_key", "tenant_id")

    def __init__(self, tenant_id: str, event: NewEvent, call: AgentCall | None = None, operation: str = "") -> None:
        self.tenant_id = tenant_id
        self.event = event = _cut(event)
        self.hour = hour_of(event.at)
        self.session_key = session_key(tenant_id, event.session_id) if event.session_id else None
        self.call = call
        self.operation = operation


def _cut(event: NewEvent) -> NewEvent:
    """Return an event whose names are short enough for keys; hardly any is not."""
    said = {name: event.metadata.get(name) for name in (MODEL, PROVIDER)}
    long = {name: word[:WORD_MAX_CHARS] for name, word in said.items() if isinstance(word, str) and _is_long(word)}
    if not (long or _is_long(event.agent_name) or _is_long(event.channel)):
        return event
    return replace(
        event,
        agent_name=event.agent_name[:WORD_MAX_CHARS],
        channel=event.channel[:WORD_MAX_CHARS],
        metadata={**event.metadata, **long},
    )


def _is_long(word: str) -> bool:
    return len(word) > WORD_MAX_CHARS


def hour_of(moment: datetime) -> datetime:
    """Return the beginning of the hour, in UTC."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def kept_of_turn(
    tenant_id: str, events: Sequence[NewEvent], traces: Sequence[TraceRow], child_session_id: str | None
) -> list[Kept]:
    """Return what a turn tells, its calls of models with all that its traces say of them.

    Events and calls are both in the order of their times, and those of one time in the order of the traces.
    """
    calls = iter(sorted((one for one in traces if one.type == TraceType.LLM_CALL), key=lambda one: parse_iso(one.at)))
    kept = []
    for event in events:
        if event.category is not EventCategory.LLM:
            kept.append(Kept(tenant_id, event))
            continue
        trace = next(calls)
        operation = str(trace.data.get("operationType") or "")
        kept.append(Kept(tenant_id, event, _call(trace, child_session_id), operation))
    return kept


def _call(trace: TraceRow, child_session_id: str | None) -> AgentCall:
    data = trace.data
    prompt_hash = data.get("systemPromptHash")
    return AgentCall(
        turn=trace.turn,
        seq=trace.seq,
        span_id=trace.span_id,
        first_token_ms=_whole(data.get("timeToFirstTokenMs")),
        prompt_messages=_whole(data.get("promptMessages")),
        prompt_characters=_whole(data.get("promptCharacters")),
        system_prompt_hash=None if prompt_hash is None else str(prompt_hash),
        child_session_id=child_session_id,
    )


def _whole(figure: object) -> int | None:
    return None if figure is None else round(within(figure, WHOLE_MAX))


def parted(kept: Kept) -> tuple[Kind, JsonObject]:
    """Return the kind of an event, and what its metadata say beside that and beside `FIGURES`."""
    event = kept.event
    labels: list[tuple[str, str]] = []
    rest: JsonObject = {}
    for name, value in event.metadata.items():
        if name in LABELS and isinstance(value, str) and len(value) <= LABEL_MAX_CHARS:
            labels.append((name, value))
        elif name not in FIGURES or value is None:
            rest[name] = value
    kind = Kind(
        kept.tenant_id,
        event.project_id,
        event.category.value,
        event.event_type,
        event.agent_name,
        event.channel,
        event.environment,
        kept.operation,
        tuple(sorted(labels)),
    )
    return kind, rest


def written(found: Sequence[Kept]) -> list[tuple[Statement, dict[str, object]]]:
    """Return what writes events in their order, and before them their kinds; there is at least one."""
    keys: dict[Kind, int] = {}
    kinds: dict[tuple[str, int], tuple[Kind, datetime]] = {}
    events = []
    for kept in found:
        kind, rest = parted(kept)
        if (key := keys.get(kind)) is None:
            key = keys[kind] = kind.key()
        at = kept.event.at
        first, last = kinds.get((kind.tenant_id, key), (kind, at))
        kinds[kind.tenant_id, key] = first, max(last, at)
        events.append(_row(kept, key, rest))
    rows = [(*place, *kind[1:-1], dict(kind.labels), last) for place, (kind, last) in sorted(kinds.items())]
    return [(KEEP_KINDS, _columns(_KIND, rows)), (KEEP, _columns(_GIVEN, events))]


def _row(kept: Kept, kind_key: int, rest: JsonObject) -> tuple[Any, ...]:
    event, said, call = kept.event, kept.event.metadata, kept.call
    cost = said.get(COST)
    return (
        kept.tenant_id,
        event.project_id,
        event.at,
        kind_key,
        kept.session_key,
        event.duration_ms,
        said.get(TOKENS_IN),
        said.get(TOKENS_OUT),
        None if cost is None else event.cost,
        event.error,
        rest or None,
        *(NO_CALL if call is None else astuple(call)),
    )


def _columns(columns: dict[str, str], rows: Sequence[tuple[Any, ...]]) -> dict[str, object]:
    return {f"{name}s": list(column) for name, column in zip(columns, zip(*rows, strict=True), strict=True)}
