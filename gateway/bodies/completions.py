"""Bodies of the completion routes and of usage. Spec: platform-api 4.3 to 4.5."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema

from actors.desks import Completion, UsageFigures
from domain import limits
from domain.errors import InvalidInput
from domain.ids import is_project_id
from domain.json_values import JsonObject, JsonValue
from domain.model_calls import Image, Message, ToolSpec
from domain.tool_calls import ToolCall
from gateway.bodies.texts import Id, TolerantBody
from gateway.envelope import Success, Wire

OBJECT = "object"
BASE64_CHARS = 4
"""How many characters of base64 belong together."""
_IMAGE_DATA = re.compile(r"data:image/(?:jpeg|png|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")
_ADDRESS = re.compile(r"https?://[!-.0-?A-~]+(?:/[!-~]*)?")


def _project_id(text: str) -> str:
    if not is_project_id(text):
        raise ValueError("must be a project id, c and 24 letters or digits")
    return text


def _schema_of_object(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if schema.get("type", OBJECT) != OBJECT:
        raise ValueError("must be a JSON schema of an object")
    return schema


def _image_url(url: str) -> str:
    if url.startswith("data:"):
        if _IMAGE_DATA.fullmatch(url) is None or len(url.partition(",")[2]) % BASE64_CHARS:
            raise ValueError("must be a JPEG, PNG, GIF or WebP in base64")
        return url
    if len(url) > limits.COMPLETION_IMAGE_ADDRESS_MAX_CHARS or _ADDRESS.fullmatch(url) is None:
        raise ValueError("must be an address of at most 2,048 printable characters, without a name or password")
    return url


CuidId = Annotated[str, AfterValidator(_project_id), WithJsonSchema({"type": "string", "pattern": "^c[a-z0-9]{24}$"})]
Tier = Literal["fast", "balanced", "powerful"]


class TextPart(TolerantBody):
    """Words."""

    type: Literal["text"]
    text: str


class ImagePart(TolerantBody):
    """A picture: its address, which only the provider fetches, or a JPEG, PNG, GIF or WebP as a data URL in base64."""

    type: Literal["image_url"]
    url: Annotated[str, StringConstraints(pattern="^(https?:|data:)"), AfterValidator(_image_url)]


class FilePart(TolerantBody):
    """An attachment of the project."""

    type: Literal["file"]
    attachment_id: Id


Part = Annotated[TextPart | ImagePart | FilePart, Field(discriminator="type")]


class CalledTool(TolerantBody):
    """A tool call that the model has made before."""

    id: Id
    name: Id
    arguments: str | dict[str, JsonValue]


class CompletionMessage(TolerantBody):
    """One message of the prompt; the snake_case names are part of the contract."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | list[Part]
    name: Id | None = None
    tool_call_id: Annotated[Id | None, Field(alias="tool_call_id")] = None
    tool_calls: Annotated[list[CalledTool] | None, Field(alias="tool_calls")] = None


class CompletionTool(TolerantBody):
    """A tool that the model may ask for; it is not run here."""

    name: Id
    description: str
    parameters: Annotated[dict[str, JsonValue], AfterValidator(_schema_of_object)]


class CompletionBody(TolerantBody):
    """A call of a model without an agent."""

    project_id: CuidId
    messages: Annotated[list[CompletionMessage], Field(min_length=1)]
    session_id: Id | None = None
    tools: Annotated[list[CompletionTool], Field(max_length=limits.COMPLETION_TOOLS_MAX)] | None = None
    model_id: Id | None = None
    tier: Tier | None = None
    temperature: Annotated[float, Field(ge=0, le=limits.TEMPERATURE_MAX)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=limits.MAX_TOKENS_MAX)] | None = None


class ToolCallItem(Wire):
    """A tool call of the model; `arguments` is JSON text, as at the end of a streamed call."""

    id: str
    name: str
    arguments: str


