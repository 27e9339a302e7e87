"""Every message that crosses an actor or link boundary, and how it is written as bytes.

The gateway's runtime, the hosts, the grains and the agents of sessions speak only in these. They are frozen, and
`VERSION` stands in the frame that carries them (`actors.link.frames`), not in each of them.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from actors.runtime import ChatTurn, NewSession, SessionView, StreamEvent, TurnReply

VERSION = 1
"""Raised when a message changes in a way that an older peer cannot read."""


class RunTurn(Struct, frozen=True, kw_only=True, tag=True):
    """A user message for the session named in it.

    Attributes:
        new: The session may have to be created.
        follow: The sender wants the turn's stream events as they come.
        may_be_known: The idempotency key may have been used before: it is the client's, or this is another try.
        attempt: Rises when a host died with the turn; its output is then numbered behind all that may have been shown.
        asked_as: The idempotency key as the client said it.
        life: The runtime session id for which it was accepted: a reset has begun another. "" for any.
    """

    turn: ChatTurn
    new: bool = False
    attempt: int = 1
    follow: bool = False
    may_be_known: bool = True
    asked_as: str = ""
    life: str = ""


class OpenSession(Struct, frozen=True, kw_only=True, tag=True):
    """A session that is to exist before anybody speaks."""

    session_id: str
    wanted: NewSession


class EndSession(Struct, frozen=True, kw_only=True, tag=True):
    """A session is over; urgent: it does not wait behind turns that have not begun.

    Attributes:
        quiet_since: Not empty: only when nothing has happened in the session since that moment (ISO 8601).
    """

    tenant_id: str
    project_id: str
    session_id: str
    reason: str
    quiet_since: str = ""


class DiscardSession(Struct, frozen=True, kw_only=True, tag=True):
    """A session is to be removed if nothing was ever said in it; answered by Done, with the note `gone` if it was."""

    tenant_id: str
    project_id: str
    session_id: str


class ResetSession(Struct, frozen=True, kw_only=True, tag=True):
    """A session starts again; urgent: the running turn is cancelled.

    Attributes:
        key: Of the request, its sender's own (`domain.request_keys`): a second message with it changes nothing.
    """

    tenant_id: str
    project_id: str
    session_id: str
    key: str = ""


TURN_TAKEN_BACK = "taken back"
"""Note of a `Done`: the turn had not begun, and does not."""


class CancelTurn(Struct, frozen=True, kw_only=True, tag=True):
    """A turn is to be given up; urgent. Answered by Done, with the note `cancelled` when it was running.

    Attributes:
        message_id: Only the turn with this reply or owned key (`domain.request_keys`); empty means whichever runs. One
            that waits under this key is taken out of the line; the note is then `TURN_TAKEN_BACK`.
        for_good: The session is a child whose parent waits for it no more: what it does is given up also when it is
            still to begin, or when its host has died; answered when that is durable.
        for_message: The owned key of the message that interrupts: where that one waits or runs nothing is given up.
    """

    tenant_id: str
    project_id: str
    session_id: str
    message_id: str = ""
    for_good: bool = False
    for_message: str = ""


class ForgetSession(Struct, frozen=True, kw_only=True, tag=True):
    """The grain is to let go of its state without writing; what is stored has changed or gone. Urgent."""

    tenant_id: str
    session_id: str


class CallbackReady(Struct, frozen=True, kw_only=True, tag=True):
    """The body of a claimed callback waits in the store; the session is to go on with it."""

    tenant_id: str
    session_id: str
    callback_id: str


class SuspensionDue(Struct, frozen=True, kw_only=True, tag=True):
    """The time of a suspension is over; the session is to go on without an answer."""

    tenant_id: str
    session_id: str
    callback_id: str


class TimerDue(Struct, frozen=True, kw_only=True, tag=True):
    """A timer that outlived its turn has run out."""

    tenant_id: str
    session_id: str
    runtime_session_id: str
    effect_id: str


class TaskClosed(Struct, frozen=True, kw_only=True, tag=True):
    """A person has decided; the decision waits in the store, and the session is to go on with it."""

    tenant_id: str
    session_id: str
    task_id: str


class LinkContact(Struct, frozen=True, kw_only=True, tag=True):
    """Somebody has said whose session it is; answered by Done once that is durable."""

    tenant_id: str
    project_id: str
    session_id: str
    contact_id: str


class DelegateTask(Struct, frozen=True, kw_only=True, tag=True):
    """Work for a child session, keyed by the parent's effect; asking twice finds the same child and its reply.

    Attributes:
        sender: The agent that asks.
        remote: `{endpoint, protocol}` of an agent in another system, which then is the child; such a message goes
            there and never over the link.
    """

    tenant_id: str
    project_id: str
    parent_session_id: str
    session_id: str
    agent: str
    task: str
    context: dict[str, Any] = field(default_factory=dict)
    effect_key: str = ""
    deployment_id: str = ""
    environment: str = ""
    depth: int = 1
    sender: str = ""
    remote: dict[str, Any] = field(default_factory=dict)
    timeout_ms: int = 30_000


class HandOver(Struct, frozen=True, kw_only=True, tag=True):
    """Control of a conversation, for the agent that takes it; and each message of the user that follows.

    Agents of a session are threads of its actor: `sender` and `receiver` are addresses `session/agent`. Inside the
    session nothing has to be carried, so the link does not know this message; an agent in another system gets it over
    that system's protocol. `actors.session.delivery` tells the two apart.

    Attributes:
        text: What the user has said.
        context, summary, grants, history: What the receiver is told. Spec: abl-language 7.2.
        returns: The sender waits, and goes on when the receiver is done.
        remote: `{endpoint, protocol}` of a receiver in another system, which knows the `conversation` by these words.
    """

    tenant_id: str
    project_id: str
    session_id: str
    sender: str
    receiver: str
    text: str = ""
    context: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    grants: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    returns: bool = False
    effect_key: str = ""
    environment: str = ""
    remote: dict[str, Any] = field(default_factory=dict)
    conversation: dict[str, Any] = field(default_factory=dict)
    timeout_ms: int = 60_000

    @property
    def agent(self) -> str:
        """The receiver's name in its session."""
        return self.receiver.partition("/")[2]


