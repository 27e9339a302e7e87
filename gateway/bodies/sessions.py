"""Bodies of the session routes. Spec: platform-api 5.1 to 5.9."""

from __future__ import annotations

from operator import attrgetter
from typing import Literal

from pydantic import AliasChoices, ConfigDict, Field

from actors.runtime import SessionView
from domain.json_values import JsonObject, JsonValue
from gateway.bodies.chat_agent import Environment
from gateway.bodies.conversation import Message, TraceItem, TranscriptMessage
from gateway.bodies.session_insight import SessionMetrics, TokenUsage
from gateway.bodies.texts import Id, TolerantBody
from gateway.envelope import DeletedReply, PaginatedPage, Success, TopLevelPage, Wire

Channel = Literal["api", "web_debug", "voice"]
Status = Literal["active", "ended"]


class NewSessionBody(TolerantBody):
    """A session to open before anybody speaks."""

    agent_id: Id
    environment: Environment | None = None
    deployment_id: Id | None = None
    channel: Channel = "web_debug"
    contact_id: Id | None = None
    variables: dict[str, JsonValue] | None = None


class EndSessionBody(TolerantBody):
    """Why a session ends."""

    reason: Literal["user", "api", "human_completed", "eval_finished", "error"] = "api"


class CreatedSession(Wire):
    """A session that was opened."""

    id: str
    agent_id: str
    agent_name: str
    created_at: str
    runtime_session_id: str


class CreatedSessionReply(Success):
    """The answer to a creation."""

    session: CreatedSession


class SessionItem(Wire):
    """A session in a list."""

    id: str
    runtime_session_id: str
    agent_name: str
    status: Status
    channel: str
    message_count: int
    trace_event_count: int
    token_count: int
    estimated_cost: float | None = Field(description="US dollars; null where no price is known")
    error_count: int
    duration_ms: int
    handoff_count: int
    created_at: str
    last_activity_at: str
    environment: str | None
    deployment_id: str | None
    ended_at: str | None
    transport: str
    source: str


class StackedAgent(Wire):
    """An agent that a session is with, or comes back to."""

    agent_name: str
    since: str
    return_expected: bool


class GatheredValue(Wire):
    """What is known of a field that an agent asks for."""

    value: JsonValue = Field(description="free JSON, by the field's type")
    confirmed: bool
    source: str


class Suspension(Wire):
    """What a session waits for outside."""

    callback_id: str
    task_id: str | None
    reason: str
    created_at: str
    expires_at: str


class SessionDetail(SessionItem):
    """A session by itself, with the state of its agents.

    Attributes:
        agent_id: Null where the project has no such agent any more.
        agent_version: Null for a draft.
        agent_stack: The last one is active.
        gather: Agent -> field -> what is known of it.
        memory_stores: Names.
        last_seq: Number of the session's last event.
        messages: The last ones, where they were asked for.
    """

    project_id: str
    agent_id: str | None
    agent_version: str | None
    entry_agent_name: str
    execution_state: str = Field(description="idle, processing, suspended or ended")
    agent_stack: list[StackedAgent]
    current_step: str | None
    variables: JsonObject = Field(description="values of the session: free JSON, by the agent's own names")
    gather: dict[str, dict[str, GatheredValue]]
    memory_stores: list[str]
    contact_id: str
    user_id: str
    suspension: Suspension | None
    delegate_count: int
    token_usage: TokenUsage
    last_error: str
    end_reason: str | None
    last_seq: int
    messages: list[Message] | None = None


class SessionListReply(TopLevelPage):
    """Some sessions of a project.

    Attributes:
        total_is_exact: False when there are more than `total`, which is then ahead of the page all the same.
        searched_from: When the oldest session was created that `q` has looked through; null: all. To look further back,
            ask again with it as `to`.
    """

    sessions: list[SessionItem]
    total_is_exact: bool = True
    searched_from: str | None = None


class SessionReply(Success):
    """One session."""

    session: SessionDetail


class DeletedSessionReply(DeletedReply):
    """The answer to a deletion."""

    id: str


class ResetSession(Wire):
    """A session after its reset."""

    id: str
    runtime_session_id: str
    status: Status
    reset_at: str


class ResetSessionReply(Success):
    """The answer to a reset."""

    session: ResetSession


class EndedSession(Wire):
    """A session after its end."""

    id: str
    status: Literal["ended"]
    ended_at: str
    end_reason: str


class EndedSessionReply(Success):
    """The answer to an end."""

    session: EndedSession


class TraceSource(Wire):
    """Where trace events were read; snake_case by contract."""

    model_config = ConfigDict(alias_generator=None)

    source: str
    event_count: int
    is_truncated: bool
    source_chain: list[str]


class TracesReply(TopLevelPage):
    """Some trace events of a session."""

    traces: list[TraceItem]
    meta: TraceSource = Field(validation_alias=AliasChoices("meta", "_meta"), serialization_alias="_meta")
    metrics: SessionMetrics | None = None


class TranscriptReply(PaginatedPage):
    """Some messages of a session."""

    messages: list[TranscriptMessage]


def session_item(view: SessionView) -> SessionItem:
    """Return a session as a list shows it."""
    return SessionItem(**_item_fields(view))


def session_detail(view: SessionView) -> JsonObject:
    """Return a session as it is shown by itself, a `SessionDetail` as plain values; messages only where it has them."""
    return {
        **view.detail,
        **session_item(view).model_dump(by_alias=True),
        "projectId": view.project_id,
        "entryAgentName": view.entry_agent_name,
        "executionState": view.execution_state,
        "endReason": view.end_reason or None,
    }


def _item_fields(view: SessionView) -> dict[str, JsonValue]:
    fields = dict(zip(ITEM_FIELDS, _item_values(view), strict=True))
    for name in NULL_WHEN_EMPTY:
        fields[name] = fields[name] or None
    return fields


ITEM_FIELDS = tuple(SessionItem.model_fields)
_item_values = attrgetter(*ITEM_FIELDS)
NULL_WHEN_EMPTY = ("environment", "deployment_id", "ended_at")
