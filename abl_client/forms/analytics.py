"""The forms of the API about analytics. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

AgentFigures = TypedDict(
    "AgentFigures",
    {
        "agent_name": "str",
        "from": "str",
        "to": "str",
        "session_count": "int",
        "message_count": "int",
        "turn_count": "int",
        "avg_turn_ms": "float | None",
        "p95_turn_ms": "float | None",
        "llm_call_count": "int",
        "tool_call_count": "int",
        "tool_success_rate": "float | None",
        "guardrail_block_count": "int",
        "handoff_in_count": "int",
        "handoff_out_count": "int",
        "delegation_count": "int",
        "escalation_count": "int",
        "error_count": "int",
        "error_rate": "float | None",
        "sum_tokens": "int",
        "sum_cost": "float",
        "feedback": "Ratings",
    },
)
"""What an agent has done; averages and rates are null where nothing was counted."""


class AggregateBody(TypedDict):
    """By what events are told apart, and what is computed of them."""

    timeRange: TimeRange
    groupBy: list[Dimension]
    metrics: list[Metric]
    filters: NotRequired[Filters]


class AnalyticsAgentReply(TypedDict):
    """What an agent has done."""

    success: NotRequired[Literal[True]]
    data: AgentFigures


class BucketItem(TypedDict):
    """The dimensions asked for, and the metrics; averages and rates are null where nothing was counted."""

    category: NotRequired[str | None]
    event_type: NotRequired[str | None]
    agent_name: NotRequired[str | None]
    channel: NotRequired[str | None]
    hour: NotRequired[str | None]
    day: NotRequired[str | None]
    count: NotRequired[int | None]
    avg_duration: NotRequired[float | None]
    error_rate: NotRequired[float | None]
    p95_duration: NotRequired[float | None]
    sum_tokens: NotRequired[int | None]
    sum_cost: NotRequired[float | None]


class Buckets(TypedDict):
    """Earlier times first, then the larger ones."""

    buckets: list[BucketItem]


class BucketsReply(TypedDict):
    """Metrics of events."""

    success: NotRequired[Literal[True]]
    data: Buckets


class ChannelCount(TypedDict):
    """How many sessions a channel had."""

    channel: str | None
    count: int


CostFigures = TypedDict(
    "CostFigures",
    {
        "currency": "Literal['USD']",
        "from": "str",
        "to": "str",
        "total_cost": "float | None",
        "total_tokens": "int",
        "by_model": "list[ModelCostItem]",
        "by_provider": "list[ProviderCostItem]",
    },
)
"""What models cost, the dearest first."""


class CostReply(TypedDict):
    """What models cost."""

    success: NotRequired[Literal[True]]
    data: CostFigures


Dimension = Literal["category", "event_type", "agent_name", "channel", "hour", "day"]


class EndReasonCount(TypedDict):
    """How many sessions ended so."""

    end_reason: str | None
    count: int


EventCategory = Literal[
    "session",
    "message",
    "llm",
    "tool",
    "agent",
    "gather",
    "flow",
    "channel",
    "deployment",
    "search",
    "voice",
    "audit",
    "evaluation",
    "feedback",
    "system",
]


class EventItem(TypedDict):
    """An event."""

    id: str
    category: str
    event_type: str
    agent_name: str | None
    session_id: str | None
    timestamp: str
    duration_ms: float | None
    error: str | None
    metadata: dict[str, Any]
    channel: str | None


class Events(TypedDict):
    """Some events, the newest first."""

    events: list[EventItem]
    total: int
    hasMore: bool


class EventsReply(TypedDict):
    """Some events."""

    success: NotRequired[Literal[True]]
    data: Events


class Filters(TypedDict):
    """Which events; what is not said means any."""

    category: NotRequired[EventCategory | None]
    eventTypes: NotRequired[list[str]]
    agentName: NotRequired[str | None]
    sessionId: NotRequired[str | None]
    hasError: NotRequired[bool | None]


Metric = Literal["count", "avg_duration", "error_rate", "p95_duration", "sum_tokens", "sum_cost"]


class ModelCostItem(TypedDict):
    """What the calls of one model cost, null where no price is known; `share` of all."""

    model: str
    provider: str
    call_count: int
    tokens_in: int
    tokens_out: int
    total_tokens: int
    cost: float | None
    share: float | None


class ProviderCostItem(TypedDict):
    """What the calls of one provider's models cost, null where no price is known; `share` of all."""

    provider: str
    call_count: int
    total_tokens: int
    cost: float | None
    share: float | None


class QueryBody(TypedDict):
    """Which events are listed."""

    category: NotRequired[EventCategory | None]
    eventTypes: NotRequired[list[str]]
    agentName: NotRequired[str | None]
    sessionId: NotRequired[str | None]
    hasError: NotRequired[bool | None]
    timeRange: TimeRange
    limit: NotRequired[int]
    offset: NotRequired[int]


class Ratings(TypedDict):
    """How often an agent's answers were rated so; four and five stars are positive, one and two negative."""

    positive: int
    negative: int
    neutral: int


SessionFigures = TypedDict(
    "SessionFigures",
    {
        "from": "str",
        "to": "str",
        "total_sessions": "int",
        "active_sessions": "int",
        "ended_sessions": "int",
        "avg_duration_ms": "float | None",
        "p95_duration_ms": "float | None",
        "avg_messages_per_session": "float | None",
        "avg_turn_ms": "float | None",
        "p95_turn_ms": "float | None",
        "avg_tokens_per_session": "float | None",
        "total_cost": "float",
        "error_session_rate": "float | None",
        "handoff_rate": "float | None",
        "escalation_rate": "float | None",
        "by_channel": "list[ChannelCount]",
        "by_end_reason": "list[EndReasonCount]",
    },
)
"""The sessions that began in a time; averages and rates are null without any."""


class SessionFiguresReply(TypedDict):
    """Figures of sessions."""

    success: NotRequired[Literal[True]]
    data: SessionFigures


TimeRange = TypedDict(
    "TimeRange",
    {
        "from": "str",
        "to": "str",
    },
)
"""A time, its end not in it."""


class VoiceHour(TypedDict):
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


class VoiceHoursReply(TypedDict):
    """The hours in which calls began, the earliest first."""

    success: NotRequired[Literal[True]]
    data: list[VoiceHour]


class VoiceSummary(TypedDict):
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


class VoiceSummaryReply(TypedDict):
    """All calls of a time."""

    success: NotRequired[Literal[True]]
    data: VoiceSummary
