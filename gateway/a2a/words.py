"""Agent2Agent in its two spellings: 0.3 (`message/send`, `kind`) and 1.0 (`SendMessage`, ProtoJSON). Pure.

What is asked is read into one form, and tasks are written in the spelling in which was asked.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from msgspec import json as msgjson

from actors.a2a_desk import PushConfig, StandingTask
from actors.a2a_forms import artifact_form
from domain.clock import parse_iso
from domain.json_values import JsonObject, JsonValue
from gateway.bodies.texts import NUL

Dialect = Literal["0.3", "1.0"]
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32_700, -32_600, -32_601, -32_602, -32_603
TASK_NOT_FOUND, NOT_CANCELABLE, UNSUPPORTED, CONTENT_TYPE, VERSION = -32_001, -32_002, -32_004, -32_005, -32_009
ID_MAX_CHARS: Final = 200
PAGE_DEFAULT, PAGE_MAX = 50, 100
OFFSET_MAX: Final = 10_000_000
METHODS: Final[Mapping[str, tuple[str, Dialect]]] = MappingProxyType(
    {
        "message/send": ("send", "0.3"),
        "message/stream": ("stream", "0.3"),
        "tasks/get": ("get", "0.3"),
        "tasks/list": ("list_tasks", "0.3"),
        "tasks/cancel": ("cancel", "0.3"),
        "tasks/resubscribe": ("subscribe", "0.3"),
        "tasks/pushNotificationConfig/set": ("set_push", "0.3"),
        "tasks/pushNotificationConfig/get": ("get_push", "0.3"),
        "tasks/pushNotificationConfig/list": ("list_pushes", "0.3"),
        "tasks/pushNotificationConfig/delete": ("delete_push", "0.3"),
        "agent/getAuthenticatedExtendedCard": ("card", "0.3"),
        "SendMessage": ("send", "1.0"),
        "SendStreamingMessage": ("stream", "1.0"),
        "GetTask": ("get", "1.0"),
        "ListTasks": ("list_tasks", "1.0"),
        "CancelTask": ("cancel", "1.0"),
        "SubscribeToTask": ("subscribe", "1.0"),
        "CreateTaskPushNotificationConfig": ("set_push", "1.0"),
        "GetTaskPushNotificationConfig": ("get_push", "1.0"),
        "ListTaskPushNotificationConfigs": ("list_pushes", "1.0"),
        "DeleteTaskPushNotificationConfig": ("delete_push", "1.0"),
        "GetExtendedAgentCard": ("card", "1.0"),
    }
)
"""Method -> what is asked, and in which spelling."""


class RpcFault(Exception):
    """A request cannot be answered with a result."""

    def __init__(self, code: int, message: str, data: JsonObject | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class AskedMessage(NamedTuple):
    """A message for a task, or for a new one; `waits`: the answer is wanted, not the task while it works."""

    message_id: str
    text: str
    metadata: JsonObject
    task_id: str = ""
    context_id: str = ""
    waits: bool = True
    history: int | None = None
    push: PushConfig | None = None


class AskedList(NamedTuple):
    """Which tasks are wanted."""

    context_id: str
    state: str
    since: datetime | None
    limit: int
    offset: int
    history: int
    with_artifacts: bool


def read_message(params: JsonObject, dialect: Dialect, new_id: str) -> AskedMessage:
    """Return the message that is sent. Raises RpcFault."""
    message = _object(params, "message")
    if message.get("role") not in ("user", "ROLE_USER"):
        raise RpcFault(INVALID_PARAMS, "message.role must be that of the user")
    texts: list[str] = []
    data: JsonObject = {}
    parts = message.get("parts")
    for part in parts if isinstance(parts, list) else ():
        match part:
            case {"text": str(text)}:
                texts.append(text)
            case {"data": dict(values)}:
                data |= values
            case _:
                raise RpcFault(CONTENT_TYPE, "Only parts of text and data are taken here")
    text = "\n".join(texts) or (msgjson.encode(data).decode() if data else "")
    if not text or NUL in text:
        raise RpcFault(INVALID_PARAMS, "message.parts must hold a text, without U+0000")
    metadata = message.get("metadata")
    given = {**(metadata if isinstance(metadata, dict) else {}), **data}
    wanted = params.get("configuration")
    asked: JsonObject = wanted if isinstance(wanted, dict) else {}
    waits = not asked.get("returnImmediately") if dialect == "1.0" else asked.get("blocking") is not False
    address = asked.get("taskPushNotificationConfig" if dialect == "1.0" else "pushNotificationConfig")
    return AskedMessage(
        message_id=text_of(message, "messageId"),
        text=text,
        metadata=given,
        task_id=text_of(message, "taskId", needed=False),
        context_id=text_of(message, "contextId", needed=False),
        waits=waits,
        history=_number(asked, "historyLength"),
        push=read_push(address, dialect, new_id) if isinstance(address, dict) else None,
    )


def read_push(given: JsonObject, dialect: Dialect, new_id: str) -> PushConfig:
    """Return an address that is to be told of a task. Raises RpcFault."""
    how = given.get("authentication")
    asked: JsonObject = how if isinstance(how, dict) else {}
    schemes = asked.get("schemes")
    scheme = asked.get("scheme") or (schemes[0] if isinstance(schemes, list) and schemes else "")
    return PushConfig(
        config_id=text_of(given, "id", needed=False) or new_id,
        url=text_of(given, "url", most=2_048),
        token=text_of(given, "token", needed=False, most=4_096),
        scheme=scheme if isinstance(scheme, str) and scheme.isidentifier() else "",
        credentials=text_of(asked, "credentials", needed=False, most=4_096),
        dialect=dialect,
    )


def read_list(params: JsonObject) -> AskedList:
    """Return which tasks are wanted. Raises RpcFault."""
    limit = _number(params, "pageSize")
    if limit is not None and not 1 <= limit <= PAGE_MAX:
        raise RpcFault(INVALID_PARAMS, f"pageSize must be 1 to {PAGE_MAX}")
    since = text_of(params, "lastUpdatedAfter", needed=False) or text_of(params, "statusTimestampAfter", needed=False)
    try:
        moment = parse_iso(since) if since else None
        token = text_of(params, "pageToken", needed=False)
        offset = int(urlsafe_b64decode(token.encode()).decode("ascii")) if token else 0
    except (ValueError, binascii.Error) as error:
        raise RpcFault(INVALID_PARAMS, "A time is ISO 8601, and pageToken that of the page before") from error
    if not 0 <= offset <= OFFSET_MAX:
        raise RpcFault(INVALID_PARAMS, "pageToken must be that of the page before")
    state = text_of(params, "status", needed=False)
    return AskedList(
        context_id=text_of(params, "contextId", needed=False),
        state=state.removeprefix("TASK_STATE_").lower().replace("_", "-").replace("unspecified", ""),
        since=moment,
        limit=limit or PAGE_DEFAULT,
        offset=offset,
        history=_number(params, "historyLength") or 0,
        with_artifacts=params.get("includeArtifacts") is True,
    )


def text_of(given: JsonObject, name: str, *, needed: bool = True, most: int = ID_MAX_CHARS) -> str:
    """Return a text of a request. Raises RpcFault."""
    value = given.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value) or len(value) > most or not value.isprintable():
        raise RpcFault(INVALID_PARAMS, f"{name} must be a text of at most {most} characters")
    return value


def artifact_event(
    standing: StandingTask, message_id: str, text: str, dialect: str, *, appends: bool, is_last: bool
) -> JsonObject:
    """Return the event of a piece of a reply; one that does not append takes the place of what was told before."""
    told: JsonObject = {
        "taskId": standing.task.task_id,
        "contextId": standing.task.session_id,
        "artifact": artifact_form(message_id, text, dialect),
        "append": appends,
        "lastChunk": is_last,
    }
    return {"artifactUpdate": told} if dialect == "1.0" else {"kind": "artifact-update", **told}


def push_form(task_id: str, config: PushConfig, dialect: str) -> JsonObject:
    """Return an address that is told of a task; its secrets are given back to nobody."""
    told: JsonObject = {"id": config.config_id, "url": config.url}
    if config.scheme:
        told["authentication"] = {"scheme": config.scheme} if dialect == "1.0" else {"schemes": [config.scheme]}
    return {**told, "taskId": task_id} if dialect == "1.0" else {"taskId": task_id, "pushNotificationConfig": told}


def list_form(tasks: Sequence[JsonObject], asked: AskedList, total: int) -> JsonObject:
    """Return a page of tasks."""
    end = asked.offset + len(tasks)
    token = urlsafe_b64encode(str(end).encode()).decode() if tasks and end < total else ""
    return {"tasks": list(tasks), "nextPageToken": token, "pageSize": asked.limit, "totalSize": total}


def history_of(params: JsonObject) -> int | None:
    """Return how many messages are wanted with a task. Raises RpcFault."""
    return _number(params, "historyLength")


def _object(given: JsonObject, name: str) -> JsonObject:
    value: JsonValue = given.get(name)
    if not isinstance(value, dict):
        raise RpcFault(INVALID_PARAMS, f"{name} must be an object")
    return value


def _number(given: JsonObject, name: str) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise RpcFault(INVALID_PARAMS, f"{name} must be a whole number")
    return value
