"""A session as plain data: the fold of its facts and nothing else.

Containers of the state are copied by `fork` before a step; JSON values in them are never changed in place, so a state
that was handed out stays as it was.
"""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from domain.json_values import JsonObject, JsonValue
from domain.messages import ActionEvent, Attachment, TranscriptLine
from domain.model_calls import Message
from engine.facts import SessionBegun, ToolMock

STATE_SCHEMA = 2
"""2 added what later versions of the engine remember; states of schema 1 are read as they are."""
MAX_TRANSCRIPT_LINES = 60
"""Lines of the conversation a state keeps for handoffs; the whole transcript is stored elsewhere."""


class Task(Struct, frozen=True, omit_defaults=True, array_like=True):
    """One piece of work that is still to do: the name of an operation, whose thread, and what it needs to know."""

    op: str
    thread: str = ""
    data: JsonObject = field(default_factory=dict)


class Pending(Struct, frozen=True, omit_defaults=True, array_like=True):
    """An effect that is out. The turn waits for a `blocking` one at once, for others before it ends."""

    kind: str
    request_hash: str
    blocking: bool = True
    subject: str = ""
    notes: JsonObject = field(default_factory=dict)
    """What the trace of the outcome tells about the question."""


class Outcome(Struct, frozen=True, omit_defaults=True):
    """What came back for an effect, until the operation that asked takes it."""

    ok: bool
    value: JsonValue = None
    kind: str = ""
    message: str = ""
    code: str = ""
    duration_ms: int = 0
    extra: JsonObject = field(default_factory=dict)


class Suspension(Struct, frozen=True, omit_defaults=True):
    """Someone outside is waited for; `tasks` is the work that goes on when the answer is there."""

    kind: str
    thread: str
    subject: str = ""
    tasks: tuple[Task, ...] = ()
    expires_s: float | None = None


class Thread(Struct, omit_defaults=True):
    """One agent's part of the session.

    Attributes:
        agent: Its name; a thread is addressed by it.
        parent: The agent that waits for it, empty when none does; `rule` is the parent's HANDOFF entry.
        status: `new`, `active`, `waiting` (for a child) or `completed`.
        gathered: Fields that have a value -> how it came: `user`, `default`, `model`, `passed`, `test`, `unconfirmed`.
        step: Position in the flow.
        awaiting: What the user is asked for: `gather`, `input`, `attachment`, `zone`, `confirm`, `infer`, or nothing.
        asked: The fields the last question was about.
        messages: What the model sees of earlier turns.
        recalled: Texts that recall rules added to the prompt.
        profiles: Names of the behaviour profiles that hold this turn, the strongest last.
        held: The indices of remember rules whose condition held when last looked at.
        confirmation: The call or consent the user has been asked about.
        heard: The last turn whose user text the model's messages hold.
        used: Transient fields that a tool has been given.
        remote: Of an agent elsewhere: its `name`, `endpoint` and `protocol`, `by` whom control was handed over, and
            the `conversation` on the other side.
        lookups: Table that an interface gives -> its values.
        wish: The message that led to this agent, for a parent that routes it again.
    """

    agent: str
    parent: str = ""
    rule: int = -1
    status: str = "new"
    variables: JsonObject = field(default_factory=dict)
    gathered: dict[str, str] = field(default_factory=dict)
    tool_results: JsonObject = field(default_factory=dict)
    last_result: JsonValue = None
    step: str = ""
    awaiting: str = ""
    asked: list[str] = field(default_factory=list)
    attempts: dict[str, int] = field(default_factory=dict)
    retries: dict[str, int] = field(default_factory=dict)
    backtracks: dict[str, int] = field(default_factory=dict)
    trail: list[str] = field(default_factory=list)
    zone_turns: int = 0
    misses: int = 0
    messages: list[Message] = field(default_factory=list)
    view: list[TranscriptLine] = field(default_factory=list)
    summary: str = ""
    grants: dict[str, str] = field(default_factory=dict)
    recalled: list[str] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    profiles: list[str] = field(default_factory=list)
    fired: list[str] = field(default_factory=list)
    confirmation: JsonObject = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    heard: int = -1
    used: list[str] = field(default_factory=list)
    remote: JsonObject = field(default_factory=dict)
    lookups: dict[str, list[str]] = field(default_factory=dict)
    wish: str = ""


class Turn(Struct, omit_defaults=True):
    """What is true only for the turn that runs.

    Attributes:
        text: What the user said, after input guardrails.
        is_consumed: The text has been used up by ON_INPUT or by a gather.
        is_branched: It was ON_INPUT; values whose form speaks for itself may still be read from it.
        says: Texts shown so far.
        changed: Session values set in this turn.
        failures: Errors of this turn by step or tool, for the limits of ON_ERROR.
        model_calls, tool_calls: How many were asked for.
        held: Texts that wait for a model's verdict before they are shown, in order.
        correction: What the user corrected: `{field, old, new}`.
        hints: What a classifier found: `tools`, `note`.
        changes: What it has changed outside: nothing, `made`, or `unknown`; see `engine.changing`.
        is_agreed: A call of a step has been made: a yes of this turn is used up.
        opening: The agent whose flow begins with this message in hand; no value is read from the message until the flow
            has come to its first question.
        said_before: How many texts had been said when its first step was entered.
        is_unread: The message was sent before the last answer was there.
    """

    number: int = 0
    text: str = ""
    message_id: str = ""
    reply_id: str = ""
    metadata: JsonObject = field(default_factory=dict)
    action: ActionEvent | None = None
    attachments: list[Attachment] = field(default_factory=list)
    is_consumed: bool = False
    is_branched: bool = False
    is_resumed: bool = False
    opening_unseen: bool = False
    is_unread: bool = False
    says: list[str] = field(default_factory=list)
    rich_content: JsonObject = field(default_factory=dict)
    actions: JsonObject = field(default_factory=dict)
    voice: JsonObject = field(default_factory=dict)
    last_action: JsonObject = field(default_factory=dict)
    changed: JsonObject = field(default_factory=dict)
    handoffs: int = 0
    flow_iterations: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    status: str = "idle"
    error: str = ""
    agent: str = ""
    held: list[JsonObject] = field(default_factory=list)
    correction: JsonObject = field(default_factory=dict)
    hints: JsonObject = field(default_factory=dict)
    changes: str = ""
    is_agreed: bool = False
    opening: str = ""
    said_before: int = 0


