"""Our requests as the Anthropic Messages API wants them. Pure.

The order is tools, system, messages, what never changes first; `cache_control` marks where a prefix may be kept: after
the stable part of the system prompt, and after the last message where more rounds with tools will follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import msgspec

from domain.json_values import JsonObject
from domain.model_calls import Image, Message, ModelRequest, ToolSpec
from domain.tool_calls import ToolCall
from providers.chat.openai_wire import NO_PARAMETERS, SCHEMA_INSTRUCTION
from providers.chat.strict_schema import strict_schema
from providers.chat.wire import BAD_JSON, data_of, json_text

DEFAULT_MAX_TOKENS: Final = 8_192
"""The wire needs a bound of the answer; what a model thinks counts too."""
NOTHING: Final = "-"
"""The wire refuses empty texts and a conversation that does not begin with the user."""

_CACHED: Final[JsonObject] = {"type": "ephemeral"}
_SAMPLES: Final = re.compile(r"claude-(instant|v?[123]|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8}|-latest)?$)")
"""Names of models that take a temperature; those that came later refuse one."""
_NO_SCHEMAS: Final = re.compile(r"claude-(instant|v?[123]|(opus|sonnet)-4(-[01])?(-\d{8}|-latest)?$)")
"""Names of models that cannot be held to a schema."""
_NO_ID: Final = re.compile(r"[^a-zA-Z0-9_-]")
_DECODER = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class AnthropicRules:
    """What may be configured of the wire.

    Attributes:
        max_tokens: Of the answer where the request says nothing.
        caching: Whether prefixes are marked for the prompt cache.
        temperature, schemas: Whether the model takes a temperature, output schemas; None: as its name says.
        thinking: The `thinking` object to send; empty leaves it to the model.
        effort: The `output_config.effort` to send.
    """

    max_tokens: int = DEFAULT_MAX_TOKENS
    caching: bool = True
    temperature: bool | None = None
    schemas: bool | None = None
    thinking: JsonObject | None = None
    effort: str = ""


def encode_request(request: ModelRequest, model: str, rules: AnthropicRules, *, stream: bool) -> bytes:
    """Return the body of one call."""
    body: JsonObject = {"model": model, "max_tokens": request.max_tokens or rules.max_tokens}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    leading = leading_system(request.messages)
    if system := _system(leading, request.stable_chars, rules):
        body["system"] = system
    messages = _messages(request.messages[len(leading) :], prefix_hash(request, model))
    output: JsonObject = {"effort": rules.effort} if rules.effort else {}
    if request.json_schema is not None:
        if schema := _schema_for(request.json_schema, model, rules):
            output["format"] = {"type": "json_schema", "schema": schema}
        else:
            _say(messages, "user", [_text(SCHEMA_INSTRUCTION + json_text(request.json_schema))])
    if rules.caching and request.tools:
        messages[-1]["content"][-1]["cache_control"] = _CACHED
    body["messages"] = messages
    if output:
        body["output_config"] = output
    if rules.thinking:
        body["thinking"] = rules.thinking
    if request.temperature is not None and _fits(_SAMPLES, model, rules.temperature):
        body["temperature"] = min(request.temperature, 1.0)
    if stream:
        body["stream"] = True
    return _ENCODER.encode(body)


def leading_system(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the system messages before the conversation; later ones are said within it."""
    for place, message in enumerate(messages):
        if message.role != "system":
            return messages[:place]
    return messages


def prefix_hash(request: ModelRequest, model: str) -> str:
    """Return what thoughts are bound to: the API refuses them under another model, prompt or set of tools."""
    digest = blake2b(model.encode(), digest_size=8)
    for message in leading_system(request.messages):
        digest.update(message.content.encode())
    for tool in request.tools:
        digest.update(tool.name.encode())
    return digest.hexdigest()


