"""Bodies of analytics; those of answers are spelled in snake_case. Spec: platform-api 8."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from domain import limits
from domain.analytics import Dimension, EventCategory, Metric
from domain.json_values import JsonValue
from gateway import bounds
from gateway.bodies.moments import utc_moment
from gateway.bodies.texts import ID_MAX_CHARS, QueryText, RequestBody, without_nul
from gateway.envelope import Success, Wire

TYPES_MAX = 100


def _moment(text: str) -> str:
    utc_moment(text)
    return text


Moment = Annotated[str, AfterValidator(_moment)]
EventType = Annotated[str, StringConstraints(min_length=1, max_length=ID_MAX_CHARS), AfterValidator(without_nul)]
Category = Annotated[EventCategory, Field(strict=False)]
GroupBy = Annotated[Dimension, Field(strict=False)]
Wanted = Annotated[Metric, Field(strict=False)]


class TimeRange(RequestBody):
    """A time, its end not in it."""

    from_: Moment = Field(alias="from")
    to: Moment


class Filters(RequestBody):
    """Which events; what is not said means any."""

    category: Category | None = None
    event_types: list[EventType] = Field(default=[], max_length=TYPES_MAX)
    agent_name: QueryText | None = None
    session_id: QueryText | None = None
    has_error: bool | None = None


class QueryBody(Filters):
    """Which events are listed."""

    time_range: TimeRange
    limit: int = Field(default=limits.ANALYTICS_LIMIT_DEFAULT, ge=1, le=limits.ANALYTICS_LIMIT_MAX)
    offset: int = Field(default=0, ge=0, le=bounds.OFFSET_MAX)


class AggregateBody(RequestBody):
    """By what events are told apart, and what is computed of them."""

    time_range: TimeRange
    group_by: list[GroupBy] = Field(max_length=len(Dimension))
    metrics: list[Wanted] = Field(min_length=1, max_length=len(Metric))
    filters: Filters = Filters()


class Figures(Wire):
    """Base of figures: snake_case on the wire."""

    model_config = ConfigDict(alias_generator=None, from_attributes=True)


class BucketItem(Figures):
    """The dimensions asked for, and the metrics; averages and rates are null where nothing was counted."""

    category: str | None = None
    event_type: str | None = None
    agent_name: str | None = None
    channel: str | None = None
    hour: str | None = None
    day: str | None = None
    count: int | None = None
    avg_duration: float | None = None
    error_rate: float | None = None
    p95_duration: float | None = None
    sum_tokens: int | None = None
    sum_cost: float | None = None


class Buckets(Figures):
    """Earlier times first, then the larger ones."""

    buckets: list[BucketItem]


class BucketsReply(Success):
    """Metrics of events."""

    data: Buckets


class EventItem(Figures):
    """An event."""

    id: str
    category: str
    event_type: str
    agent_name: str | None
    session_id: str | None
    timestamp: str
    duration_ms: float | None
    error: str | None
    metadata: dict[str, JsonValue] = Field(description="free JSON, by the event")
    channel: str | None


class Events(Figures):
    """Some events, the newest first."""

    model_config = ConfigDict(alias_generator=None, populate_by_name=True)
    events: list[EventItem]
    total: int
    has_more: bool = Field(alias="hasMore")


class EventsReply(Success):
    """Some events."""

    data: Events


class Ratings(Figures):
    """How often an agent's answers were rated so; four and five stars are positive, one and two negative."""

    positive: int
    negative: int
    neutral: int


class AgentFigures(Figures):
    """What an agent has done; averages and rates are null where nothing was counted."""

    agent_name: str
    from_: str = Field(alias="from")
    to: str
    session_count: int
    message_count: int
    turn_count: int
    avg_turn_ms: float | None
    p95_turn_ms: float | None
    llm_call_count: int
    tool_call_count: int
    tool_success_rate: float | None
    guardrail_block_count: int
    handoff_in_count: int
    handoff_out_count: int
    delegation_count: int
    escalation_count: int
    error_count: int
    error_rate: float | None
    sum_tokens: int
    sum_cost: float
    feedback: Ratings


class AgentReply(Success):
    """What an agent has done."""

    data: AgentFigures


class ModelCostItem(Figures):
    """What the calls of one model cost, null where no price is known; `share` of all."""

    model: str
    provider: str
    call_count: int
    tokens_in: int
    tokens_out: int
    total_tokens: int
    cost: float | None
    share: float | None


class ProviderCostItem(Figures):
    """What the calls of one provider's models cost, null where no price is known; `share` of all."""

    provider: str
    call_count: int
    total_tokens: int
    cost: float | None
    share: float | None


class CostFigures(Figures):
    """What models cost, the dearest first."""

    model_config = ConfigDict(alias_generator=None, populate_by_name=True)
    currency: Literal["USD"]
    from_: str = Field(alias="from")
    to: str
    total_cost: float | None
    total_tokens: int
    by_model: list[ModelCostItem]
    by_provider: list[ProviderCostItem]


class CostReply(Success):
    """What models cost."""

    data: CostFigures


class ChannelCount(Figures):
    """How many sessions a channel had."""

    channel: str | None
    count: int


class EndReasonCount(Figures):
    """How many sessions ended so."""

    end_reason: str | None
    count: int


class SessionFigures(Figures):
    """The sessions that began in a time; averages and rates are null without any."""

    from_: str = Field(alias="from")
    to: str
    total_sessions: int
    active_sessions: int
    ended_sessions: int
    avg_duration_ms: float | None
    p95_duration_ms: float | None
    avg_messages_per_session: float | None
    avg_turn_ms: float | None
    p95_turn_ms: float | None
    avg_tokens_per_session: float | None
    total_cost: float
    error_session_rate: float | None
    handoff_rate: float | None
    escalation_rate: float | None
    by_channel: list[ChannelCount]
    by_end_reason: list[EndReasonCount]


class SessionFiguresReply(Success):
    """Figures of sessions."""

    data: SessionFigures


class VoiceHour(Figures):
    """Calls that began in one hour; what could not be measured is null."""

    hour: str
    session_count: int
    error_count: int
    avg_call_duration_ms: float | None
    avg_inbound_mos: float | None
    avg_outbound_mos: float | None
    avg_inbound_jitter_ms: float | None
    avg_outbound_jitter_ms: float | None
    avg_e2e_latency_ms: float | None
    avg_barge_in_rate: float | None
    avg_dtmf_fallback_rate: float | None
    avg_asr_score: float | None
    avg_tts_proxy_mos: float | None
    avg_silence_percent: float | None
    total_turns: int
    total_barge_in_count: int
    total_dtmf_turn_count: int


class VoiceHoursReply(Success):
    """The hours in which calls began, the earliest first."""

    data: list[VoiceHour]


class VoiceSummary(Figures):
    """All calls of a time; rates are of all turns together, and what could not be measured is null."""

    total_calls: int
    total_errors: int
    avg_call_duration_ms: float | None
    overall_avg_inbound_mos: float | None
    overall_avg_outbound_mos: float | None
    overall_avg_latency_ms: float | None
    overall_barge_in_rate: float | None
    overall_dtmf_fallback_rate: float | None
    overall_asr_score: float | None
    total_turns: int
    total_barge_in_count: int
    total_dtmf_turn_count: int


class VoiceSummaryReply(Success):
    """All calls of a time."""

    data: VoiceSummary


def of_success(data: Any) -> JsonValue:
    """Return the body of an answer whose data is as on the wire already."""
    return {"success": True, "data": data}
