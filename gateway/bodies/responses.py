"""Bodies of OpenAI's Responses API: an agent in the place of a model, a session in the place of a conversation.

The wire is that of OpenAI's API reference (Responses), snake_case. What belongs to a model and not to an agent
(temperature, reasoning, text, ...) is taken and not used.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from actors.conversation_desk import MessageRow
from domain import limits
from domain.json_values import JsonObject, JsonValue
from gateway.bodies.openai import MESSAGES_MAX, OpenAiRequest, OpenAiWire, checked_message, refused
from gateway.bodies.texts import Id
from gateway.threads import Line

RESPONSE: str = "resp_"
MESSAGE: str = "msg_"
TEXT_PARTS = frozenset({"input_text", "output_text", "text"})


class InputPart(OpenAiRequest):
    """A piece of an input message; only texts are read."""

    type: str = Field(description="input_text, output_text or text")
    text: str | None = Field(default=None, description="The text")


class InputItem(OpenAiRequest):
    """A message of the conversation."""

    type: str = Field(default="message", description="Only messages are taken")
    role: str = Field(default="", description="user, assistant, system or developer; the last two are not read")
    content: str | list[InputPart] = Field(default="", description="Text, or pieces of text")


class ConversationName(OpenAiRequest):
    """A conversation by its id."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=256)] = Field(description="Id of a session")


class ResponseBody(OpenAiRequest):
    """A message for an agent.

    With `previous_response_id` it goes on behind that response, with `conversation` in that session; without either in
    the session in which the earlier messages of `input` were said. Where the conversation has gone on from there, or
    there is none, a session is opened and told of what was said before.
    """

    model: Id = Field(description="An agent, `agent@environment`, or the id or slug of a deployment")
    input: Annotated[str, StringConstraints(min_length=1)] | list[InputItem] = Field(
        description="What the user says: a text, or messages of which the last is the user's"
    )
    previous_response_id: Id | None = Field(default=None, description="The response behind which this goes on")
    conversation: str | ConversationName | None = Field(default=None, description="The session in which this goes on")
    stream: bool = Field(default=False, description="Tell the answer as it comes, as server-sent events")
    store: bool = Field(default=True, description="Whether the response can be read again and gone on from by its id")
    user: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = Field(
        default=None, description="Who speaks, for the agent and its memory"
    )
    safety_identifier: Annotated[str, StringConstraints(max_length=256)] | None = Field(
        default=None, description="Tells people behind one key apart where no session is named"
    )
    metadata: Annotated[dict[str, JsonValue], Field(max_length=limits.METADATA_MAX_KEYS)] | None = Field(
        default=None, description="Given back with the answer"
    )
    instructions: str | None = Field(default=None, description="Not used: an agent has its own")
    tools: list[JsonValue] | None = Field(default=None, description="Must be empty: an agent has its own tools")
    background: bool | None = Field(default=None, description="Must not be true")

    @property
    def session_id(self) -> str:
        """Return the session that is named, empty without one. Raises InvalidInput."""
        named = self.conversation.id if isinstance(self.conversation, ConversationName) else self.conversation or ""
        if len(named) > 256 or "\0" in named:
            raise refused("/conversation", "must be the id of a session")
        return named


class OutputText(OpenAiWire):
    """A text of an answer."""

    type: Literal["output_text"] = Field(default="output_text", description="Always the same")
    text: str = Field(description="What the agent said")
    annotations: list[Any] = Field(default_factory=list, description="Always empty")
    logprobs: list[Any] = Field(default_factory=list, description="Always empty")


class OutputMessage(OpenAiWire):
    """What an agent said."""

    id: str = Field(description="Id of the message")
    type: Literal["message"] = Field(default="message", description="Always the same")
    role: Literal["assistant"] = Field(default="assistant", description="Always the same")
    status: Literal["in_progress", "completed"] = Field(description="Whether all of it is there")
    content: list[OutputText] = Field(description="One text")


class CachedTokens(OpenAiWire):
    """Tokens that were read from a cache."""

    cached_tokens: int = Field(default=0, description="Always 0: not counted here")
    cache_write_tokens: int = Field(default=0, description="Always 0: not counted here")


class ReasoningTokens(OpenAiWire):
    """Tokens of thoughts."""

    reasoning_tokens: int = Field(default=0, description="Always 0: not counted here")


class ResponseUsage(OpenAiWire):
    """Tokens of all model calls of the turn."""

    input_tokens: int = Field(description="Asked")
    input_tokens_details: CachedTokens = Field(default_factory=CachedTokens, description="More of them")
    output_tokens: int = Field(description="Answered")
    output_tokens_details: ReasoningTokens = Field(default_factory=ReasoningTokens, description="More of them")
    total_tokens: int = Field(description="Both")


class ConversationId(OpenAiWire):
    """A conversation."""

    id: str = Field(description="Id of the session")


class ResponseFault(OpenAiWire):
    """Why a response has failed."""

    code: str = Field(description="server_error")
    message: str = Field(description="What went wrong")


