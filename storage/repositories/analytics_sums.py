"""What is kept of events beside themselves: sums by the hour, and a narrow row for each session.

Each of `Sums` folds events into one row for each key and adds these to what is there in one statement, always in the
order of the keys. Spec: platform-api 8.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from domain.analytics import COST, MODEL, PROVIDER, TOKENS_IN, TOKENS_OUT, EventCategory, NewEvent
from domain.turn_events import HANDED_IN
from storage.repositories.analytics_rows import Kept
from storage.repositories.durations import packed
from storage.statements import Statement

ENTERED, HANDOFF, ESCALATION = "agent_entered", "handoff", "escalation"
STARTED, ENDED, RESET = "session_started", "session_ended", "session_reset"


Key = tuple[Any, ...]
Amounts = list[Any]
Fold = Callable[[Kept], tuple[Key, Amounts] | None]


class Sums:
    """Rows under keys, whose amounts are added up.

    Attributes:
        statement: Adds rows, given as a column for each key and amount.
    """

    def __init__(
        self, table: str, keys: Mapping[str, str], amounts: Mapping[str, str], rules: Mapping[str, str], fold: Fold
    ) -> None:
        """`keys` and `amounts` are column -> type, `rules` column -> what becomes of it when the row is there.

        A session is one row, by its first column; what is said first of where it belongs stays.
        """
        self._keys, self._amounts, self._fold = tuple(keys), tuple(amounts), fold
        self._others = frozenset(place for place, name in enumerate(amounts) if name in rules)
        types = {**keys, **amounts}
        columns = ", ".join(types)
        given = ", ".join(f":{name}s::{kind}[]" for name, kind in types.items())
        changes = ", ".join(f"{name} = {rules.get(name, f'h.{name} + excluded.{name}')}" for name in amounts)
        unique = ("session_key",) if "session_id" in keys else self._keys
        self._unique = len(unique)
        self.statement = Statement(f"""
            INSERT INTO {table} AS h ({columns}) SELECT * FROM unnest({given})
            ON CONFLICT ({", ".join(unique)}) DO UPDATE SET {changes}
        """)

    def of(self, found: Iterable[Kept]) -> dict[str, object]:
        """Return the parameters that add these events; empty when they add nothing."""
        rows: dict[Key, tuple[Key, Amounts]] = {}
        for one in found:
            if (folded := self._fold(one)) is None:
                continue
            key, amounts = folded
            _, held = rows.setdefault(key[: self._unique], (key, amounts))
            if held is amounts:
                continue
            for place, amount in enumerate(amounts):
                held[place] = _joined(held[place], amount) if place in self._others else held[place] + amount
        values = [(*key, *amounts) for _, (key, amounts) in sorted(rows.items(), key=lambda row: row[0])]
        names = (*self._keys, *self._amounts)
        return {f"{name}s": [row[place] for row in values] for place, name in enumerate(names)} if values else {}


def _joined(a: Any, b: Any) -> Any:
    """Return what two values come to that are not added: of times the earlier one, of words the last one."""
    if a is None or b is None:
        return a if b is None else b
    return (b or a) if isinstance(a, str) else min(a, b)


def _hour(kept: Kept) -> tuple[Key, Amounts]:
    event = kept.event
    timed = event.duration_ms is not None
    return _group(kept), [1, int(timed), event.duration_ms or 0, event.tokens, event.cost]


def _group(kept: Kept) -> Key:
    event = kept.event
    place = (kept.tenant_id, event.project_id, kept.hour)
    return (*place, event.category.value, event.event_type, event.agent_name, event.channel, event.error is not None)


def _agent(kept: Kept) -> tuple[Key, Amounts] | None:
    event = kept.event
    if not event.agent_name or kept.session_key is None:
        return None
    handed_in = event.event_type == ENTERED and event.metadata.get("by") == HANDED_IN
    key = (kept.tenant_id, event.project_id, event.agent_name, kept.hour, kept.session_key)
    return key, [int(handed_in)]


def _model(kept: Kept) -> tuple[Key, Amounts] | None:
    event = kept.event
    if event.category is not EventCategory.LLM:
        return None
    said = event.metadata
    key = (kept.tenant_id, event.project_id, kept.hour, said.get(MODEL) or "", said.get(PROVIDER) or "")
    amounts = [1, int(said.get(TOKENS_IN) or 0), int(said.get(TOKENS_OUT) or 0), event.cost]
    timed = event.duration_ms is not None
    return key, [*amounts, int(said.get(COST) is not None), event.duration_ms or 0, int(timed)]


def _session(kept: Kept) -> tuple[Key, Amounts] | None:
    event = kept.event
    if kept.session_key is None:
        return None
    key = (kept.session_key, kept.tenant_id, event.session_id, event.project_id)
    if event.category in (EventCategory.AUDIT, EventCategory.FEEDBACK):
        return key, [None, 0, 0, 0, 0, 0, 0.0, ""]
    amounts = [
        event.at,
        int(event.category is EventCategory.MESSAGE),
        int(event.error is not None),
        int(event.event_type == HANDOFF),
        int(event.event_type == ESCALATION),
        event.tokens,
        event.cost,
        event.channel,
    ]
    return key, amounts


_PLACE = {"tenant_id": "text", "project_id": "text"}
HOURS = Sums(
    "analytics_hours",
    {
        **_PLACE,
        "hour": "timestamptz",
        **dict.fromkeys(("category", "event_type", "agent_name", "channel"), "text"),
        "failed": "boolean",
    },
    {"count": "bigint", "timed": "bigint", "duration_ms": "bigint", "tokens": "bigint", "cost": "float8"},
    {},
    _hour,
)
AGENTS = Sums(
    "analytics_agents",
    {**_PLACE, "agent_name": "text", "hour": "timestamptz", "session_key": "uuid"},
    {"handed_in": "int"},
    {},
    _agent,
)
MODELS = Sums(
    "analytics_models",
    {**_PLACE, "hour": "timestamptz", "model": "text", "provider": "text"},
    {
        **dict.fromkeys(("calls", "tokens_in", "tokens_out"), "bigint"),
        "cost": "float8",
        **dict.fromkeys(("priced", "duration_ms", "timed"), "bigint"),
    },
    {},
    _model,
)
SESSIONS = Sums(
    "analytics_sessions",
    {"session_key": "uuid", "tenant_id": "text", "session_id": "text", "project_id": "text"},
    {
        "started_at": "timestamptz",
        **dict.fromkeys(("messages", "errors", "handoffs", "escalations"), "int"),
        "tokens": "bigint",
        "cost": "float8",
        "channel": "text",
    },
    {
        "started_at": "least(h.started_at, excluded.started_at)",
        "channel": "coalesce(nullif(excluded.channel, ''), h.channel)",
    },
    _session,
)

ADD_DURATIONS = Statement("""
    UPDATE analytics_hours SET durations = coalesce(durations, ''::bytea) || :durations::bytea
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND hour = :hour AND category = :category
      AND event_type = :event_type AND agent_name = :agent_name AND channel = :channel AND failed = :failed
