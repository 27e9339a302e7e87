"""What has happened in a project, in figures, a few seconds behind: see `docs/analytics.md`. Spec: platform-api 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from domain.analytics import RATINGS, Dimension, EventCategory, EventQuery, Metric, NewEvent, event_name
from domain.clock import Clock, iso_ms
from domain.errors import NotFound
from domain.json_values import JsonObject, JsonValue
from domain.limits import ANALYTICS_BUCKETS_MAX
from domain.metrics import rate, total_usd
from storage.database import Database, Row
from storage.repositories.analytics import Analytics, Bucket
from storage.repositories.events import Events
from storage.repositories.sessions import Sessions
from storage.repositories.voice_calls import VoiceCalls, VoiceFigures

REPLIES: Final = ("message_sent",)
CURRENCY: Final = "USD"


class EventsPage(NamedTuple):
    """Some events, spelled as on the wire but for `metadata`, which is JSON text, and how many there are."""

    rows: list[JsonObject]
    total: int


class ModelCost(Struct, frozen=True, kw_only=True):
    """What a model, or all of a provider, used; `share` of all costs, None when nothing cost anything.

    The cost of calls is None where the price of none of them is known.
    """

    provider: str
    call_count: int
    tokens_in: int
    tokens_out: int
    total_tokens: int
    cost: float | None
    share: float | None
    model: str = ""


class CostBreakdown(Struct, frozen=True, kw_only=True):
    """What models cost in US dollars, the dearest first; None where calls were made and no price is known."""

    total_cost: float | None
    total_tokens: int
    by_model: tuple[ModelCost, ...]
    by_provider: tuple[ModelCost, ...]


class AnalyticsDesk(Protocol):
    """What has happened in a project."""

    async def buckets(
        self,
        tenant_id: str,
        project_id: str,
        wanted: EventQuery,
        dimensions: Sequence[Dimension],
        metrics: Sequence[Metric],
    ) -> list[JsonObject]:
        """Return metrics of events by dimensions, as on the wire; without dimensions one bucket of all."""
        ...

    async def events(
        self, tenant_id: str, project_id: str, wanted: EventQuery, *, limit: int, offset: int
    ) -> EventsPage:
        """Return events, the newest first."""
        ...

    async def agent(self, tenant_id: str, project_id: str, wanted: EventQuery) -> JsonObject:
        """Return the figures of the agent that the query names, as on the wire. Raises NotFound: it was never seen."""
        ...

    async def costs(self, tenant_id: str, project_id: str, wanted: EventQuery) -> CostBreakdown:
        """Return what models cost."""
        ...

    async def sessions(self, tenant_id: str, project_id: str, wanted: EventQuery) -> JsonObject:
        """Return the figures of the sessions that began in a time, as on the wire."""
        ...

    async def note(self, tenant_id: str, event: NewEvent) -> None:
        """Note an event of something that changed nothing in the store, e.g. a socket that was opened."""
        ...

    async def voice_hourly(self, tenant_id: str, project_id: str, hours: int) -> list[VoiceFigures]:
        """Return the figures of calls by the hour in which they began, the earliest first."""
        ...

    async def voice_summary(self, tenant_id: str, project_id: str, hours: int) -> VoiceFigures:
        """Return the figures of all calls that began in the last hours."""
        ...


class StoredAnalytics:
    """Satisfies `AnalyticsDesk`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._analytics = Analytics(database)
        self._sessions = Sessions(database)
        self._calls = VoiceCalls(database)
        self._events = Events(database)
        self._clock = clock

    async def buckets(
        self,
        tenant_id: str,
        project_id: str,
        wanted: EventQuery,
        dimensions: Sequence[Dimension],
        metrics: Sequence[Metric],
    ) -> list[JsonObject]:
        """Return metrics of events by dimensions; without dimensions one bucket of all, also when there are none."""
        found = await self._analytics.buckets(
            tenant_id,
            project_id,
            await self._resolved(tenant_id, project_id, wanted),
            dimensions,
            limit=ANALYTICS_BUCKETS_MAX,
            has_p95=Metric.P95_DURATION in metrics,
        )
        if not found and not dimensions:
            found = [Bucket()]
        return _shown(found, dimensions, metrics)

    async def events(
        self, tenant_id: str, project_id: str, wanted: EventQuery, *, limit: int, offset: int
    ) -> EventsPage:
        """Return events, the newest first."""
        resolved = await self._resolved(tenant_id, project_id, wanted)
        rows, total = await self._analytics.page(tenant_id, project_id, resolved, limit=limit, offset=offset)
        return EventsPage([_event(tenant_id, row) for row in rows], total)

    async def agent(self, tenant_id: str, project_id: str, wanted: EventQuery) -> JsonObject:
        """Return the figures of an agent."""
        seen = await self._analytics.agent(tenant_id, project_id, wanted)
        if seen is None:
            raise NotFound("Agent not found")
        by_type = (Dimension.CATEGORY, Dimension.EVENT_TYPE)
        found = await self._analytics.buckets(tenant_id, project_id, wanted, by_type, limit=ANALYTICS_BUCKETS_MAX)
        turns = await self._turns(tenant_id, project_id, wanted)
        total = _sum(found)
        tools = _sum(found, EventCategory.TOOL)
        return {
            "agent_name": wanted.agent_name,
            "from": iso_ms(wanted.since),
            "to": iso_ms(wanted.until),
            "session_count": seen.sessions,
            "message_count": _sum(found, EventCategory.MESSAGE).count,
            "turn_count": turns.count,
            "avg_turn_ms": _average(turns),
            "p95_turn_ms": turns.p95,
            "llm_call_count": _sum(found, EventCategory.LLM).count,
            "tool_call_count": tools.count,
            "tool_success_rate": rate(tools.count - tools.failures, tools.count),
            "guardrail_block_count": _sum(found, EventCategory.AGENT, "guardrail_block").count,
            "handoff_in_count": seen.handed_in,
            "handoff_out_count": _sum(found, EventCategory.AGENT, "handoff").count,
            "delegation_count": _sum(found, EventCategory.AGENT, "delegate").count,
            "escalation_count": _sum(found, EventCategory.AGENT, "escalation").count,
            "error_count": total.failures,
            "error_rate": rate(total.failures, total.count),
            "sum_tokens": total.tokens,
            "sum_cost": total.cost,
            "feedback": {name: seen.ratings.get(name, 0) for name in RATINGS},
        }

    async def costs(self, tenant_id: str, project_id: str, wanted: EventQuery) -> CostBreakdown:
        """Return what models cost."""
        rows = await self._analytics.costs(tenant_id, project_id, wanted)
        total = total_usd([row.cost if row.priced else None for row in rows])
        models = [
            ModelCost(
                model=row.model,
                provider=row.provider,
                call_count=row.calls,
                tokens_in=row.tokens_in,
                tokens_out=row.tokens_out,
                total_tokens=row.tokens_in + row.tokens_out,
                cost=row.cost if row.priced else None,
                share=row.cost / total if total and row.priced else None,
            )
            for row in rows
        ]
        providers: dict[str, ModelCost] = {}
        for one in models:
            held = providers.get(one.provider)
            providers[one.provider] = replace(one, model="") if held is None else _together(held, one)
        return CostBreakdown(
            total_cost=total,
            total_tokens=sum(one.total_tokens for one in models),
            by_model=tuple(models),
            by_provider=tuple(
                sorted(providers.values(), key=lambda one: (-(one.cost or 0.0), -one.call_count, one.provider))
            ),
        )

    async def sessions(self, tenant_id: str, project_id: str, wanted: EventQuery) -> JsonObject:
        """Return the figures of sessions."""
        found = await self._analytics.sessions(tenant_id, project_id, wanted)
        turns = await self._turns(tenant_id, project_id, wanted)
        return {
            "from": iso_ms(wanted.since),
            "to": iso_ms(wanted.until),
            "total_sessions": found.sessions,
            "active_sessions": found.sessions - found.ended,
            "ended_sessions": found.ended,
            "avg_duration_ms": found.avg_took_ms,
            "p95_duration_ms": found.p95_took_ms,
            "avg_messages_per_session": found.avg_messages,
            "avg_turn_ms": _average(turns),
            "p95_turn_ms": turns.p95,
            "avg_tokens_per_session": found.avg_tokens,
            "total_cost": found.cost,
            "error_session_rate": found.error_rate,
            "handoff_rate": found.handoff_rate,
            "escalation_rate": found.escalation_rate,
            "by_channel": _ranked("channel", found.by_channel),
            "by_end_reason": _ranked("end_reason", found.by_end_reason),
        }

    async def note(self, tenant_id: str, event: NewEvent) -> None:
        """Note an event of something that changed nothing in the store."""
        await self._events.note(tenant_id, event)

    async def voice_hourly(self, tenant_id: str, project_id: str, hours: int) -> list[VoiceFigures]:
        """Return the figures of calls by the hour in which they began."""
        now = self._clock.now()
        return await self._calls.hourly(tenant_id, project_id, now - timedelta(hours=hours), now)

    async def voice_summary(self, tenant_id: str, project_id: str, hours: int) -> VoiceFigures:
        """Return the figures of all calls that began in the last hours."""
        now = self._clock.now()
        return await self._calls.summary(tenant_id, project_id, now - timedelta(hours=hours), now)

    async def _turns(self, tenant_id: str, project_id: str, wanted: EventQuery) -> Bucket:
        """Return the replies: each is a turn, and took from its message on."""
        replies = replace(wanted, event_types=REPLIES)
        found = await self._analytics.buckets(tenant_id, project_id, replies, (), limit=1, has_p95=True)
        return found[0] if found else Bucket()

    async def _resolved(self, tenant_id: str, project_id: str, wanted: EventQuery) -> EventQuery:
        """Return the query with the stable id of a session that is named by either of its ids."""
        if not wanted.session_id:
            return wanted
        record = await self._sessions.find(tenant_id, wanted.session_id)
        if record is None or record.project_id != project_id:
            return wanted
        return replace(wanted, session_id=record.session_id)


