"""Our requests as the Gemini API wants them. Pure.

Implicit caching keeps prefixes, so the stable part of the system prompt stands first in `systemInstruction`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from domain.json_values import JsonObject, JsonValue
from domain.model_calls import Image, Message, ModelRequest, ToolSpec
from domain.tool_calls import ToolCall
from providers.chat.wire import BAD_JSON, data_of

NOTHING: Final = "-"
UNSIGNED: Final = "skip_thought_signature_validator"
"""What stands for the signature of a call that another model has made; models from 3 on refuse a call without one."""
RESULT: Final = "result"

_UNSIGNED_MODELS: Final = re.compile(r"gemini-(pro|flash|[12]\b|[12]\.)")
_DECODER = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class GeminiRules:
    """What may be configured of the wire.

    Attributes:
        version: Of the API.
        thinking: The `thinkingConfig` to send; None leaves it to the model.
        safety: The `safetySettings` to send.
    """

    version: str = "v1beta"
    thinking: JsonObject | None = None
    safety: tuple[JsonObject, ...] = ()


def encode_request(request: ModelRequest, model: str, rules: GeminiRules) -> bytes:
    """Return the body of one call; whether it streams is said by the address."""
    leading = [one for one in request.messages if one.role == "system" and one.content.strip()]
    body: JsonObject = {}
    if leading:
        body["systemInstruction"] = {"parts": [{"text": one.content} for one in leading]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]
    body["contents"] = _contents(
        [one for one in request.messages if one.role != "system"], signs=_UNSIGNED_MODELS.match(model) is None
    )
    if config := _config(request, rules):
        body["generationConfig"] = config
    if rules.safety:
        body["safetySettings"] = rules.safety
    return _ENCODER.encode(body)


def _config(request: ModelRequest, rules: GeminiRules) -> JsonObject:
    config: JsonObject = {}
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if request.max_tokens is not None:
        config["maxOutputTokens"] = request.max_tokens
    if request.json_schema is not None:
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = request.json_schema
    if rules.thinking:
        config["thinkingConfig"] = rules.thinking
    return config


def _contents(messages: Sequence[Message], *, signs: bool) -> list[JsonObject]:
    """Return the conversation: roles that alternate, beginning with the user; results named as their calls."""
    wire: list[JsonObject] = []
    names: dict[str, str] = {}
    turn_began = max((place for place, one in enumerate(messages) if one.role == "user"), default=0)
    for place, message in enumerate(messages):
        match message.role:
            case "assistant":
                names.update((call.id, call.name) for call in message.tool_calls)
                _say(wire, "model", _said(message, signs=signs and place >= turn_began))
            case "tool":
                _say(wire, "user", [_result(message, names)])
            case _:
                _say(wire, "user", [_piece(one) for one in message.pieces()])
    if not wire or wire[0]["role"] != "user":
        wire.insert(0, {"role": "user", "parts": [{"text": NOTHING}]})
    return wire


def _piece(piece: str | Image) -> JsonObject:
    if isinstance(piece, str):
        return {"text": piece}
    data = data_of(piece.url)
    if data is None:
        return {"fileData": {"fileUri": piece.url}}
    return {"inlineData": {"mimeType": data.media_type, "data": data.base64}}


def _say(wire: list[JsonObject], role: str, parts: list[JsonObject]) -> None:
    if not parts:
        return
    if wire and wire[-1]["role"] == role:
        wire[-1]["parts"] += parts
    else:
        wire.append({"role": role, "parts": parts})


def _said(message: Message, *, signs: bool) -> list[JsonObject]:
    parts: list[JsonObject] = [{"text": message.content}] if message.content else []
    parts += [_call(call, is_first=place == 0, signs=signs) for place, call in enumerate(message.tool_calls)]
    return parts


def _call(call: ToolCall, *, is_first: bool, signs: bool) -> JsonObject:
    """Return a call with its signature; of calls at the same time only the first one has one."""
    part: JsonObject = {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
    if call.signature and not call.signature.startswith("{"):
        part["thoughtSignature"] = call.signature
    elif is_first and signs:
        part["thoughtSignature"] = UNSIGNED
    return part


def _result(message: Message, names: dict[str, str]) -> JsonObject:
    name = message.name or names.get(message.tool_call_id, "")
    response = {"id": message.tool_call_id, "name": name, "response": _object(message.content)}
    return {"functionResponse": response}


def _object(text: str) -> JsonObject:
    """Return a result as the object that the wire wants."""
    value: JsonValue = text
    try:
        value = _DECODER.decode(text)
    except BAD_JSON:
        value = text
    return value if isinstance(value, dict) else {RESULT: value}


def _declaration(tool: ToolSpec) -> JsonObject:
    made: JsonObject = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("properties"):
        made["parametersJsonSchema"] = tool.parameters
    return made
