"""The forms of the API about ag-ui. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AgUiAnswer(TypedDict):
    """The answer to an interrupt."""

    interruptId: str
    status: Literal["resolved", "cancelled"]
    payload: NotRequired[Any]


class AgUiBody(TypedDict):
    """RunAgentInput: a thread and a run of it, which is one turn of the agent."""

    threadId: str
    runId: str
    protocolVersion: NotRequired[str | None]
    parentRunId: NotRequired[str | None]
    messages: list[AgUiMessage]
    state: NotRequired[Any]
    tools: NotRequired[list[Any] | None]
    context: NotRequired[list[Any] | None]
    forwardedProps: NotRequired[Any]
    resume: NotRequired[list[AgUiAnswer] | None]


class AgUiMessage(TypedDict):
    """One message of a thread; it is given back in snapshots as it came."""

    id: str
    role: Literal["developer", "system", "assistant", "user", "tool", "activity", "reasoning"]
    content: NotRequired[Any]
