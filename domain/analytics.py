"""Events that analytics count: their closed list, and what may be asked of them. Spec: platform-api 8.1."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from math import isnan
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field
from msgspec.structs import force_setattr

from domain.ids import prefixed
from domain.json_values import JsonObject, JsonValue

TOKENS_IN, TOKENS_OUT, COST, MODEL, PROVIDER = "tokens_in", "tokens_out", "cost", "model", "provider"
"""Keys of `metadata` that are summed up, and by which costs are told apart."""
WHOLE_MAX: Final = 2**31 - 1
"""The most tokens, and milliseconds, that one event counts: figures come from providers, and a sum has to hold them."""
COST_MAX: Final = 1e9
"""The most US dollars that one event counts."""


class EventCategory(StrEnum):
    """What an event is about."""

    SESSION = "session"
    MESSAGE = "message"
    LLM = "llm"
    TOOL = "tool"
    AGENT = "agent"
    GATHER = "gather"
    FLOW = "flow"
    CHANNEL = "channel"
    DEPLOYMENT = "deployment"
    SEARCH = "search"
    VOICE = "voice"
    AUDIT = "audit"
    EVALUATION = "evaluation"
    FEEDBACK = "feedback"
    SYSTEM = "system"


EVENT_TYPES: Final[Mapping[EventCategory, tuple[str, ...]]] = MappingProxyType({
    EventCategory.SESSION: (
        "session_started", "session_ended", "session_reset", "session_deleted", "session_suspended", "session_resumed",
    ),
    EventCategory.MESSAGE: ("message_received", "message_sent"),
    EventCategory.LLM: ("llm_call",),
    EventCategory.TOOL: ("tool_call", "tool_mocked"),
    EventCategory.AGENT: (
        "agent_entered", "agent_completed", "handoff", "delegate", "escalation", "guardrail_block",
    ),
    EventCategory.GATHER: ("field_collected", "field_rejected", "gather_completed"),
    EventCategory.FLOW: ("step_entered", "flow_completed"),
    EventCategory.CHANNEL: (
        "ws_connected", "ws_disconnected", "attachment_uploaded", "webhook_delivered", "webhook_failed",
    ),
    EventCategory.DEPLOYMENT: (
        "deployment_created", "deployment_retired", "deployment_rolled_back", "deployment_promoted",
    ),
    EventCategory.SEARCH: ("search_query",),
    EventCategory.VOICE: ("voice_started", "voice_turn", "barge_in", "voice_ended", "voice_error"),
    EventCategory.AUDIT: (),
    EventCategory.EVALUATION: (
        "run_started", "run_completed", "run_failed", "run_cancelled", "conversation_completed",
    ),
    EventCategory.FEEDBACK: ("feedback_submitted",),
    EventCategory.SYSTEM: ("worker_started", "worker_lost", "queue_full", "rate_limited"),
})  # fmt: skip
"""Category -> the types of its events; one of `audit` is the action of its record."""


class Metric(StrEnum):
    """What may be computed of events."""

    COUNT = "count"
    AVG_DURATION = "avg_duration"
    ERROR_RATE = "error_rate"
    P95_DURATION = "p95_duration"
    SUM_TOKENS = "sum_tokens"
    SUM_COST = "sum_cost"


class Dimension(StrEnum):
    """By what events may be told apart; hours and days are those of UTC."""

    CATEGORY = "category"
    EVENT_TYPE = "event_type"
    AGENT_NAME = "agent_name"
    CHANNEL = "channel"
    HOUR = "hour"
    DAY = "day"


OF_TIME: Final = frozenset({Dimension.HOUR, Dimension.DAY})


ID_DIGEST_BYTES: Final = 12
RATINGS: Final = ("positive", "negative", "neutral")
LEAST_GOOD_STARS, MOST_BAD_STARS = 4, 2


class EventQuery(Struct, frozen=True, kw_only=True):
    """Which events of a project, the end of the time not in it; None and empty mean any.

    Attributes:
        failed: Only those with an error, or only those without.
    """

    since: datetime
    until: datetime
    category: str = ""
    event_types: tuple[str, ...] = ()
    agent_name: str = ""
    session_id: str = ""
    failed: bool | None = None


def rating_of(rating: str | None, stars: int | None) -> str:
    """Return one of `RATINGS` for a word, or for one to five stars.

    >>> rating_of(None, 4)
    'positive'
    """
    if stars is None:
        return rating or "neutral"
    return "positive" if stars >= LEAST_GOOD_STARS else "negative" if stars <= MOST_BAD_STARS else "neutral"


def within(figure: object, most: float) -> float:
    """Return a figure as it may be counted: 0 for what is no number or below 0, never more than `most`.

    >>> within(float("nan"), 10), within(-2, 10), within(float("inf"), 10), within("3", 10)
    (0, 0, 10, 0)
    """
    if not isinstance(figure, int | float) or isnan(figure):
        return 0
    return min(max(figure, 0), most)


def event_name(tenant_id: str, number: int) -> str:
    """Return the id of a kept event; it does not tell how many events there are of others."""
    digest = blake2b(f"{tenant_id}\0{number}".encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
    return prefixed("event", f"c{digest}")


class NewEvent(Struct, frozen=True, kw_only=True):
    """Something that has happened in a project. No text that a person wrote stands in it.

    Durations, tokens and costs are brought within what can be counted, whatever a provider reports.

    Attributes:
        error: The code of what went wrong; None when nothing did.
        metadata: `model`, `provider`, `tokens_in`, `tokens_out`, `cost` (US dollars), `tool`, `status` and the like.

    Raises:
        ValueError: The category has no such type.
    """

    category: EventCategory
    event_type: str
    project_id: str
    at: datetime
    agent_name: str = ""
    session_id: str = ""
    channel: str = ""
    environment: str = ""
    duration_ms: int | None = None
    error: str | None = None
    metadata: JsonObject = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.category is not EventCategory.AUDIT and self.event_type not in EVENT_TYPES[self.category]:
            raise ValueError(f"{self.category} has no event {self.event_type}")
        if self.duration_ms is not None:
            force_setattr(self, "duration_ms", round(within(self.duration_ms, WHOLE_MAX)))
        figures: dict[str, JsonValue] = {
            name: round(within(self.metadata[name], WHOLE_MAX))
            for name in (TOKENS_IN, TOKENS_OUT)
            if self.metadata.get(name) is not None
        }
        if self.metadata.get(COST) is not None:
            figures[COST] = within(self.metadata[COST], COST_MAX)
        if figures:
            force_setattr(self, "metadata", {**self.metadata, **figures})

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        said = self.metadata
        return min(int(said.get(TOKENS_IN) or 0) + int(said.get(TOKENS_OUT) or 0), WHOLE_MAX)

    @property
    def cost(self) -> float:
        """US dollars, 0 where no price is known."""
        return float(self.metadata.get(COST) or 0.0)