class CompletionUsage(Wire):
    """What the call used."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    estimated_cost: float | None = Field(description="US dollars; null where no price is known")


class CompletionReply(Success):
    """The whole answer of a model."""

    content: str
    tool_calls: list[ToolCallItem]
    model: str
    finish_reason: Literal["end_turn", "max_tokens", "tool_use", "stop_sequence", "content_filter"]
    usage: CompletionUsage
    latency_ms: int


class UsageSummary(Wire):
    """What all calls used; `totalCost` of those whose price is known, null when it is known of none."""

    total_tokens: int
    total_cost: float | None
    request_count: int
    avg_latency: float | None = Field(description="milliseconds; null when there was no call")


class UsageOfModel(Wire):
    """What the calls of one model used."""

    model_id: str
    provider: str
    total_tokens: int
    total_cost: float | None
    request_count: int


class UsageReply(Success):
    """What a project used; `byModel` is empty unless asked for."""

    summary: UsageSummary
    by_model: list[UsageOfModel]


def files_named(body: CompletionBody) -> tuple[str, ...]:
    """Return the ids of the attachments that the messages name."""
    return tuple(dict.fromkeys(part.attachment_id for *_, part in _parts(body) if isinstance(part, FilePart)))


def messages_of(body: CompletionBody, texts: Mapping[str, str]) -> tuple[Message, ...]:
    """Return the messages of a body in the words of the domain.

    Args:
        body: The request.
        texts: Attachment id -> its text, empty of one that is none.

    Raises:
        InvalidInput: A part that no model here takes, too many pictures, or arguments that are no JSON object.
    """
    images = 0
    for path, role, part in _parts(body):
        images += isinstance(part, ImagePart)
        if images > limits.COMPLETION_IMAGES_MAX:
            raise _refused(path, f"there may be {limits.COMPLETION_IMAGES_MAX} images at the most")
        if isinstance(part, ImagePart) and role != "user":
            raise _refused(path, "only messages of the user have images")
        if isinstance(part, FilePart) and not texts[part.attachment_id]:
            raise _refused(path, "this model takes no files but texts")
    return tuple(_message(number, one, texts) for number, one in enumerate(body.messages))


def tools_of(body: CompletionBody) -> tuple[ToolSpec, ...]:
    """Return the tools of a body in the words of the domain."""
    return tuple(ToolSpec(one.name, one.description, one.parameters) for one in body.tools or ())


def completion_body(answer: Completion) -> CompletionReply:
    """Return the reply that tells an answer."""
    return CompletionReply(
        content=answer.content,
        tool_calls=[ToolCallItem(id=one.id, name=one.name, arguments=one.arguments) for one in answer.tool_calls],
        model=answer.model,
        finish_reason=answer.finish_reason,
        usage=CompletionUsage(
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            total_tokens=answer.input_tokens + answer.output_tokens,
            estimated_cost=answer.estimated_cost,
        ),
        latency_ms=answer.latency_ms,
    )


def usage_summary(used: UsageFigures) -> UsageSummary:
    """Return what all calls used."""
    return UsageSummary(
        total_tokens=used.total_tokens,
        total_cost=used.total_cost,
        request_count=used.request_count,
        avg_latency=used.avg_latency_ms,
    )


def usage_of_model(used: UsageFigures) -> UsageOfModel:
    """Return what the calls of one model used."""
    return UsageOfModel(
        model_id=used.model_id,
        provider=used.provider,
        total_tokens=used.total_tokens,
        total_cost=used.total_cost,
        request_count=used.request_count,
    )


def _parts(body: CompletionBody) -> Iterator[tuple[str, str, TextPart | ImagePart | FilePart]]:
    """Yield where each part stands, whose it is, and the part."""
    for number, message in enumerate(body.messages):
        if not isinstance(message.content, str):
            for place, part in enumerate(message.content):
                yield f"/messages/{number}/content/{place}", message.role, part


def _message(number: int, message: CompletionMessage, texts: Mapping[str, str]) -> Message:
    content = message.content
    text, images = (content, ()) if isinstance(content, str) else _joined(content, texts)
    calls = tuple(
        ToolCall(call.id, call.name, _arguments(f"/messages/{number}/tool_calls/{place}/arguments", call.arguments))
        for place, call in enumerate(message.tool_calls or ())
    )
    return Message(message.role, text, calls, message.tool_call_id or "", message.name or "", images)


def _joined(parts: Sequence[Part], texts: Mapping[str, str]) -> tuple[str, tuple[Image, ...]]:
    """Return the texts of a message, each on a line of its own, and the pictures with their places among them."""
    said, images, follows_text = "", [], False
    for part in parts:
        if isinstance(part, ImagePart):
            images.append(Image(part.url, len(said)))
        else:
            text = texts[part.attachment_id] if isinstance(part, FilePart) else part.text
            said += f"\n{text}" if follows_text else text
        follows_text = not isinstance(part, ImagePart)
    return said, tuple(images)


def _arguments(path: str, given: str | JsonObject) -> JsonObject:
    try:
        read: Any = msgspec.json.decode(given) if isinstance(given, str) else given
    except msgspec.DecodeError as error:
        raise _refused(path, "must be a JSON object, or the text of one") from error
    if not isinstance(read, dict):
        raise _refused(path, "must be a JSON object, or the text of one")
    return read


def _refused(path: str, message: str) -> InvalidInput:
    return InvalidInput("Invalid request", details={"fields": [{"path": path, "message": message}]})
