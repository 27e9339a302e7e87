"""Everything that can have happened to a session. Facts are what the journal holds; the state is their fold.

`at` is the moment as ISO 8601 UTC with milliseconds; `effect_id` names the effect a fact answers.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field

from domain.json_values import JsonObject, JsonValue
from domain.messages import ActionEvent, Attachment, TranscriptLine
from domain.model_calls import ModelReply
from domain.tool_calls import ToolResult


class ToolMock(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A scripted answer of one tool; `match` compares parameters by equality. Spec: platform-api 4.1."""

    tool_name: str
    response: JsonValue = None
    error: JsonObject | None = None
    delay_ms: int = 0
    times: int | None = None
    match: JsonObject = field(default_factory=dict)


class TestContext(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """How a test wants a session to begin. Spec: platform-api 4.1."""

    __test__ = False

    gather_values: JsonObject = field(default_factory=dict)
    session_variables: JsonObject = field(default_factory=dict)
    caller_context: JsonObject = field(default_factory=dict)
    tool_mocks: tuple[ToolMock, ...] = ()
    skip_on_start: bool = False
    start_at_step: str = ""


class Fact(Struct, frozen=True, omit_defaults=True, tag=True, kw_only=True):
    """What all facts have."""

    at: str


class SessionBegun(Fact, frozen=True, kw_only=True):
    """A session exists now; the agent starts (ON_START, entry step) before a message of the user is looked at.

    Attributes:
        agent: The entry agent; empty means the program's own.
        task: Not empty for a delegated child: what it is for; `input` are then its session values.
        has_model: Whether model calls can be made at all; without, extraction and validation stay local.
        has_classifier: Whether texts can be compared by meaning, for intents.
        environment: Values of `env.`; never secrets.
        trace_prompts: Trace events of model calls hold the whole prompt; else its size and the hash of its system part.
        reply_id: Of the message in which the opening is said.
        metadata: Of the message with which the session begins; seen in its opening, and gone after it.
        with_message: The message follows at once: the entry step of a flow waits for it and its guardrails, so that a
            flow that asks nothing runs once, on it.
        may_wait: No message follows, and a step that reads what the user says waits for one. Journals from before
            engine 12 do not have it.
        runs_once: No message follows, and what the opening has changed outside is not changed again for the first
            message. Journals from before engine 15 do not have it. Decision: 0092.
        earlier: What was said before, as a client tells it: only models read it. Journals from before engine 13 do not
            have it. Decision: 0085.
    """

    session_id: str
    project_id: str = ""
    tenant_id: str = ""
    user_id: str = ""
    customer_id: str = ""
    agent: str = ""
    channel: str = "api"
    language: str = ""
    locale: str = ""
    caller: JsonObject = field(default_factory=dict)
    environment: JsonObject = field(default_factory=dict)
    has_model: bool = True
    has_classifier: bool = False
    trace_prompts: bool = False
    task: str = ""
    input: JsonObject = field(default_factory=dict)
    test_context: TestContext | None = None
    reply_id: str = ""
    metadata: JsonObject = field(default_factory=dict)
    with_message: bool = False
    may_wait: bool = False
    runs_once: bool = False
    earlier: tuple[TranscriptLine, ...] = ()


class UserSpoke(Fact, frozen=True, kw_only=True):
    """A message of the user, or a pressed button; begins a turn.

    Attributes:
        message_id: Of this message; `reply_id` of the message that will answer it.
        agent: Overrides the agent of a session that has had no turn of its user yet; without effect afterwards.
        opening_unseen: The session began with this message, so nobody has read the opening yet: a text that does not
            answer its question is no wrong answer.
        unread: It was sent before the last answer was there: a yes in it is to nothing that anybody has read.
    """

    text: str = ""
    message_id: str = ""
    reply_id: str = ""
    metadata: JsonObject = field(default_factory=dict)
    action: ActionEvent | None = None
    attachments: tuple[Attachment, ...] = ()
    agent: str = ""
    opening_unseen: bool = False
    unread: bool = False


class ModelAnswered(Fact, frozen=True, kw_only=True):
    """Answers AskModel."""

    effect_id: str
    reply: ModelReply


class ModelFailed(Fact, frozen=True, kw_only=True):
    """Answers AskModel; `kind` is one of `domain.model_calls.MODEL_ERROR_KINDS` or `UNANSWERABLE`.

    Attributes:
        model, provider: Which one was asked; both empty when none was, and there was no call.
        is_final: The same question would be refused again, whatever ON_ERROR says.
    """

    effect_id: str
    kind: str
    message: str = ""
    latency_ms: int = 0
    model: str = ""
    provider: str = ""
    is_final: bool = False


class Classified(Fact, frozen=True, kw_only=True):
    """Answers Classify: label -> how near the text is to it, comparable within one answer only; empty when unknown."""

    effect_id: str
    scores: dict[str, float] = field(default_factory=dict)


class ToolReturned(Fact, frozen=True, kw_only=True):
    """Answers CallTool."""

    effect_id: str
    result: ToolResult


class OutcomeUnknown(Fact, frozen=True, kw_only=True):
    """Answers any effect whose outcome was lost in a crash and which may not be repeated."""

    effect_id: str
    message: str = "The outcome is unknown"


class MemoryRead(Fact, frozen=True, kw_only=True):
    """Answers ReadMemory: path -> value; paths without a value are absent."""

    effect_id: str
    values: JsonObject = field(default_factory=dict)
    error: str = ""


class MemoryWritten(Fact, frozen=True, kw_only=True):
    """Answers WriteMemory."""

    effect_id: str
    error: str = ""


class ChildReplied(Fact, frozen=True, kw_only=True):
    """Answers Delegate, and HandOff to a remote agent.

    Attributes:
        values: Variables of the child.
        error: Empty when the child did its work; else `needs_input`, `timeout`, `lost` (it was begun, and has ended
            without an answer), `outcome_unknown` (it says so itself), `delegation_error`, ...
        changes: What the child has changed outside: empty for nothing, `made`, or `unknown`.
        conversation: Of an agent elsewhere: what the next message to it has to name.
    """

    effect_id: str
    values: JsonObject = field(default_factory=dict)
    text: str = ""
    error: str = ""
    error_message: str = ""
    duration_ms: int = 0
    conversation: JsonObject = field(default_factory=dict)
    changes: str = ""


class CallbackArrived(Fact, frozen=True, kw_only=True):
    """The other side of a suspension delivered its payload; `suspension_id` is the id of the Suspend effect."""

    suspension_id: str
    payload: JsonValue = None


class SuspensionExpired(Fact, frozen=True, kw_only=True):
    """Nobody delivered in time."""

    suspension_id: str


class HumanResolved(Fact, frozen=True, kw_only=True):
    """A person finished the task of a suspension; `fields` become state."""

    suspension_id: str
    fields: JsonObject = field(default_factory=dict)
    approved: bool | None = None


class TimerFired(Fact, frozen=True, kw_only=True):
    """Answers StartTimer."""

    effect_id: str


class ContactLinked(Fact, frozen=True, kw_only=True):
    """Somebody has said between two turns whose session it is; begins no turn."""

    contact_id: str


class TurnCancelled(Fact, frozen=True, kw_only=True):
    """The running turn is given up: by its deadline, by the user, by a reset."""

    reason: str = "cancelled"


AnyFact: TypeAlias = (
    SessionBegun
    | UserSpoke
    | ModelAnswered
    | ModelFailed
    | Classified
    | ToolReturned
    | OutcomeUnknown
    | MemoryRead
    | MemoryWritten
    | ChildReplied
    | CallbackArrived
    | SuspensionExpired
    | HumanResolved
    | TimerFired
    | TurnCancelled
    | ContactLinked
)
