"""Bodies of `POST /api/v1/chat/agent`. Spec: platform-api 4.1, 13.2."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from actors.runtime import TurnReply
from domain import limits
from domain.json_values import JsonObject, JsonValue
from gateway.bodies.conversation import ActionSet, RichContent, TraceItem, TurnAction, VoiceConfig, action_for_pages
from gateway.bodies.texts import Id, MaybeText, MessageText, Metadata, TolerantBody
from gateway.envelope import Success

NOT_READ: Final = object()
"""In the place of a field that has been refused already."""
Environment = Literal["dev", "staging", "production", "working-copy"]


class MockError(TolerantBody):
    """How a mocked tool fails."""

    message: str
    code: str | None = None


class ToolMock(TolerantBody):
    """What a tool answers instead of running."""

    tool_name: Id
    response: JsonValue = None
    error: MockError | None = None
    delay_ms: Annotated[int, Field(ge=0, le=limits.TOOL_MOCK_DELAY_MAX_MS)] = 0
    times: Annotated[int, Field(ge=1)] | None = None
    match: dict[str, JsonValue] | None = None


class CallerContext(TolerantBody):
    """Who the agent is told it speaks with."""

    user_id: str | None = None
    channel: str | None = None
    custom_attributes: dict[str, JsonValue] | None = None


class TestContext(TolerantBody):
    """A prepared start of a conversation, for development."""

    gather_values: dict[str, JsonValue] | None = None
    session_variables: dict[str, JsonValue] | None = None
    caller_context: CallerContext | None = None
    tool_mocks: Annotated[list[ToolMock], Field(max_length=limits.TOOL_MOCKS_MAX)] | None = None
    skip_on_start: bool | None = None
    start_at_step: str | None = None


class SubmittedAction(TolerantBody):
    """A pressed button or a sent form, as `action_submit` of the WebSocket says it; it must be offered. Decision: 0075.

    Attributes:
        action_id: Id of the element, or of what sends the set.
        value: One of those that were offered; left out, a button sends its own.
        form_data: What was filled in, by the ids of the fields.
        render_id: Which set it answers: the `render_id` of the set, or the id of the message that shows it.
    """

    action_id: Id
    value: MaybeText | None = None
    form_data: dict[Id, MaybeText] | None = None
    render_id: Id | None = None


def said_or_pressed(message: str | None, info: ValidationInfo) -> str | None:
    """Return the message of a body; without one there must be an action."""
    if message is None and info.data.get("action", NOT_READ) is None:
        raise PydanticCustomError("missing", "Field required")
    return message


class ChatAgentBody(TolerantBody):
    """One message to an agent, or a button or form of its last answer: with an `action`, `message` may be left out."""

    project_id: Id
    action: SubmittedAction | None = None
    message: Annotated[MessageText | None, AfterValidator(said_or_pressed)]
    session_id: Id | None = None
    deployment_id: Id | None = None
    environment: Environment | None = None
    agent_id: Id | None = None
    metadata: Metadata = None
    test_context: TestContext | None = None
    attachment_ids: Annotated[list[Id], Field(max_length=limits.ATTACHMENTS_PER_MESSAGE)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _an_action_needs_no_words(cls, body: Any) -> Any:
        if isinstance(body, dict) and body.get("action") is not None:
            return {"message": None, **body}
        return body


class ChatReply(Success):
    """What one turn answered."""

    session_id: str
    message_id: str
    response: str
    action: TurnAction
    state: JsonObject = Field(description="what the turn changed in the session: free JSON, by the agent's own names")
    trace_events: list[TraceItem] | None = None
    voice_config: VoiceConfig | None = None
    rich_content: RichContent | None
    actions: ActionSet | None
    agent_name: str | None = None


def shown_with(rich_content: JsonObject | None, actions: JsonObject | None) -> JsonObject:
    """Return what is shown with an answer: both are always there, null where there is none. Spec: platform-api 13.2."""
    return {"richContent": rich_content, "actions": actions}


def reply_body(reply: TurnReply, *, with_traces: bool, for_page: bool = False) -> JsonObject:
    """Return the body of a finished turn, a `ChatReply` as plain values; most of what is absent is left out."""
    body: JsonObject = {
        "success": True,
        "sessionId": reply.session_id,
        "messageId": reply.message_id,
        "response": reply.response,
        "action": action_for_pages(reply.action) if for_page else reply.action,
        "state": reply.state,
        **shown_with(reply.rich_content, reply.actions),
    }
    if with_traces and reply.trace_events:
        body["traceEvents"] = reply.trace_events
    if reply.voice_config is not None:
        body["voiceConfig"] = reply.voice_config
    if reply.agent_name:
        body["agentName"] = reply.agent_name
    return body