""")
STATE = Statement("""
    UPDATE analytics_sessions SET ended_at = :ended_at, end_reason = :end_reason
    WHERE session_key = session_key(:tenant_id, :session_id)
""")


def late_durations(found: Sequence[Kept], sealed_until: datetime) -> list[tuple[Statement, dict[str, object]]]:
    """Return what adds the durations of events in hours that are sealed."""
    late: dict[Key, list[int]] = {}
    for kept in found:
        took = kept.event.duration_ms
        if took is not None and kept.hour < sealed_until:
            late.setdefault(_group(kept), []).append(took)
    names = ("tenant_id", "project_id", "hour", "category", "event_type", "agent_name", "channel", "failed")
    return [
        (ADD_DURATIONS, {**dict(zip(names, key, strict=True)), "durations": packed(took)})
        for key, took in sorted(late.items())
    ]


def session_states(found: Sequence[Kept]) -> list[tuple[Statement, dict[str, object]]]:
    """Return what says that sessions are over, or are there again; of each, the last thing that was told."""
    states: dict[tuple[str, str], NewEvent] = {}
    for kept in found:
        if kept.event.event_type in (ENDED, RESET):
            states[kept.tenant_id, kept.event.session_id] = kept.event
    return [
        (
            STATE,
            {
                "tenant_id": tenant_id,
                "session_id": session_id,
                "ended_at": event.at if event.event_type == ENDED else None,
                "end_reason": str(event.metadata.get("end_reason", "")) if event.event_type == ENDED else "",
            },
        )
        for (tenant_id, session_id), event in sorted(states.items())
    ]