class AgentResponse(OpenAiWire):
    """A response of an agent."""

    id: str = Field(description="Its id: `previous_response_id` of the next request")
    object: Literal["response"] = Field(default="response", description="Always the same")
    created_at: float = Field(description="When it was asked for, in Unix seconds")
    status: Literal["in_progress", "completed", "failed"] = Field(description="How it stands")
    error: ResponseFault | None = Field(default=None, description="Why it has failed")
    incomplete_details: None = Field(default=None, description="Always null")
    instructions: None = Field(default=None, description="Always null: an agent has its own")
    max_output_tokens: None = Field(default=None, description="Always null")
    metadata: dict[str, Any] = Field(default_factory=dict, description="free JSON, as it was sent")
    model: str = Field(description="The agent that answers")
    output: list[OutputMessage] = Field(default_factory=list, description="What it said: one message")
    parallel_tool_calls: Literal[False] = Field(default=False, description="Always false")
    previous_response_id: str | None = Field(default=None, description="The response behind which it was asked for")
    conversation: ConversationId | None = Field(default=None, description="Its session")
    store: bool = Field(default=True, description="Whether it can be read again")
    temperature: None = Field(default=None, description="Always null")
    tool_choice: Literal["auto"] = Field(default="auto", description="Always the same")
    tools: list[Any] = Field(default_factory=list, description="Always empty: an agent has its own")
    top_p: None = Field(default=None, description="Always null")
    truncation: Literal["disabled"] = Field(default="disabled", description="Always the same")
    usage: ResponseUsage | None = Field(default=None, description="Tokens, once it is complete")
    user: str | None = Field(default=None, description="Who asked, as it was sent")


class DeletedResponse(OpenAiWire):
    """A response that is not found by its id any more; what was said stays in its session."""

    id: str = Field(description="Its id")
    object: Literal["response"] = Field(default="response", description="Always the same")
    deleted: Literal[True] = Field(default=True, description="Always true")


class InputText(OpenAiWire):
    """A text that was said."""

    type: Literal["input_text"] = Field(default="input_text", description="Always the same")
    text: str = Field(description="What the user said")


class InputMessage(OpenAiWire):
    """What a user said."""

    id: str = Field(description="Id of the message")
    type: Literal["message"] = Field(default="message", description="Always the same")
    role: Literal["user"] = Field(default="user", description="Always the same")
    status: Literal["completed"] = Field(default="completed", description="Always the same")
    content: list[InputText] = Field(description="One text")


class InputItems(OpenAiWire):
    """What a response answers."""

    object: Literal["list"] = Field(default="list", description="Always the same")
    data: list[InputMessage] = Field(description="One message, or none where the agent spoke first")
    first_id: str | None = Field(description="Id of the first")
    last_id: str | None = Field(description="Id of the last")
    has_more: Literal[False] = Field(default=False, description="Always false")


def asked_in(body: ResponseBody) -> tuple[list[Line], str]:
    """Return what was said before, as the request tells it, and what is asked now.

    Raises:
        InvalidInput: The agent cannot be asked so; the place in the request is named.
    """
    if body.background:
        raise refused("/background", "an agent answers at once; leave this out")
    if body.tools:
        raise refused("/tools", "an agent has its own tools; leave this out")
    if body.previous_response_id and body.conversation is not None:
        raise refused("/conversation", "cannot be used together with previous_response_id")
    if isinstance(body.input, str):
        return [], checked_message(body.input, "/input")
    if not 1 <= len(body.input) <= MESSAGES_MAX:
        raise refused("/input", f"must have 1 to {MESSAGES_MAX} messages")
    lines: list[Line] = []
    for place, item in enumerate(body.input):
        if item.type != "message":
            raise refused(f"/input/{place}/type", "only messages are taken here")
        text = _text(item, place)
        match item.role:
            case "user" | "assistant" as role if text:
                lines.append(Line(role, text))
            case "user" | "assistant" | "system" | "developer":
                continue
            case _:
                raise refused(f"/input/{place}/role", "must be user, assistant, system or developer")
    last = len(body.input) - 1
    if not lines or body.input[last].role != "user" or not _text(body.input[last], last):
        raise refused(f"/input/{last}", "the last message has to be one of the user, with a text")
    return lines[:-1], checked_message(lines[-1].text, f"/input/{last}/content")


def response_id_of(message_id: str) -> str:
    """Return the id of the response that a message is.

    >>> response_id_of("msg_c1")
    'resp_c1'
    """
    return RESPONSE + message_id.removeprefix(MESSAGE)


def message_id_of(response_id: str) -> str:
    """Return the id of the message that a response is."""
    return MESSAGE + response_id.removeprefix(RESPONSE)


def output_of(message_id: str, text: str) -> OutputMessage:
    """Return a whole message of an agent."""
    return OutputMessage(id=message_id, status="completed", content=[OutputText(text=text)])


def input_items_of(rows: list[MessageRow]) -> InputItems:
    """Return messages of a user as a list."""
    items = [InputMessage(id=one.message_id, content=[InputText(text=one.content)]) for one in rows]
    ends = (items[0].id, items[-1].id) if items else (None, None)
    return InputItems(data=items, first_id=ends[0], last_id=ends[1])


def part_of(text: str) -> JsonObject:
    """Return a text of an answer as it stands in events."""
    return OutputText(text=text).model_dump()


def _text(item: InputItem, place: int) -> str:
    if isinstance(item.content, str):
        return item.content
    for number, part in enumerate(item.content):
        if part.type not in TEXT_PARTS or part.text is None:
            raise refused(f"/input/{place}/content/{number}", "only text is taken here")
    return "\n".join(part.text or "" for part in item.content)