def _average(bucket: Bucket) -> float | None:
    return bucket.duration_ms / bucket.timed if bucket.timed else None


Measure: TypeAlias = Callable[[Bucket], JsonValue]
Column: TypeAlias = tuple[str, str, dict[str | datetime, str | None]]
"""Name of a dimension, the form of its moments, and the texts of values that were shown."""
METRICS: Mapping[Metric, Measure] = {
    Metric.COUNT: lambda bucket: bucket.count,
    Metric.AVG_DURATION: _average,
    Metric.ERROR_RATE: lambda bucket: rate(bucket.failures, bucket.count),
    Metric.P95_DURATION: lambda bucket: bucket.p95,
    Metric.SUM_TOKENS: lambda bucket: bucket.tokens,
    Metric.SUM_COST: lambda bucket: bucket.cost,
}


def _shown(found: Sequence[Bucket], dimensions: Sequence[Dimension], metrics: Sequence[Metric]) -> list[JsonObject]:
    """Return buckets as on the wire: up to ten thousand, so that whatever they have in common is worked out once."""
    columns: list[Column] = [(one.value, FORMS.get(one, ""), {}) for one in dimensions]
    measures = [(one.value, METRICS[one]) for one in metrics]
    return [_row(bucket, columns, measures) for bucket in found]