def _system(leading: Sequence[Message], stable_chars: int, rules: AnthropicRules) -> list[JsonObject]:
    """Return the system prompt in blocks: what never changes, marked for the cache, and what does."""
    blocks: list[JsonObject] = []
    for place, message in enumerate(leading):
        text = message.content
        if place or not 0 < stable_chars < len(text):
            blocks += [_text(text)] if text.strip() else []
            continue
        blocks += [_text(part) for part in (text[:stable_chars], text[stable_chars:]) if part.strip()]
    if blocks and rules.caching:
        blocks[0]["cache_control"] = _CACHED
    return blocks


def _messages(messages: Sequence[Message], prefix: str) -> list[JsonObject]:
    """Return the conversation: roles that alternate, beginning with the user; every call with an id of its own."""
    wire: list[JsonObject] = []
    ids = _Ids()
    turn_began = max((place for place, one in enumerate(messages) if one.role == "user"), default=0)
    for place, message in enumerate(messages):
        match message.role:
            case "assistant":
                signed = prefix if place >= turn_began else ""
                _say(wire, "assistant", _said(message, ids, signed))
            case "tool":
                _say(wire, "user", [_result(message, ids)])
            case _:
                _say(wire, "user", [_piece(one) for one in message.pieces() if not isinstance(one, str) or one.strip()])
    if not wire or wire[0]["role"] != "user":
        wire.insert(0, {"role": "user", "content": [_text(NOTHING)]})
    if wire[-1]["role"] != "user":
        wire.append({"role": "user", "content": [_text(NOTHING)]})
    return wire


def _piece(piece: str | Image) -> JsonObject:
    if isinstance(piece, str):
        return _text(piece)
    data = data_of(piece.url)
    if data is None:
        return {"type": "image", "source": {"type": "url", "url": piece.url}}
    return {"type": "image", "source": {"type": "base64", "media_type": data.media_type, "data": data.base64}}


def _say(wire: list[JsonObject], role: str, blocks: list[JsonObject]) -> None:
    if not blocks:
        return
    if wire and wire[-1]["role"] == role:
        wire[-1]["content"] += blocks
    else:
        wire.append({"role": role, "content": blocks})


class _Ids:
    """Gives calls ids that are legal and occur once; results find that of the last call of the same name."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._taken: set[str] = set()

    def of_call(self, call: ToolCall) -> str:
        legal = made = _NO_ID.sub("_", call.id) or "call"
        again = 1
        while made in self._taken:
            made, again = f"{legal}_{again}", again + 1
        self._taken.add(made)
        self._given[call.id] = made
        return made

    def of_result(self, call_id: str) -> str:
        return self._given.get(call_id) or _NO_ID.sub("_", call_id) or "call"


def _said(message: Message, ids: _Ids, prefix: str) -> list[JsonObject]:
    blocks: list[JsonObject] = [_text(message.content)] if message.content.strip() else []
    for place, call in enumerate(message.tool_calls):
        thoughts = list(_thoughts(call.signature, prefix))
        if place == 0:
            blocks = [*thoughts, *blocks]
        else:
            blocks += thoughts
        blocks.append({"type": "tool_use", "id": ids.of_call(call), "name": call.name, "input": call.arguments})
    return blocks


def _thoughts(signature: str, prefix: str) -> Iterable[JsonObject]:
    """Return the thinking blocks that came before a call, none when they were thought under another prompt."""
    if not signature or not prefix:
        return ()
    try:
        kept = _DECODER.decode(signature)
    except BAD_JSON:
        return ()
    if not isinstance(kept, dict) or kept.get("of") != prefix:
        return ()
    return tuple(kept.get("blocks", ()))


def _result(message: Message, ids: _Ids) -> JsonObject:
    result: JsonObject = {"type": "tool_result", "tool_use_id": ids.of_result(message.tool_call_id)}
    if message.content:
        result["content"] = message.content
    return result


def _tool(tool: ToolSpec) -> JsonObject:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters or NO_PARAMETERS}


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _schema_for(schema: JsonObject, model: str, rules: AnthropicRules) -> Any:
    takes = _NO_SCHEMAS.match(model) is None if rules.schemas is None else rules.schemas
    return strict_schema(schema) if takes else None


def _fits(names: re.Pattern[str], model: str, configured: bool | None) -> bool:
    return names.match(model) is not None if configured is None else configured
