"""What is said to an agent elsewhere, what it answers, and how that can fail, in words that no protocol owns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from msgspec import Struct, field

from domain.errors import Unavailable
from domain.json_values import JsonObject

FailureOf = Literal["refused", "unavailable", "timeout", "unknown"]
MAX_MESSAGE_CHARS = 300
"""Of what the other side says about a failure."""


class RemoteCall(Struct, frozen=True, kw_only=True):
    """One message to an agent elsewhere.

    Attributes:
        endpoint: Its address, as ENDPOINT says.
        agent, sender: Names of the two agents.
        key: The same in every repetition of this message, another one for every other message.
        given: Values it is handed: INPUT of a sub-task, the context of a handoff.
        returns: Whoever hands over waits for this agent to be done.
        history: Lines `{role, content}` of what was said before.
        conversation: What its last answer said the next message has to name; empty for the first one.
        headers: Who asks; never logged, never sent to another origin.
    """

    endpoint: str
    agent: str
    text: str
    key: str
    sender: str = ""
    given: JsonObject = field(default_factory=dict)
    summary: str = ""
    history: list[JsonObject] = field(default_factory=list)
    conversation: JsonObject = field(default_factory=dict)
    returns: bool = False
    timeout_s: float = 30.0
    headers: Mapping[str, str] = field(default_factory=dict)


class RemoteReply(Struct, frozen=True, kw_only=True):
    """What an agent elsewhere answers.

    Attributes:
        status: `completed`: it has done what it was asked for; `needs_input`: it waits for the user; `answered`: it has
            replied and said neither.
        conversation: What the next message to it has to name.
    """

    status: Literal["completed", "answered", "needs_input"]
    text: str = ""
    values: JsonObject = field(default_factory=dict)
    conversation: JsonObject = field(default_factory=dict)


class RemoteFailed(Unavailable):
    """There is no answer that can be used.

    Attributes:
        kind: `refused`: the other side said no, or may not be called; `unavailable`: it took nothing, and may later;
            `timeout`: it had not finished in time, and was told to stop; `unknown`: it may have done it.
    """

    def __init__(self, kind: FailureOf, message: str) -> None:
        super().__init__(message[:MAX_MESSAGE_CHARS], details={"kind": kind})
        self.kind = kind


class RemoteAgent(Protocol):
    """One protocol to agents elsewhere."""

    async def ask(self, call: RemoteCall) -> RemoteReply:
        """Return what the agent answers, within `call.timeout_s`.

        Raises:
            RemoteFailed: There is no answer.
        """