def _row(bucket: Bucket, columns: Sequence[Column], measures: Sequence[tuple[str, Measure]]) -> JsonObject:
    row: JsonObject = {}
    for (name, form, texts), value in zip(columns, bucket.values, strict=True):
        if value not in texts:
            texts[value] = value.strftime(form) if isinstance(value, datetime) else value or None
        row[name] = texts[value]
    for name, measure in measures:
        row[name] = measure(bucket)
    return row


FORMS: Final = {Dimension.HOUR: "%Y-%m-%dT%H:%M:%S.000Z", Dimension.DAY: "%Y-%m-%d"}
"""Of moments in UTC."""


def _event(tenant_id: str, row: Row) -> JsonObject:
    shown = dict(row)
    return {"id": event_name(tenant_id, shown.pop("number")), **shown}


def _sum(found: Sequence[Bucket], category: EventCategory | None = None, event_type: str = "") -> Bucket:
    """Return what the buckets of a category, or of one type of events, come to."""
    of = [one for one in found if (category is None or one.values[0] == category) and event_type in ("", one.values[1])]
    return Bucket(
        count=sum(one.count for one in of),
        failures=sum(one.failures for one in of),
        tokens=sum(one.tokens for one in of),
        cost=sum((one.cost for one in of), 0.0),
    )


def _together(a: ModelCost, b: ModelCost) -> ModelCost:
    return ModelCost(
        provider=a.provider,
        call_count=a.call_count + b.call_count,
        tokens_in=a.tokens_in + b.tokens_in,
        tokens_out=a.tokens_out + b.tokens_out,
        total_tokens=a.total_tokens + b.total_tokens,
        cost=total_usd([a.cost, b.cost]),
        share=total_usd([a.share, b.share]),
    )


def _ranked(name: str, counts: Mapping[str, int]) -> list[JsonValue]:
    """Return the largest first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [{name: value or None, "count": count} for value, count in ordered]
