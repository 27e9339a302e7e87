"""Everything a session can want of the world. Whoever performs an effect answers with the fact named in its docstring.

`id` is `<turn>.<n>`, counted within the turn and therefore the same in every replay; `request_hash` is the canonical
hash of what is asked, compared on replay. Say and Trace have none: they ask nothing, and their content is compared.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct, field

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import ModelRequest
from domain.traces import TraceEvent
from engine.limits import REMOTE_TIMEOUT_MS

HASH_CHARS = 32


class Effect(Struct, frozen=True, omit_defaults=True, tag=True, kw_only=True):
    """What all effects have."""

    id: str
    request_hash: str = ""


class AskModel(Effect, frozen=True, kw_only=True):
    """Call a model. Answered by ModelAnswered or ModelFailed.

    Attributes:
        operation: `reasoning`, `response_gen`, `extraction`, `validation`, `coordination`, `judge`.
        agent: Who asks.
        stream: The text may be shown while it comes, through a `engine.streaming.Gate`; false where only the whole
            text can be checked, or a program reads it.
        fallback_model: Asked when the first one fails.
    """

    request: ModelRequest
    operation: str
    agent: str
    stream: bool = False
    fallback_model: str = ""
    timeout_ms: int = 30_000


class Classify(Effect, frozen=True, kw_only=True):
    """Ask which label a text is nearest to in meaning. Answered by Classified.

    `labels` is label -> texts that stand for it.
    """

    agent: str
    text: str
    labels: dict[str, list[str]]


class CallTool(Effect, frozen=True, kw_only=True):
    """Run a tool. Answered by ToolReturned or OutcomeUnknown.

    Attributes:
        call_id: The id the model gave, or that of the step.
        kind: One of `domain.tool_calls.TOOL_KINDS`; says which binding it is.
        binding: The binding of the IR, secrets unresolved; of a mock its answer.
        safe: Running it twice does no harm: a call without outcome is repeated.
        idempotency_key: The same for all attempts of one call; unique in the session.
        variables: Values the texts of the binding mention besides the arguments.
        suspension_id: Of an async_webhook: the Suspend effect its callback address belongs to.
    """

    call_id: str
    tool: str
    arguments: JsonObject
    kind: str
    agent: str
    binding: JsonObject = field(default_factory=dict)
    safe: bool = False
    idempotency_key: str = ""
    timeout_ms: int = 30_000
    variables: JsonObject = field(default_factory=dict)
    suspension_id: str = ""
    auth_profile: str = ""


class ReadMemory(Effect, frozen=True, kw_only=True):
    """Read persistent paths. Answered by MemoryRead. `scopes` is path -> user, project or execution_tree."""

    agent: str
    scopes: dict[str, str]


class MemoryWrite(Struct, frozen=True, omit_defaults=True):
    """One value to keep; `ttl` is a text such as `30d`, `value` None forgets the path."""

    path: str
    scope: str = "user"
    value: JsonValue = None
    ttl: str = ""


class WriteMemory(Effect, frozen=True, kw_only=True):
    """Keep values. Answered by MemoryWritten; the turn ends only after that."""

    agent: str
    writes: tuple[MemoryWrite, ...]


class Delegate(Effect, frozen=True, kw_only=True):
    """Let another agent do a sub-task. Answered by ChildReplied; asking twice finds the same child.

    `remote` is `{endpoint, protocol}` of an agent elsewhere; `group` is common to one fan-out. Answered by
    OutcomeUnknown when nobody can tell whether an agent elsewhere has done the work.
    """

    agent: str
    target: str
    task: str = ""
    input: JsonObject = field(default_factory=dict)
    timeout_ms: int = 30_000
    remote: JsonObject = field(default_factory=dict)
    group: str = ""
    depth: int = 1


class HandOff(Effect, frozen=True, kw_only=True):
    """Control moves: the message from one agent of the session to another.

    A target in this program has it at once: its thread goes on in the step that sends it. One elsewhere (`remote` is
    its `{endpoint, protocol}`) is asked, and so is each later message of the user; answered by ChildReplied (error
    `needs_input`: it keeps control) or OutcomeUnknown. With `suspension_id` the target works while the session waits:
    what it brings is delivered as CallbackArrived of that suspension, with the payload `{values, text}`; nothing
    answers the effect itself.

    Attributes:
        history: Of one elsewhere: `{role, content}` of the lines it may see.
        conversation: Of one elsewhere: what it is known by on the other side, as its last answer said.
    """

    agent: str
    target: str
    context: JsonObject = field(default_factory=dict)
    summary: str = ""
    returns: bool = False
    grants: JsonObject = field(default_factory=dict)
    text: str = ""
    remote: JsonObject = field(default_factory=dict)
    suspension_id: str = ""
    history: list[JsonObject] = field(default_factory=list)
    conversation: JsonObject = field(default_factory=dict)
    timeout_ms: int = REMOTE_TIMEOUT_MS


class Suspend(Effect, frozen=True, kw_only=True):
    """The session waits for someone outside; answered any time by CallbackArrived, HumanResolved or SuspensionExpired.

    Attributes:
        kind: `tool`, `human`, `approval`, `handoff`, `auth` (the user signs in to the credential profile `subject`;
            the callback's payload is `{authorized: bool}`).
        expires_s: Seconds until SuspensionExpired; None means the project's default.
    """

    agent: str
    kind: Literal["tool", "human", "approval", "handoff", "auth"]
    subject: str = ""
    expires_s: float | None = None


class OpenTask(Effect, frozen=True, kw_only=True):
    """Ask a person. The answer comes as HumanResolved of `suspension_id`."""

    agent: str
    suspension_id: str
    task_type: str
    priority: str
    reason: str
    context: JsonObject = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    routing: JsonObject = field(default_factory=dict)
    assignee: str = ""
    connector_action: str = ""


class StartTimer(Effect, frozen=True, kw_only=True):
    """Wait. Answered by TimerFired. A timer that `outlives_turn` fires between turns."""

    agent: str
    delay_ms: int
    reason: str
    outlives_turn: bool = False


class Say(Effect, frozen=True, kw_only=True):
    """Show a text now; all texts of a turn joined by a blank line are its reply."""

    agent: str
    text: str
    rich_content: JsonObject = field(default_factory=dict)
    actions: JsonObject = field(default_factory=dict)
    voice: JsonObject = field(default_factory=dict)


class Trace(Effect, frozen=True, kw_only=True):
    """Record what happened."""

    event: TraceEvent


class EndTurn(Effect, frozen=True, kw_only=True):
    """The turn is over; the last effect of its step. Spec: platform-api 4.1.

    Attributes:
        action: `{type: respond | collect | handoff | ... | suspend, ...}`, the last in time.
        state: Session values changed by this turn.
        values: For a delegated child: all variables of its agent, for RETURNS.
        status: `idle`, `suspended`, `completed`, `needs_input`, `failed`, `cancelled`, `ended`.
        changes: What the turn has changed outside: empty for nothing, `made`, or `unknown` when nobody can tell.
    """

    reply: str
    action: JsonObject
    agent: str
    status: str = "idle"
    message_id: str = ""
    rich_content: JsonObject = field(default_factory=dict)
    actions: JsonObject = field(default_factory=dict)
    voice: JsonObject = field(default_factory=dict)
    state: JsonObject = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    values: JsonObject = field(default_factory=dict)
    error: str = ""
    changes: str = ""


AnyEffect: TypeAlias = (
    AskModel
    | Classify
    | CallTool
    | ReadMemory
    | WriteMemory
    | Delegate
    | HandOff
    | Suspend
    | OpenTask
    | StartTimer
    | Say
    | Trace
    | EndTurn
)

_ENCODER = msgspec.json.Encoder(order="deterministic")


def request_hash(asked: object) -> str:
    """Return the canonical hash of what an effect asks: the first 32 hexadecimal digits of SHA-256."""
    return sha256(_ENCODER.encode(asked)).hexdigest()[:HASH_CHARS]


def expects_outcome(effect: Effect) -> bool:
    """Return whether the turn goes on only when a fact answers `effect`."""
    match effect:
        case AskModel() | Classify() | CallTool() | ReadMemory() | WriteMemory() | Delegate():
            return True
        case StartTimer():
            return not effect.outlives_turn
        case HandOff():
            return bool(effect.remote) and not effect.suspension_id
        case _:
            return False
