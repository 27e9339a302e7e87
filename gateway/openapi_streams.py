"""What streams and sockets say, as the OpenAPI document tells it: an event or a frame of each kind with its fields.

Spec: platform-api 4.1, 4.3, 12.3 to 12.8.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from domain.json_values import JsonObject
from gateway import wire
from gateway.closing import CloseCode
from gateway.openapi_examples import EVENTS, SCHEMAS
from gateway.socket import AUTH, TICKET

SOCKET_PATH: Final = "/ws/sdk"
PREFIX: Final = "Socket"
"""Before the names of frames among the schemas."""
STRING: Final[JsonObject] = {"type": "string"}
STRING_OR_NULL: Final[JsonObject] = {"anyOf": [STRING, {"type": "null"}]}
WHOLE: Final[JsonObject] = {"type": "integer", "minimum": 0}
ID_OF_MESSAGE: Final[JsonObject] = {"messageId": STRING}
ERROR: Final[JsonObject] = {"error": STRING, "code": STRING, "retryAfterMs": WHOLE}


def _data(needed: JsonObject, **more: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {**needed, **more}, "required": list(needed)}


def _form(name: str) -> JsonObject:
    return {"$ref": SCHEMAS + name}


def _or_null(name: str) -> JsonObject:
    return {"anyOf": [_form(name), {"type": "null"}]}


OF_TURN: Final[dict[str, JsonObject]] = {
    "session_start": _data({"sessionId": STRING}),
    "response_start": _data(ID_OF_MESSAGE, agentName=STRING, attempt=WHOLE, answers=STRING),
    "response_restart": _data(ID_OF_MESSAGE, attempt=WHOLE),
    "response_chunk": _data({**ID_OF_MESSAGE, "chunk": STRING}),
    "trace_event": _data({"event": _form("TraceItem")}),
    "response_end": _data(
        {
            **ID_OF_MESSAGE,
            "fullText": STRING,
            "richContent": _or_null("RichContent"),
            "actions": _or_null("ActionSet"),
            "openActions": STRING_OR_NULL,
        },
        action=_form("TurnAction"),
        voiceConfig=_form("VoiceConfig"),
        interrupted={"type": "boolean"},
    ),
    "error": _data({"error": STRING}, code=STRING, retryAfterMs=WHOLE, openActions=STRING),
    "complete": _form("ChatReply"),
}
_CALL: Final[JsonObject] = {"id": STRING, "name": STRING}
PRICE: Final[JsonObject] = {"anyOf": [{"type": "number"}, {"type": "null"}]}
_USED: Final[JsonObject] = {"inputTokens": WHOLE, "outputTokens": WHOLE}
OF_COMPLETION: Final[dict[str, JsonObject]] = {
    "metadata": _data({"modelId": STRING, "provider": STRING, "source": STRING}),
    "text_delta": _data({"delta": STRING}),
    "tool_call_start": _data(_CALL),
    "tool_call_delta": _data({"id": STRING, "arguments": STRING}),
    "tool_call_end": _data({**_CALL, "arguments": STRING}),
    "usage": _data(_USED),
    "error": _data({"error": STRING}, code=STRING, retryAfterMs=WHOLE),
    "complete": _data(
        {
            **_USED,
            "totalTokens": WHOLE,
            "estimatedCost": PRICE,
            "latencyMs": WHOLE,
        },
        finishReason=STRING,
    ),
}
STREAMS: Final = {"/api/v1/chat/agent": OF_TURN, "/api/v1/chat/stream": OF_COMPLETION}
"""Path -> the events of its stream; the last event of each is `complete` or `error`."""


def describe_streams(document: JsonObject) -> None:
    """Put the events of every stream and the frames of the socket into a document."""
    for path, events in STREAMS.items():
        content = document["paths"][path]["post"]["responses"]["200"]["content"][EVENTS]
        content["schema"] = {
            "description": "One event; lines that begin with a colon are none. `complete` or `error` is the last",
            "oneOf": [_own(_event(name, data)) for name, data in events.items()],
        }
    document["x-websockets"] = {SOCKET_PATH: _own(_socket(document["components"]["schemas"]))}


def _own(value: JsonObject) -> JsonObject:
    """Return a copy of which no part stands in two places: each is given a description of its own."""
    made: JsonObject = msgspec.json.decode(msgspec.json.encode(value))
    return made


def _event(name: str, data: JsonObject) -> JsonObject:
    told: JsonObject = {
        "event": {"const": name},
        "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": data},
        "id": {"type": "string", "description": "Where to go on from, in `Last-Event-ID`"},
    }
    return {"title": name, "type": "object", "properties": told, "required": ["event", "data"]}


def _socket(schemas: JsonObject) -> JsonObject:
    """Return what is said of the socket, and add its frames to the schemas."""
    frames: list[Any] = [*wire.CLIENT_FRAMES.values(), *wire.SERVER_FRAMES.values()]
    _, described = msgspec.json.schema_components(frames, ref_template=SCHEMAS + PREFIX + "{name}")
    schemas.update({PREFIX + name: schema for name, schema in described.items()})
    return {
        "summary": "Carry a conversation",
        "description": (
            f"Offer the sub-protocols `{AUTH}` and an SDK session token, or `{TICKET}` and a ticket. The connection is "
            "open after `session_start`. Each frame is one JSON object; `seq` counts the output of the session."
        ),
        "parameters": [
            {
                "name": "lastSeq",
                "in": "query",
                "required": False,
                "schema": WHOLE,
                "description": "Number of the last frame that was seen: the session's output goes on behind it",
            }
        ],
        "subprotocols": [AUTH, TICKET],
        "security": [{"sdkToken": []}],
        "x-permission": "session:send_message",
        "send": {name: _form(PREFIX + frame.__name__) for name, frame in wire.CLIENT_FRAMES.items()},
        "receive": {name: _form(PREFIX + frame.__name__) for name, frame in wire.SERVER_FRAMES.items()},
        "closeCodes": {str(code.value): code.name.lower().replace("_", " ") for code in CloseCode},
    }
