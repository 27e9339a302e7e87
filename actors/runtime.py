"""What the gateway may ask for: the `Runtime` protocol and the values that go in and come out.

It is all the gateway knows of actors, and raises `domain.errors` only. Spec: platform-api 3.1, 3.3, 4.1, 5, 7.1.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct, field

from actors.deliveries import CallbackDelivery, CallbackResult
from actors.health import Health
from domain.messages import Attachment, TranscriptLine

JsonObject = dict[str, Any]

StreamKind = Literal[
    "session_start",
    "response_start",
    "response_chunk",
    "response_restart",
    "trace_event",
    "response_end",
    "complete",
    "error",
    "resume_gap",
]


class Caller(Struct, frozen=True):
    """Somebody the platform knows, by whatever credential they brought.

    Attributes:
        permissions: Names of platform-api 2.2; "*" grants all.
        project_id: The only project the caller may see; empty means every project of the tenant.
        rate_key: What the caller's requests are counted under.
        projects: Of a user who sees only these projects: what the user may in each; None sees all.
        environments: Of a key that runs agents of these environments only, the first when none is asked for.
    """

    tenant_id: str
    subject: str
    permissions: frozenset[str]
    project_id: str = ""
    rate_key: str = ""
    kind: Literal["api_key", "sdk", "user"] = "api_key"
    may_see_traces: bool = True
    projects: dict[str, frozenset[str]] | None = None
    environments: tuple[str, ...] = ()

    def permissions_in(self, project_id: str) -> frozenset[str]:
        """Return what the caller may in a project; while none is known yet, what may be allowed in some project."""
        if self.projects is None:
            return self.permissions
        if project_id:
            return self.permissions | self.projects.get(project_id, frozenset())
        return self.permissions.union(*self.projects.values())


class SessionRef(Struct, frozen=True):
    """A session as a caller names it; `session_id` may also be its runtime session id, and no project means any."""

    tenant_id: str
    project_id: str
    session_id: str


class ChatTurn(Struct, frozen=True, kw_only=True):
    """One user message for one session. Spec: platform-api 4.1.

    Attributes:
        session_id: Empty opens a new session; with an idempotency key the same new session on every try.
        new_session_id: Of the session that it opens, by `Runtime.new_session_id`; empty lets the runtime make it.
        opens: What the session of `session_id` is opened as where it is not there yet; that id is its name's.
        idempotency_key: The same key of the same user with the same request gives the stored reply; else Conflict.
        request_hash: Hash of what was asked, made by the caller of the runtime; empty lets the runtime make it.
        user_kind: Kind of the caller that says who the user is: what an `sdk` caller says gives no memory.
        action: A pressed button or a sent form instead of a message: {actionId, value?, source?, formData?, renderId?}.
        client_message_id: The id that a page gave the message, by which it knows it again in the transcript.
        attachments: The files named by `attachment_ids`; the runtime finds them.
        deadline_s: Seconds after which the turn is cancelled and answered as Unavailable.
        earlier: What was said before, as the client tells it: of a session that this turn opens. Only models read it.
        unread: It was sent while another turn of the session waited or ran, whose answer nobody had read by then.
    """

    tenant_id: str
    project_id: str
    message: str
    session_id: str = ""
    new_session_id: str = ""
    opens: NewSession | None = None
    idempotency_key: str = ""
    request_hash: str = ""
    agent: str = ""
    deployment_id: str = ""
    environment: str = ""
    channel: str = "api"
    transport: str = "http"
    user_id: str = ""
    user_kind: str = ""
    contact_id: str = ""
    metadata: JsonObject = field(default_factory=dict)
    test_context: JsonObject | None = None
    attachment_ids: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    action: JsonObject | None = None
    client_message_id: str = ""
    deadline_s: float = 120.0
    earlier: tuple[TranscriptLine, ...] = ()
    unread: bool = False


class TurnReply(Struct, frozen=True, kw_only=True):
    """What a finished turn answers; field for field the body of platform-api 4.1.

    Attributes:
        first_seq, last_seq: Numbers of the first and last stream event of the turn.
        voice_config: Spelled as on the wire.
        user_message_id: Of the message that the turn answers; empty in streams.
        status: How the turn ended: `idle`, `suspended`, `completed`, `cancelled`, `failed`, `ended`, ...
        outcome: Of a delegated child, for its parent: `{values, error}`; never shown to callers.
        open_actions: Id of the message whose set of actions can be answered now; empty when none can.
        repeated: True when this is the stored reply of an earlier request with the same idempotency key.
    """

    session_id: str
    message_id: str
    turn: int
    response: str
    action: JsonObject
    agent_name: str = ""
    state: JsonObject = field(default_factory=dict)
    trace_events: tuple[JsonObject, ...] = ()
    voice_config: JsonObject | None = None
    rich_content: JsonObject | None = None
    actions: JsonObject | None = None
    first_seq: int = 0
    last_seq: int = 0
    user_message_id: str = ""
    status: str = "idle"
    outcome: JsonObject = field(default_factory=dict)
    open_actions: str = ""
    repeated: bool = False


class StreamEvent(Struct, frozen=True, kw_only=True):
    """One numbered piece of a session's output; numbers rise and never start again within a session.

    They rise by one, but for the jump of a host that takes the session over; what is gone is told by `resume_gap`.
    `data` by kind (platform-api 4.1): session_start {sessionId}; response_start {messageId, attempt, answers?};
    response_chunk {messageId, chunk}; response_restart {messageId, attempt} (what was shown of the last attempt is
    void); trace_event {event}; response_end {messageId, fullText, action, openActions, voiceConfig?, richContent?,
    actions?, interrupted?}; complete: the JSON body of the plain reply without `success`; error {error, code?, ...};
    resume_gap {fromSeq, toSeq}: output that can be had no more, of no turn. `complete` and `error` end a turn.
    `repeated`: it is told again, for a request under the key of an earlier one.
    """

    seq: int
    turn: int
    kind: StreamKind
    data: JsonObject
    repeated: bool = False


class NewSession(Struct, frozen=True, kw_only=True):
    """A session to open without a first message. Spec: platform-api 5.1.

    Attributes:
        user_kind: Kind of the caller that says who the user is: what an `sdk` caller says gives no memory.
        caller: What is said of who calls, beside channel and user: read at `caller.`. Spec: abl-language 6.7.
        idempotency_key, key_owner: A client's key, good for a day, and whose it is (`domain.request_keys`).
        name: Finds the session again for as long as it is there; never a client's word alone.
        is_once: There is one session of this name; when it has been deleted there is no other one.
    """

    tenant_id: str
    project_id: str
    agent: str
    environment: str = "working-copy"
    deployment_id: str = ""
    channel: str = "web_debug"
    transport: str = "http"
    user_id: str = ""
    user_kind: str = ""
    contact_id: str = ""
    variables: JsonObject = field(default_factory=dict)
    caller: JsonObject = field(default_factory=dict)
    test_context: JsonObject | None = None
    idempotency_key: str = ""
    key_owner: str = ""
    name: str = ""
    is_once: bool = False


class SessionView(Struct, frozen=True, kw_only=True):
    """A session as the list and the detail routes show it. Spec: platform-api 5.2, 5.3.

    Attributes:
        execution_state: idle, processing, suspended or ended.
        detail: The further fields of 5.3 as on the wire, and `lastSeq`, that of the last stream event; empty in lists.
        held_after: The number after which its host holds all that was said; None where that is not known.
    """

    id: str
    runtime_session_id: str
    project_id: str
    agent_name: str
    entry_agent_name: str
    status: Literal["active", "ended"]
    execution_state: str
    channel: str
    transport: str
    environment: str = ""
    deployment_id: str = ""
    created_at: str = ""
    last_activity_at: str = ""
    ended_at: str = ""
    end_reason: str = ""
    message_count: int = 0
    trace_event_count: int = 0
    token_count: int = 0
    estimated_cost: float | None = 0.0
    error_count: int = 0
    duration_ms: int = 0
    handoff_count: int = 0
    source: str = "live"
    detail: JsonObject = field(default_factory=dict)
    held_after: int | None = None


class SessionFilter(Struct, frozen=True, kw_only=True):
    """Which sessions a list shows; times are ISO 8601, empty means no bound."""

    status: str = ""
    channel: str = ""
    agent_name: str = ""
    environment: str = ""
    q: str = ""
    since: str = ""
    until: str = ""
    sort_by: str = "lastActivityAt"
    descending: bool = True
    limit: int = 50
    offset: int = 0


class TraceFilter(Struct, frozen=True, kw_only=True):
    """Which trace events a list shows. Spec: platform-api 5.7."""

    event_types: tuple[str, ...] = ()
    decision_kind: str = ""
    span_id: str = ""
    limit: int = 200
    offset: int = 0
    descending: bool = False


class Page(Struct, frozen=True, kw_only=True):
    """Some rows of a list and how many there are in all; the rows are spelled as on the wire."""

    rows: tuple[JsonObject, ...]
    total: int


class SessionPage(Struct, frozen=True, kw_only=True):
    """Some sessions of a list, how many there are (or at least are), and since when were searched; "" means all."""

    rows: tuple[SessionView, ...]
    total: int
    total_is_exact: bool = True
    searched_from: str = ""


class Runtime(Protocol):
    """Everything the gateway can do."""

    async def authenticate(self, api_key: str) -> Caller | None:
        """Return who brings this API key (as sent, in clear); None when nobody does."""
        ...

    async def chat(self, turn: ChatTurn) -> TurnReply:
        """Run one turn to its end and return its committed reply; raises what the table of platform-api 4.1 says."""
        ...

    def new_session_id(self, turn: ChatTurn) -> str:
        """Return an id for the session that a turn opens; under an idempotency key the same one on every try."""
        ...

    def stream(self, turn: ChatTurn) -> AsyncIterator[StreamEvent]:
        """Run one turn and yield its output as it comes, ended by `complete` or `error`.

        Errors met before the first event are raised; later ones are the `error` event. Leaving the iterator does not
        stop the turn.
        """
        ...

    async def accept(self, turn: ChatTurn, *, interrupts: bool = False) -> AsyncIterator[StreamEvent]:
        """Take a keyed turn, durably: it is run, whatever dies. Return its output, whose first reading begins it.

        Where it `interrupts`, the turn that runs is given up before it is taken, as by `cancel_turn`; but not for one
        that was taken or answered before.
        """
        ...

    def resume(self, session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        """Yield the session's output with numbers above `after`, to the end of the turn that is running or was last."""
        ...

    def follow(self, session: SessionRef, after: int) -> AsyncIterator[StreamEvent]:
        """Yield the session's output with numbers above `after`, turn after turn, until the reader leaves.

        Raises Conflict (SESSION_ENDED) when the session is over and everything has been told.
        Numbers that are missing between `after` and the first event are held no more: older than the last turn.
        """
        ...

    async def cancel_turn(self, session: SessionRef, message_id: str = "") -> bool:
        """Give the running turn up; what it has said so far, with status `cancelled`, is committed.

        Only the turn with this reply or owned key (`domain.request_keys`), if one is named; False when it does not run.
        """
        ...

    async def take_back(self, turn: ChatTurn) -> bool:
        """Give up a turn that was accepted: one that waits never runs, the one that runs is cancelled.

        Of the turn only its session, its owner and its idempotency key are looked at. One that waits is refused for
        good (`TURN_CANCELLED`), and that is durable. False when it neither waits nor runs.
        """
        ...

    async def create_session(self, wanted: NewSession) -> SessionView:
        """Open a session that has not spoken yet."""
        ...

    def named_session_id(self, wanted: NewSession) -> str:
        """Return the id of the session of this name, whether it is there or not."""
        ...

    async def discard_session(self, session: SessionRef) -> bool:
        """Remove a session to which nothing was said, or nothing that was not refused; return whether it is gone.

        One that somebody follows, whose files or messages wait, or that is over stays. Decision: 0060.
        """
        ...

    async def is_open(self, wanted: NewSession) -> bool:
        """Return whether the session of this name or idempotency key is there already, whatever its status."""
        ...

    async def session(self, session: SessionRef, *, messages: int = 0, at_once: bool = False) -> SessionView:
        """Return a session with its detail and up to `messages` last messages, `at_once` also in mid-turn. NotFound."""
        ...

    async def sessions(self, tenant_id: str, project_id: str, wanted: SessionFilter) -> SessionPage:
        """Return sessions of a project."""
        ...

    async def end_session(self, session: SessionRef, reason: str = "api") -> SessionView:
        """End a session; doing so again changes nothing."""
        ...

    async def reset_session(self, session: SessionRef, key: str = "") -> SessionView:
        """Put a session back to its start, under a new runtime session id, once per owned key; revives an ended one."""
        ...

    async def link_contact(self, session: SessionRef, contact_id: str) -> None:
        """Say whose session it is, in order with its turns: its agents know from the next one on. Raises NotFound."""
        ...

    async def delete_session(self, session: SessionRef) -> None:
        """End a session and remove what it left. Raises NotFound on the second call."""
        ...

    async def traces(self, session: SessionRef, wanted: TraceFilter) -> Page:
        """Return trace events of a session in the order in which they happened."""
        ...

    async def transcript(self, session: SessionRef, *, limit: int = 50, offset: int = 0) -> Page:
        """Return messages of a session, oldest first: {id, role, content, agentName?, timestamp, turn, ...}."""
        ...

    async def use_memory(self, session: SessionRef, action: str, store: str, content: JsonObject | None) -> Any:
        """Carry out `get`, `set` or `delete` on a memory store of a session, in order with its turn; return the data.

        Raises:
            NotFound: There is no such session, or it has ended.
            InvalidInput, TooLarge, Conflict: As platform-api 7.3 says.
        """
        ...

    async def deliver_callback(self, delivery: CallbackDelivery) -> CallbackResult:
        """Hand an outside answer to the session that waits for it, at most once; it has taken effect durably."""
        ...

    async def callbacks(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        """Return callbacks without their secrets."""
        ...

    async def task_closed(self, tenant_id: str, session_id: str, task_id: str) -> None:
        """Have the session of a human task that was closed go on at once; its job would do so in a moment."""
        ...

    async def health(self) -> Health:
        """Return how the runtime is."""
        ...

    async def metrics(self) -> Sequence[tuple[str, dict[str, str], float]]:
        """Return counters and gauges as (name, labels, value)."""
        ...

    async def drain(self) -> None:
        """Take no new turns, let the running ones finish within their bound, write what is open, release the leases."""
        ...
