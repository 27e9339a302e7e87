"""Bodies of the OpenAI-compatible endpoint: chat completions with an agent in the place of a model.

The wire is that of OpenAI's API reference (Chat Completions, Models, errors), snake_case. What belongs to a model and
not to an agent (temperature, max_tokens, ...) is taken and not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from actors.agent_models import AgentModel
from actors.runtime import TurnReply
from domain import limits
from domain.errors import InvalidInput
from domain.json_values import JsonObject, JsonValue
from domain.messages import TranscriptLine
from gateway.bodies.texts import Id
from gateway.envelope import Wire
from gateway.threads import Line

MESSAGES_MAX = 2_000
EARLIER_MAX_CHARS = 32_000
"""How much of what was said before is told to a session that knows nothing of it."""
EARLIER_MAX_LINES = 200
"""How many of the messages before are told to it; a longer conversation keeps its last ones."""
ID_PREFIX = "chatcmpl-"
OWNER = "abl-runtime"


class OpenAiWire(Wire):
    """Base of these bodies: snake_case on the wire."""

    model_config = ConfigDict(alias_generator=None)


class OpenAiRequest(OpenAiWire):
    """Base of these requests: wrong types are refused, not converted."""

    model_config = ConfigDict(strict=True)


class ContentPart(OpenAiRequest):
    """A piece of a message; only texts are read."""

    type: str
    text: str | None = None


class OpenAiMessage(OpenAiRequest):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(OpenAiRequest):
    """What a stream tells beside the text."""

    include_usage: bool = False


class ChatCompletionBody(OpenAiRequest):
    """A conversation, of which the last message is answered.

    With `metadata.session_id` it goes on in that session, with `user` in the session of that user with this model;
    earlier messages are then known and not read. Without either it goes on in the session in which those earlier
    messages were said; where there is none, one is opened, whose
    models are told of them: what the user says is the last message alone.
    """

    model: Id
    messages: Annotated[list[OpenAiMessage], Field(min_length=1, max_length=MESSAGES_MAX)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    user: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    metadata: Annotated[dict[str, JsonValue], Field(max_length=limits.METADATA_MAX_KEYS)] | None = None
    safety_identifier: Annotated[str, StringConstraints(max_length=256)] | None = Field(
        default=None, description="Tells people behind one key apart, as `user` does, where no session is kept for them"
    )
    n: int | None = None
    tools: list[JsonValue] | None = None
    functions: list[JsonValue] | None = None

    @property
    def session_id(self) -> str:
        """Return the session that the metadata names, empty without one."""
        named = (self.metadata or {}).get("session_id", "")
        if not isinstance(named, str) or len(named) > 256 or "\0" in named:
            raise refused("/metadata/session_id", "must be the id of a session")
        return named

    @property
    def wants_usage(self) -> bool:
        """Return whether the stream ends with what was used."""
        return self.stream_options is not None and self.stream_options.include_usage


class CompletionUsage(OpenAiWire):
    """Tokens of all model calls of the turn."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class AssistantMessage(OpenAiWire):
    """What the agent said."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None


class Choice(OpenAiWire):
    """The one answer."""

    index: Literal[0] = 0
    message: AssistantMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class ChatCompletion(OpenAiWire):
    """A whole answer; `session_id` goes into the metadata of the next request to go on in its session."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: CompletionUsage
    session_id: str


class ModelItem(OpenAiWire):
    """An agent, an agent in an environment, or a deployment."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["abl-runtime"] = "abl-runtime"


class ModelList(OpenAiWire):
    """All that can be asked for as a model."""

    object: Literal["list"] = "list"
    data: list[ModelItem]


class OpenAiError(OpenAiWire):
    """What went wrong; `code` is that of the other endpoints."""

    message: str
    type: str
    param: str | None
    code: str


class OpenAiErrorBody(OpenAiWire):
    """The body of every error of these endpoints."""

    error: OpenAiError


def question_of(body: ChatCompletionBody) -> tuple[list[Line], str]:
    """Return what was said before the last message, and that message.

    Raises:
        InvalidInput: The last message is not one of the user, or holds something other than text, or is too long.
    """
    place = len(body.messages) - 1
    last = body.messages[-1]
    if last.role != "user":
        raise refused(f"/messages/{place}/role", "the last message has to be one of the user")
    said = checked_message(_text(last, place), f"/messages/{place}/content")
    before: list[Line] = []
    for number, one in enumerate(body.messages[:-1]):
        text = _text(one, number) if one.role in ("user", "assistant") else ""
        if text and (one.role == "user" or one.role == "assistant"):
            before.append(Line(one.role, text))
    return before, said


def checked_message(said: str, path: str) -> str:
    """Return a message that an agent can be told. Raises InvalidInput."""
    if not said or "\0" in said:
        raise refused(path, "must be text of at least 1 character")
    return said


def earlier_lines(before: Sequence[Line]) -> tuple[TranscriptLine, ...]:
    """Return what a session that knows nothing of a conversation is told of it: the last lines that there is room for.

    They are for models only; the message itself is told as it was said. Decision: 0085.
    """
    room = EARLIER_MAX_CHARS
    kept: list[TranscriptLine] = []
    for one in reversed(before[-EARLIER_MAX_LINES:]):
        room -= len(one.text)
        if room < 0:
            break
        kept.append(TranscriptLine(one.role, one.text.replace("\0", "")))
    return tuple(reversed(kept))


def check_offered(body: ChatCompletionBody) -> None:
    """Refuse what an agent cannot be asked for. Raises InvalidInput."""
    if body.n not in (None, 1):
        raise refused("/n", "an agent gives one answer")
    for name in ("tools", "functions"):
        if getattr(body, name):
            raise refused(f"/{name}", "an agent has its own tools; leave this out")


def completion_of(reply: TurnReply, model: str, created: int) -> ChatCompletion:
    """Return a finished turn as a completion."""
    return ChatCompletion(
        id=ID_PREFIX + reply.message_id,
        created=created,
        model=model,
        choices=[Choice(message=AssistantMessage(content=reply.response))],
        usage=usage_of(reply.trace_events),
        session_id=reply.session_id,
    )


def usage_of(traces: Iterable[JsonObject]) -> CompletionUsage:
    """Return what the model calls among trace events used together."""
    used = [one["data"].get("usage") or {} for one in traces if one["type"] == "llm_call"]
    asked = sum(int(one.get("inputTokens", 0)) for one in used)
    answered = sum(int(one.get("outputTokens", 0)) for one in used)
    return CompletionUsage(prompt_tokens=asked, completion_tokens=answered, total_tokens=asked + answered)


def model_item(model: AgentModel) -> ModelItem:
    """Return a model as it is listed."""
    return ModelItem(id=model.name, created=int(model.created_at.timestamp()))


def _text(message: OpenAiMessage, place: int) -> str:
    if not isinstance(message.content, list):
        return message.content or ""
    for number, part in enumerate(message.content):
        if part.type != "text" or part.text is None:
            raise refused(f"/messages/{place}/content/{number}", "only text is taken here")
    return "\n".join(part.text or "" for part in message.content)


def refused(path: str, message: str) -> InvalidInput:
    """Return the error of a request that breaks a rule at a place."""
    return InvalidInput(f"Invalid request: {message}", details={"fields": [{"path": path, "message": message}]})