class Follow(Struct, frozen=True, kw_only=True, tag=True):
    """A listener wants the session's output after a number; answered by stream frames.

    Attributes:
        endless: Also the turns after the one that runs or was last.
    """

    tenant_id: str
    session_id: str
    after: int
    endless: bool = False


class Look(Struct, frozen=True, kw_only=True, tag=True):
    """What the live session holds (variables, gathered values, agent stack) is wanted; nothing changes.

    Attributes:
        at_once: It does not wait for the turn that runs; whoever comes back in the midst of an answer is to hear it.
    """

    tenant_id: str
    project_id: str
    session_id: str
    at_once: bool = False


class UseMemory(Struct, frozen=True, kw_only=True, tag=True):
    """Code outside uses a memory store of the session: `get`, `set` or `delete`. Spec: platform-api 7.3.

    While a turn runs it is carried out between two of its facts, not behind it: the turn may wait for that code.
    """

    tenant_id: str
    project_id: str
    session_id: str
    action: str
    store: str
    content: dict[str, Any] | None = None


class MemoryUsed(Struct, frozen=True, kw_only=True, tag=True):
    """What the use of a memory store gave; what it set is durable."""

    value: Any = None


class HostStats(Struct, frozen=True, kw_only=True, tag=True):
    """What a host carries at this moment."""

    host_id: str
    live_sessions: int
    running_turns: int
    waiting_turns: int
    draining: bool
    rss_bytes: int = 0


class Done(Struct, frozen=True, kw_only=True, tag=True):
    """The message has been taken in; there is nothing to say."""

    note: str = ""


class Failed(Struct, frozen=True, kw_only=True, tag=True):
    """The message could not be carried out; `kind` is the class name of the `domain.errors` error to raise.

    Attributes:
        moved: The host does not own the session (any more); the sender asks the directory again.
    """

    kind: str
    message: str
    retry_after_ms: int = 0
    moved: bool = False
    details: dict[str, Any] = field(default_factory=dict)


class Replied(Struct, frozen=True, kw_only=True, tag=True):
    """A turn has ended and is committed."""

    reply: TurnReply


class Viewed(Struct, frozen=True, kw_only=True, tag=True):
    """What a session looks like now."""

    view: SessionView


class Emitted(Struct, frozen=True, kw_only=True, tag=True):
    """One event of a followed session."""

    event: StreamEvent


HostMessage = (
    RunTurn
    | OpenSession
    | EndSession
    | DiscardSession
    | ResetSession
    | ForgetSession
    | CallbackReady
    | SuspensionDue
    | TimerDue
    | TaskClosed
    | CancelTurn
    | DelegateTask
    | LinkContact
    | Follow
    | Look
    | UseMemory
)
HostAnswer = Done | Failed | Replied | Viewed | Emitted | MemoryUsed | HostStats

_encoder = msgspec.msgpack.Encoder()
_message_decoder: msgspec.msgpack.Decoder[HostMessage] = msgspec.msgpack.Decoder(HostMessage)
_answer_decoder: msgspec.msgpack.Decoder[HostAnswer] = msgspec.msgpack.Decoder(HostAnswer)


def encode(message: HostMessage | HostAnswer) -> bytes:
    """Return the bytes of a message or an answer."""
    return _encoder.encode(message)


def decode_message(raw: bytes | memoryview) -> HostMessage:
    """Return the message in these bytes; raises msgspec.DecodeError."""
    return _message_decoder.decode(raw)


def decode_answer(raw: bytes | memoryview) -> HostAnswer:
    """Return the answer in these bytes; raises msgspec.DecodeError."""
    return _answer_decoder.decode(raw)
