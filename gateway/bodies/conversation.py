"""What conversations are made of on the wire: messages, what is shown with them, trace events.

They describe what is answered; the values are made where they happen and go out as they are.
Spec: platform-api 4.1, 5.7, 5.9, 13.2.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from domain.json_values import JsonObject, JsonValue
from domain.messages import AttachmentCategory, Speaker
from domain.traces import TraceType
from gateway.envelope import Wire

ActionType = Literal[
    "continue", "respond", "collect", "handoff", "delegate", "escalate", "complete", "block", "retry", "suspend",
]  # fmt: skip


class TurnAction(Wire):
    """What the agent did last; which further fields are there follows from the type.

    Attributes:
        fields: collect: what is asked for.
        prompts: collect: the questions.
        target: handoff: the agent that goes on.
        return_expected: handoff: whether control comes back.
        summary: handoff: what that agent was told.
        agent: delegate: who was asked.
        use_result: delegate: whether the answer is used.
        reason: escalate, block: why.
        priority: escalate: of the human task.
        task_id: escalate, suspend: the human task that is waited for.
        message: complete: the last words.
        constraint: block: the rule.
        delay: retry: milliseconds until the next attempt.
        callback_id: suspend: the callback that is waited for.
        suspension_id: escalate, suspend: the wait, as the session knows it.
        kind: suspend: what is waited for.
        expires_at: escalate, suspend: until when.
    """

    type: ActionType
    fields: list[str] | None = None
    prompts: list[str] | None = None
    target: str | None = None
    return_expected: bool | None = None
    summary: str | None = None
    agent: str | None = None
    use_result: bool | None = None
    reason: str | None = None
    priority: str | None = None
    task_id: str | None = None
    message: str | None = None
    constraint: str | None = None
    delay: int | None = None
    callback_id: str | None = None
    suspension_id: str | None = None
    kind: str | None = None
    expires_at: str | None = None


OF_A_WAIT = frozenset({"escalate", "suspend"})
NOT_FOR_PAGES = frozenset({"reason", "priority", "taskId", "callbackId", "suspensionId"})


def action_for_pages(action: JsonObject | None) -> JsonObject | None:
    """Return an action as the page of a user is told it: why a person was asked, and which task it is, stays inside."""
    if action is None or action.get("type") not in OF_A_WAIT:
        return action
    return {name: value for name, value in action.items() if name not in NOT_FOR_PAGES}


class Written(Wire):
    """Base of what agents write: the keys are those of the language, in snake_case."""

    model_config = ConfigDict(alias_generator=None)


class RichContent(Written):
    """An answer in other formats; the content of a structured one is as the agent wrote it. Spec: abl-language 4.2."""

    markdown: str | None = None
    html: str | None = None
    adaptive_card: JsonValue = Field(default=None, description="JSON, or a text that holds it")
    slack: JsonValue = Field(default=None, description="JSON, or a text that holds it")
    ag_ui: JsonValue = Field(default=None, description="JSON, or a text that holds it")
    whatsapp: JsonValue = Field(default=None, description="JSON, or a text that holds it")
    carousel: JsonValue = Field(
        None, description="{cards: [{title, subtitle, image_url, default_action_url, buttons}]}"
    )
    quick_replies: JsonValue = Field(default=None, description="[{id, label, icon_url}]")
    list: JsonValue = Field(
        default=None, description="{title, items: [{title, subtitle, image_url, default_action_url}]}"
    )
    image: JsonValue = Field(default=None, description="{url, alt, thumbnail_url, caption}")
    video: JsonValue = Field(default=None, description="{url, alt, thumbnail_url, caption}")
    audio: JsonValue = Field(default=None, description="{url, alt, thumbnail_url, caption}")
    file: JsonValue = Field(default=None, description="{url, filename, size_bytes, mime_type}")
    kpi: JsonValue = Field(default=None, description="{label, value, unit, trend, icon_url}")
    table: JsonValue = Field(default=None, description="{columns: [{key, header, align}], rows, max_visible_rows}")
    chart: JsonValue = Field(default=None, description="{type, title, data: [{label, value, color}]}")
    form: JsonValue = Field(
        default=None, description="{title, fields: [{id, label, type, required, options}], submit_label}"
    )
    progress: JsonValue = Field(default=None, description="{label, value, max, variant}")
    feedback: JsonValue = Field(default=None, description="{prompt, type, max}")


class ActionOption(Written):
    """One choice of a select."""

    id: str
    label: str
    description: str | None = None


class ActionElement(Written):
    """A button, select or input."""

    id: str
    type: Literal["button", "select", "input"]
    label: str
    value: str | None = None
    url: str | None = None
    description: str | None = None
    options: list[ActionOption] | None = None
    input_type: str | None = Field(default=None, description="text, number, date, time or email")
    placeholder: str | None = None
    required: bool | None = None


class ActionSet(Written):
    """Interactive elements under a message."""

    elements: list[ActionElement]
    submit_label: str | None = None
    submit_id: str | None = None
    render_id: str | None = None


class VoiceConfig(Wire):
    """How an answer is spoken, where its agent says so. Spec: platform-api 4.1, abl-language 4.1.

    Attributes:
        voice: The voice of the provider.
        ssml: The answer as it is spoken, with marks.
        plain_text: The answer as it is spoken, without marks.
        instructions: In which manner it is spoken.
    """

    enabled: Literal[True]
    voice: str | None = None
    language: str | None = None
    ssml: str | None = None
    instructions: str | None = None
    plain_text: str | None = None
    provider: str | None = None
    speed: float | None = None


class MessageFile(Wire):
    """A file that came with a message."""

    id: str
    filename: str
    mime_type: str
    size_bytes: int
    category: AttachmentCategory


class MessageAction(Wire):
    """The pressed button or sent form that a message was; `answers` is the message that showed it."""

    action_id: str
    value: str | None = None
    form_data: dict[str, JsonValue] | None = None
    render_id: str | None = None
    source: str | None = None
    answers: str | None = None


class ActionAnswer(Wire):
    """How a set of actions was answered, and with which message of the user."""

    message_id: str
    timestamp: str
    action_id: str
    value: str | None = None
    form_data: dict[str, JsonValue] | None = None
    render_id: str | None = None
    source: str | None = None


class Message(Wire):
    """One line of a conversation; what there is nothing to say of is left out.

    Attributes:
        action: Of a message of the user that pressed a button or sent a form.
        client_message_id: The `messageId` under which a WebSocket sent it.
    """

    id: str
    role: Speaker
    content: str
    timestamp: str
    turn: int
    agent_name: str | None = None
    attachments: list[MessageFile] | None = None
    rich_content: RichContent | None = None
    actions: ActionSet | None = None
    action: MessageAction | None = None
    client_message_id: str | None = None
    interrupted: bool | None = None


class HistoryMessage(Message):
    """One line of the history, which says of buttons and forms what became of them. Decision: 0076.

    Attributes:
        action_state: Of a message that shows buttons or a form: `open` can be answered, `closed` was not and cannot be.
        answer: How they were answered.
    """

    action_state: Literal["open", "answered", "closed"] | None = None
    answer: ActionAnswer | None = None


class TranscriptMessage(Message):
    """One line of a transcript, and the channel of the session it was said in."""

    channel: str


class TraceItem(Wire):
    """Something that happened in a session; `seq` counts from 1 in it."""

    id: str
    session_id: str
    type: TraceType
    data: JsonObject = Field(description="what happened: free JSON, whose keys follow from the type")
    timestamp: str
    agent_name: str
    span_id: str
    parent_span_id: str | None = None
    duration_ms: int | None = None
    turn: int
    seq: int
