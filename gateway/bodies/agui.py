"""The body of AG-UI's one request. Spec: docs.ag-ui.com, 1.0 (Run Input)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from domain.json_values import JsonValue
from gateway.bodies.texts import Id, TolerantBody

MESSAGES_MAX = 2_000
RESUMED_MAX = 100


class AgUiMessage(TolerantBody):
    """One message of a thread; it is given back in snapshots as it came."""

    model_config = ConfigDict(extra="allow")

    id: Id = Field(description="Of the message, within its thread")
    role: Literal["developer", "system", "assistant", "user", "tool", "activity", "reasoning"] = Field(
        description="Who says it; only what the user says is read, the agent knows its own words"
    )
    content: JsonValue = Field(default=None, description="A text, or a list of parts of which the texts are read")


class AgUiAnswer(TolerantBody):
    """The answer to an interrupt."""

    interrupt_id: Id = Field(description="Of the interrupt in RUN_FINISHED")
    status: Literal["resolved", "cancelled"] = Field(description="`cancelled`: nobody has answered")
    payload: JsonValue = Field(
        default=None, description="The answer, as the interrupt's responseSchema says; words are always taken"
    )


class AgUiBody(TolerantBody):
    """RunAgentInput: a thread and a run of it, which is one turn of the agent."""

    thread_id: Id = Field(description="Of the conversation, made up by the client: one of this caller and this agent")
    run_id: Id = Field(description="Of the turn, made up by the client; sent again it is told again and runs nothing")
    protocol_version: str | None = Field(
        default=None, max_length=32, description="1.0; a client that names it is told of interrupts"
    )
    parent_run_id: Id | None = Field(default=None, description="Given back in RUN_STARTED")
    messages: Annotated[list[AgUiMessage], Field(max_length=MESSAGES_MAX)] = Field(
        description="The thread so far; the last one of the user is answered. None: the thread is told"
    )
    state: JsonValue = Field(default=None, description="What the client's state is; STATE_DELTA goes on from it")
    tools: list[Any] | None = Field(default=None, description="Not called: an agent has its own tools. free JSON")
    context: list[Any] | None = Field(
        default=None, description="{description, value}: `context` of the message's metadata. free JSON"
    )
    forwarded_props: JsonValue = Field(default=None, description="An object becomes the message's metadata")
    resume: Annotated[list[AgUiAnswer], Field(max_length=RESUMED_MAX)] | None = Field(
        default=None, description="Answers to the interrupt of the last run"
    )
