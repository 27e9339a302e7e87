"""Carries what one agent says to another to wherever that lives: this session, another host, another system.

The one place that tells these apart. Sender and receiver do not: the message is the same, and so is the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from actors.messages import DelegateTask, Done, Failed, HandOver, HostAnswer, HostMessage, Replied
from actors.runtime import TurnReply
from actors.secret_values import NotedCredentials
from actors.session.store import SessionPin
from domain.json_values import JsonObject
from providers.ports import Credentials
from providers.remote import RemoteAgents, RemoteCall, RemoteFailed, RemoteReply, is_repeatable

MS_PER_S = 1_000
UNKNOWN, TIMEOUT, UNAVAILABLE, REFUSED = "outcome_unknown", "timeout", "unavailable", "delegation_error"
"""What a `Failed` of an agent elsewhere says: nobody knows, too late, later perhaps, no."""
LOST = "lost"
"""An agent here that was begun and has ended without an answer."""
_KINDS = {"unknown": UNKNOWN, "timeout": TIMEOUT, "unavailable": UNAVAILABLE, "refused": REFUSED}
NO_ROUTE = Failed(kind=REFUSED, message="Agents in other sessions cannot be reached from here")
NO_REMOTES = Failed(kind=REFUSED, message="Agents outside this project cannot be reached from here")

AskHost = Callable[[HostMessage], Awaitable[HostAnswer]]
"""Sends a message to the host of its session, wherever that is."""

AgentMessage = DelegateTask | HandOver
"""What one agent says to another."""

Deliver = Callable[[AgentMessage], Awaitable[HostAnswer]]


class Reach(Protocol):
    """What delivery needs of the outside; `ask` is set once the router is there."""

    @property
    def ask(self) -> AskHost | None:
        """Sends a message to the host of its session."""

    @property
    def remotes(self) -> RemoteAgents | None:
        """Asks agents in other systems."""

    @property
    def credentials(self) -> Callable[[SessionPin], Credentials]:
        """The secrets of the project of a session."""


@dataclass(frozen=True, slots=True)
class AgentReach:
    """Satisfies `Reach` where nothing else is at hand."""

    ask: AskHost | None
    remotes: RemoteAgents | None
    credentials: Callable[[SessionPin], Credentials]


class Delivery:
    """Delivers messages between agents."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def deliver(self, message: AgentMessage) -> HostAnswer:
        """Return the receiver's answer; Done when the receiver has the message and answers nothing.

        A HandOver inside the session needs no carrying: both agents are threads of one actor, and the step that sent
        the message has gone on in the receiver's thread already, in the same record of the journal.
        """
        if message.remote:
            return await self._elsewhere(message)
        if isinstance(message, HandOver):
            return Done(note=message.receiver)
        return await self._reach.ask(message) if self._reach.ask is not None else NO_ROUTE

    async def _elsewhere(self, message: AgentMessage) -> HostAnswer:
        remotes, protocol = self._reach.remotes, str(message.remote.get("protocol", ""))
        if remotes is None:
            return NO_REMOTES
        credentials = NotedCredentials(self._reach.credentials(_pin_of(message)))
        try:
            reply = await remotes.ask(call_of(message), protocol, credentials)
        except RemoteFailed as failure:
            return Failed(kind=_KINDS[failure.kind], message=credentials.said(failure.message))
        return Replied(reply=turn_of(message, _without_secrets(reply, credentials)))


def _without_secrets(reply: RemoteReply, credentials: NotedCredentials) -> RemoteReply:
    """Return a reply in which nothing stands that was shown to who gives it."""
    told = {name: credentials.without(getattr(reply, name)) for name in ("text", "values", "conversation")}
    return msgspec.structs.replace(reply, **told)


def may_be_asked_again(remote: JsonObject) -> bool:
    """Return whether a message may be sent again whose answer was lost: a host knows it by its key, as `rest` does."""
    return not remote or is_repeatable(str(remote.get("protocol", "")))


def call_of(message: AgentMessage) -> RemoteCall:
    """Return a message as it goes to another system."""
    endpoint = str(message.remote.get("endpoint", ""))
    timeout_s = message.timeout_ms / MS_PER_S
    if isinstance(message, DelegateTask):
        return RemoteCall(
            endpoint=endpoint,
            agent=message.agent,
            text=message.task,
            key=message.effect_key,
            sender=message.sender,
            given={name: value for name, value in message.context.items() if not name.startswith("_")},
            timeout_s=timeout_s,
        )
    return RemoteCall(
        endpoint=endpoint,
        agent=message.agent,
        text=message.text or message.summary or message.agent,
        key=message.effect_key,
        sender=message.sender,
        given=message.context,
        summary=message.summary,
        history=message.history,
        conversation=message.conversation,
        returns=message.returns,
        timeout_s=timeout_s,
    )


def turn_of(message: AgentMessage, reply: RemoteReply) -> TurnReply:
    """Return the answer of another system as the reply of an agent's turn.

    A sub-task is done with any answer but a question; control stays with an agent until it says that it is done.
    """
    is_done = reply.status == "completed" or (isinstance(message, DelegateTask) and reply.status == "answered")
    return TurnReply(
        session_id=message.session_id,
        message_id="",
        turn=0,
        response=reply.text,
        action={"type": "respond"},
        agent_name=message.agent,
        status="completed" if is_done else "needs_input",
        outcome={"values": reply.values, "error": "", "conversation": reply.conversation},
    )


def _pin_of(message: AgentMessage) -> SessionPin:
    """Return whose secrets the message may use."""
    return SessionPin(
        tenant_id=message.tenant_id,
        project_id=message.project_id,
        session_id=message.session_id,
        runtime_session_id="",
        program_id="",
        entry_agent="",
        environment=message.environment,
    )