class SessionState(Struct, omit_defaults=True):
    """All there is to know of a session between two facts.

    Attributes:
        begun: How it began.
        threads: Agent -> its thread.
        active: The agent that has control.
        tasks: Work of the running turn, the next one last.
        pending: Effects that are out, by id.
        outcomes: What came back and has not been taken yet.
        suspensions: By the id of their Suspend effect.
        memory: Persistent values by root: `{"user": {...}, "project": {...}}`.
        count: Effects of this turn so far.
        consents: What the user has agreed to or refused: tool or scope -> `granted` or `declined`.
        tokens: Stand-in -> the sensitive value it hides from models, and how that is shown.
        sentiments: The labels of the last turns.
        offered: The last text of the turn before was an offer.
        unread: Agents that have not read the memory of the contact whose session it has become.
        spoken: Tag of the language the user was last clearly heard to speak.
        opened: What the opening said, while its flow is through, has changed something outside, and no message has come
            to it yet; None at all other times.
    """

    begun: SessionBegun
    schema: int = STATE_SCHEMA
    at: str = ""
    active: str = ""
    threads: dict[str, Thread] = field(default_factory=dict)
    turn: Turn = field(default_factory=Turn)
    tasks: list[Task] = field(default_factory=list)
    pending: dict[str, Pending] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    suspensions: dict[str, Suspension] = field(default_factory=dict)
    memory: dict[str, JsonObject] = field(default_factory=dict)
    transcript: list[TranscriptLine] = field(default_factory=list)
    intent: JsonObject = field(default_factory=dict)
    sentiment: JsonObject = field(default_factory=dict)
    queued: list[JsonObject] = field(default_factory=list)
    mocks: list[ToolMock] = field(default_factory=list)
    last_input: str = ""
    user_turns: int = 0
    turn_number: int = 0
    count: int = 0
    trace_count: int = 0
    id_count: int = 0
    tool_failures: int = 0
    constraint_failures: int = 0
    is_ended: bool = False
    consents: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, list[str]] = field(default_factory=dict)
    sentiments: list[str] = field(default_factory=list)
    offered: bool = False
    unread: list[str] = field(default_factory=list)
    spoken: str = ""
    opened: tuple[str, ...] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a turn is under way."""
        return bool(self.tasks)

    @property
    def is_suspended(self) -> bool:
        """Whether someone outside is waited for."""
        return bool(self.suspensions)


S = TypeVar("S", bound=Struct)


def fork(state: SessionState) -> SessionState:
    """Return a copy whose containers may be changed without touching `state`."""
    made = _forked(state, _STATE_CONTAINERS)
    made.turn = _forked(state.turn, _TURN_CONTAINERS)
    made.threads = {name: _forked(thread, _THREAD_CONTAINERS) for name, thread in state.threads.items()}
    return made


def _containers(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of the fields that hold a list or a dict."""
    made = {one.name: one.default_factory for one in msgspec.structs.fields(kind)}
    return tuple(name for name, factory in made.items() if factory in (list, dict) and name != "threads")


def _forked(one: S, containers: tuple[str, ...]) -> S:
    made = copy(one)
    for name in containers:
        setattr(made, name, getattr(one, name).copy())
    return made


_STATE_CONTAINERS = _containers(SessionState)
_TURN_CONTAINERS = _containers(Turn)
_THREAD_CONTAINERS = _containers(Thread)

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(SessionState)


def encode_state(state: SessionState) -> bytes:
    """Return the bytes of a state; the same facts give the same bytes."""
    return _ENCODER.encode(state)


def decode_state(encoded: bytes) -> SessionState:
    """Return the state that `encode_state` wrote.

    Raises:
        msgspec.ValidationError: The bytes are no state, or that of a newer schema.
    """
    state = _DECODER.decode(encoded)
    if state.schema > STATE_SCHEMA:
        raise msgspec.ValidationError(
            f"A session state has schema {state.schema}; this engine reads schemas up to {STATE_SCHEMA}"
        )
    state.schema = STATE_SCHEMA
    return state


def with_path(root: JsonObject, path: list[str], value: Any) -> JsonObject:
    """Return `root` with `value` at `path`; maps on the way are copied, never changed."""
    made = dict(root)
    if len(path) == 1:
        made[path[0]] = value
        return made
    below = made.get(path[0])
    made[path[0]] = with_path(below if isinstance(below, dict) else {}, path[1:], value)
    return made


def without_path(root: JsonObject, path: list[str]) -> JsonObject:
    """Return `root` without what stands at `path`."""
    if path[0] not in root:
        return root
    made = dict(root)
    if len(path) == 1:
        del made[path[0]]
    elif isinstance(made[path[0]], dict):
        made[path[0]] = without_path(made[path[0]], path[1:])
    return made
