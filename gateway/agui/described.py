"""The events of a run, as the OpenAPI document tells them. Spec: docs.ag-ui.com, 1.0 (Events)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from domain.json_values import JsonObject
from gateway.envelope import json_bytes

STRING: Final[JsonObject] = {"type": "string"}
OBJECT: Final[JsonObject] = {"type": "object", "additionalProperties": True}
LIST: Final[JsonObject] = {"type": "array", "items": OBJECT}
RUN: Final[JsonObject] = {"threadId": STRING, "runId": STRING}
MESSAGE: Final[JsonObject] = {"messageId": STRING}
CALL: Final[JsonObject] = {"toolCallId": STRING}
EVENTS: Final[Mapping[str, tuple[JsonObject, JsonObject]]] = {
    "RUN_STARTED": ({**RUN, "protocolVersion": STRING}, {"parentRunId": STRING}),
    "TEXT_MESSAGE_START": ({**MESSAGE, "role": STRING}, {}),
    "TEXT_MESSAGE_CONTENT": ({**MESSAGE, "delta": STRING}, {}),
    "TEXT_MESSAGE_END": (MESSAGE, {}),
    "TOOL_CALL_START": ({**CALL, "toolCallName": STRING}, {}),
    "TOOL_CALL_ARGS": ({**CALL, "delta": STRING}, {}),
    "TOOL_CALL_END": (CALL, {}),
    "TOOL_CALL_RESULT": ({**MESSAGE, **CALL, "content": STRING}, {}),
    "MESSAGES_SNAPSHOT": ({"messages": LIST}, {}),
    "STATE_DELTA": ({"delta": LIST}, {}),
    "STATE_SNAPSHOT": ({"snapshot": OBJECT}, {}),
    "CUSTOM": ({"name": STRING, "value": OBJECT}, {}),
    "RUN_FINISHED": ({**RUN, "outcome": OBJECT}, {"result": OBJECT, "usage": LIST}),
    "RUN_ERROR": ({"message": STRING, "code": STRING}, {"metadata": OBJECT}),
}
"""Type -> the fields that an event has, and those that it may have."""
SHOWN: Final[tuple[JsonObject, ...]] = (
    {"type": "RUN_STARTED", "threadId": "thread-1", "runId": "run-1", "protocolVersion": "1.0"},
    {"type": "TEXT_MESSAGE_START", "messageId": "msg_c1", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "msg_c1", "delta": "Your parcel is on its way."},
    {"type": "TEXT_MESSAGE_END", "messageId": "msg_c1"},
    {"type": "RUN_FINISHED", "threadId": "thread-1", "runId": "run-1", "outcome": {"type": "success"}},
)
"""A run, for the example."""


def written(event: JsonObject) -> bytes:
    """Return the bytes of one event, whose name stands in its data."""
    return b"data: %s\n\n" % json_bytes(event)


def stream_content() -> JsonObject:
    """Return the schema and the example of the stream of a run."""
    data: JsonObject = {"oneOf": [_event(kind, *fields) for kind, fields in EVENTS.items()]}
    schema: JsonObject = {
        "description": "One event of the run; lines that begin with a colon are none",
        "type": "object",
        "required": ["data"],
        "properties": {"data": {**STRING, "contentMediaType": "application/json", "contentSchema": data}},
    }
    return {"schema": schema, "example": b"".join(map(written, SHOWN)).decode()}


def _event(kind: str, needed: JsonObject, more: JsonObject) -> JsonObject:
    fields = {name: dict(one) for name, one in {"type": {"const": kind}, **needed, **more}.items()}
    return {"title": kind, "type": "object", "properties": fields, "required": ["type", *needed]}
