"""What a session needs of the store, in its own words: claim, load, append, look up a reply.

`actors.stored_sessions` says it with the tables of `storage`; tests say it with lists.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from msgspec import Struct, field

from actors.messages import DelegateTask
from domain.json_values import JsonObject
from domain.webhooks import Happening
from storage.turn_end import Activity, MessageRow, SaidTurn


class SessionMoved(Exception):
    """The session belongs to another host, or this host's lease is over: nothing was written, the grain must go.

    Attributes:
        owner: The host that owns it, where that is known.
    """

    def __init__(self, owner: str = "") -> None:
        super().__init__(owner)
        self.owner = owner


class StoreLost(Exception):
    """The store did not answer; whether the last write has taken place is not known."""


class EffectStoreLost(StoreLost):
    """The store stayed away from an effect, which has no outcome; the journal may be there all the same."""


class SessionPin(Struct, frozen=True, kw_only=True):
    """What is fixed when a session is created. Spec: platform-api 3.1, 4.1.

    Attributes:
        idle_s: How long it may be quiet before it ends; 0 means the default.
        user_kind: Of the caller that says who the user is (`Caller.kind`); not everyone is believed.
        turn_s: How long a turn may take, where the project says so; 0 leaves it to who sends the message.
        message_chars: How long a message may be, where the project says so; 0 leaves it to the body's size.
        callback_s: How long it waits for answers from outside, where the project says so; 0 means the default.
    """

    tenant_id: str
    project_id: str
    session_id: str
    runtime_session_id: str
    program_id: str
    entry_agent: str
    channel: str = "api"
    transport: str = "http"
    environment: str = ""
    deployment_id: str = ""
    user_id: str = ""
    user_kind: str = ""
    contact_id: str = ""
    created_at: str = ""
    parent_session_id: str = ""
    root_session_id: str = ""
    idle_s: float = 0.0
    turn_s: float = 0.0
    callback_s: float = 0.0
    message_chars: int = 0
    test_context: JsonObject | None = None
    variables: JsonObject = field(default_factory=dict)
    caller: JsonObject = field(default_factory=dict)


class NewPin(NamedTuple):
    """What a session is made from that is not there.

    Attributes:
        is_fresh: Nobody else can have made it.
        is_named: Its id comes back: there may have been another one, of which somebody has seen numbers of its output.
        reopens: It may follow one under the same id that was deleted.
    """

    pin: SessionPin
    is_fresh: bool = False
    is_named: bool = False
    reopens: bool = False


class Stored(Struct, frozen=True, kw_only=True):
    """A session as it was found in the store.

    Attributes:
        records: (sequence number, bytes) of what the journal holds after the snapshot.
        seq: The last sequence number of the journal, 0 when it is empty.
        is_taken_over: Its last host had not let go of it: that may have shown what is written nowhere.
    """

    pin: SessionPin
    status: str
    end_reason: str
    snapshot: bytes | None
    records: tuple[tuple[int, bytes], ...]
    seq: int
    is_taken_over: bool = False


class KnownTurn(Struct, frozen=True):
    """A turn that was ended under an idempotency key."""

    request_hash: str
    reply: bytes


class TurnCommit(Struct, frozen=True, kw_only=True):
    """What is written in the transaction that ends a turn, beside its last records.

    Attributes:
        key, request_hash: Of the request; an empty key stores no reply.
        answers: Key of the accepted message that waits no more with this end, with a reply or without; "" for none.
        beside: What is wanted back with the turn's lines of the transcript.
        announced: What webhooks may ask for.
        closes_waits: What the session waits for is cancelled.
        revived: The runtime session id under which the session begins again, active and without memory stores.
    """

    number: int = 0
    key: str = ""
    request_hash: str = ""
    answers: str = ""
    reply: bytes = b""
    snapshot: bytes = b""
    transcript: tuple[MessageRow, ...] = ()
    beside: bytes = b""
    traces: tuple[JsonObject, ...] = ()
    activity: Activity = Activity()
    announced: tuple[Happening, ...] = ()
    closes_waits: bool = False
    revived: str = ""


class CallbackTicket(Struct, frozen=True):
    """The address under which the outside answers a suspension."""

    callback_id: str
    url: str
    secret: str
    expires_at: str


class Waiting(Struct, frozen=True):
    """Under which ids the outside ends a wait, and until when."""

    callback_id: str = ""
    task_id: str = ""
    expires_at: str = ""


class WantedTask(Struct, frozen=True, kw_only=True):
    """What a person is asked to do. Spec: platform-api 3.4, 10."""

    suspension_id: str
    agent: str
    task_type: str
    priority: str
    title: str
    context: JsonObject = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    assignee: str = ""
    team: str = ""
    due_at: str = ""


class ClosedTask(Struct, frozen=True):
    """What a person has decided."""

    runtime_session_id: str
    suspension_id: str
    task_type: str
    status: str
    resolution: JsonObject


class WaitingCallback(Struct, frozen=True):
    """What a callback is for, how it stands (`pending`, `processed`, `expired`, `cancelled`), and what came in."""

    runtime_session_id: str
    suspension_id: str
    status: str
    payload: JsonObject


class SessionStore(Protocol):
    """The store as one host sees it.

    Every write carries the lease epoch under which the session woke, and raises SessionMoved where that is over.
    """

    async def wake(self, tenant_id: str, session_id: str) -> tuple[int, Stored] | None:
        """Make this host the session's owner; return the epoch to write under and what the store holds of it.

        None when there is no such session.

        Raises:
            SessionMoved: A live host owns it.
        """
        ...

    async def load(self, tenant_id: str, session_id: str) -> Stored | None:
        """Return what the store holds of a session that need not be this host's; None when there is none."""
        ...

    async def create(self, pin: SessionPin, *, reopens: bool = False) -> int:
        """Create the session's row, owned by this host, and return the epoch to write under.

        Raises:
            NotFound: It was deleted, and does not `reopen`.
        """
        ...

    async def discard(self, pin: SessionPin, epoch: int, key: str = "") -> bool:
        """Remove a session that nothing was said in; return whether it is gone.

        It stays where files of it or accepted messages wait, other than the one with this key.

        Raises:
            SessionMoved, StoreLost: As for every write.
        """
        ...

    async def append(
        self,
        pin: SessionPin,
        epoch: int,
        records: list[bytes],
        *,
        expect_seq: int,
        end: TurnCommit | None = None,
        stores: JsonObject | None = None,
    ) -> int:
        """Append records behind `expect_seq`, with what ends the turn; return the last number once it is durable.

        `stores` are the memory stores that the records set, by name; None removes one. All is written or nothing is.

        Raises:
            SessionMoved: The lease is stale or somebody else has written.
            StoreLost: The store is away; the write may or may not have taken place.
        """
        ...

    async def known_turn(self, pin: SessionPin, key: str) -> KnownTurn | None:
        """Return the turn that was ended under a key in the last 24 hours."""
        ...

    async def line(self, pin: SessionPin, message_id: str) -> MessageRow | None:
        """Return the line of the transcript with this id; None when there is none."""
        ...

    async def said_turn(self, pin: SessionPin, message_id: str) -> SaidTurn | None:
        """Return the newest turn of the transcript that has a line with this id; None when there is none."""
        ...

    async def said_turns(self, pin: SessionPin, before: int | None, limit: int) -> tuple[SaidTurn, ...]:
        """Return turns of the transcript whose last record is below `before` (None: the last ones), newest first."""
        ...

    async def trace_events(self, pin: SessionPin, fact_seq: int) -> list[JsonObject]:
        """Return the trace events of the turn whose last record has this number, as they went over the wire."""
        ...

    async def open_callback(
        self, pin: SessionPin, *, suspension_id: str, agent: str, tool: str, expires_s: float | None
    ) -> CallbackTicket:
        """Return the callback of a suspension, made when first asked for."""
        ...

    async def callback(self, callback_id: str) -> WaitingCallback | None:
        """Return a callback with what was delivered under it; None when it is known no more."""
        ...

    async def start_timer(self, pin: SessionPin, epoch: int, effect_id: str, delay_s: float) -> None:
        """Have the session told after a while, whatever happens to this host; asking again changes nothing."""
        ...

    async def start_work(self, pin: SessionPin, epoch: int, suspension_id: str, work: DelegateTask) -> None:
        """Have a child do its work and the suspension answered with what it brings, whatever happens to this host."""
        ...

    async def open_task(self, pin: SessionPin, wanted: WantedTask) -> str:
        """Return the id of the human task of a suspension, made when first asked for."""
        ...

    async def task(self, pin: SessionPin, task_id: str) -> ClosedTask | None:
        """Return a human task that is closed; None when it is open or not there."""
        ...

    async def close_waits(self, pin: SessionPin, epoch: int, suspension_id: str = "", *, expired: bool = False) -> None:
        """Close the open callback and task of one suspension, or of all of them, as cancelled or expired."""
        ...

    async def read_store(self, pin: SessionPin, name: str) -> JsonObject:
        """Return the content of one memory store of the session, empty when it was never set."""
        ...

    async def store_names(self, pin: SessionPin) -> frozenset[str]:
        """Return the names of the session's memory stores."""
        ...

    async def link_contact(self, pin: SessionPin, epoch: int, contact_id: str) -> None:
        """Say in the session's row and pin whose it is."""
        ...
