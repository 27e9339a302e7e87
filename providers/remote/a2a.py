"""Agents elsewhere that speak Agent2Agent 0.3: JSON-RPC 2.0 over HTTP, `message/send`, and `tasks/get` while it works.

The message's id is made from the effect's key, so that a server that looks at ids finds the task it has begun. The
protocol does not oblige it to: `message/send` is repeated only when it was not taken. Spec: a2a-protocol.org, 0.3,
sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final
from uuid import UUID

import msgspec

from domain.json_values import JsonObject, JsonValue
from providers.http import HttpCall
from providers.remote.asking import RemoteCall, RemoteFailed, RemoteReply
from providers.remote.exchange import MAX_REPLY_BYTES, Exchange

WORKING: Final = frozenset({"submitted", "working"})
OVER: Final = frozenset({"failed", "canceled", "rejected", "auth-required"})
FIRST_LOOK_S: Final = 0.25
LONGEST_LOOK_S: Final = 5.0
SLOWER: Final = 1.5
CANCEL_S: Final = 2.0
"""How long a task that is too late may take to hear that it should stop."""
UUID_BYTES: Final = 16


class A2aAgent:
    """Asks over Agent2Agent. Satisfies `providers.remote.asking.RemoteAgent`."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def ask(self, call: RemoteCall) -> RemoteReply:
        """Return what the task has come to, or the message that answers at once. Raises RemoteFailed."""
        deadline_s = self._exchange.seconds() + call.timeout_s
        sent = rpc(call, "message/send", {"message": message_of(call), "configuration": _CONFIGURATION})
        found = _result(await self._exchange.ask(sent, deadline_s, may_repeat=False), asked="message/send")
        pause_s = FIRST_LOOK_S
        while _state(found) in WORKING:
            if self._exchange.seconds() + pause_s >= deadline_s:
                raise await self._stopped(call, found)
            await self._exchange.wait(pause_s)
            pause_s = min(pause_s * SLOWER, LONGEST_LOOK_S)
            found = await self._looked_at(call, found, deadline_s)
        return reply_of(found, returns=call.returns)

    async def _looked_at(self, call: RemoteCall, task: JsonObject, deadline_s: float) -> JsonObject:
        """Return a task as it stands now; one that was taken and cannot be looked at may be done."""
        try:
            looking = rpc(call, "tasks/get", {"id": _task_id(task)})
            return _result(await self._exchange.ask(looking, deadline_s, may_repeat=True), asked="tasks/get")
        except RemoteFailed as failure:
            raise RemoteFailed("unknown", f"The task was taken, and not heard of again: {failure.message}") from failure

    async def _stopped(self, call: RemoteCall, task: JsonObject) -> RemoteFailed:
        """Have a task stop that is too late; return what that means."""
        stopping = rpc(call, "tasks/cancel", {"id": _task_id(task)})
        try:
            found = _result(
                await self._exchange.ask(stopping, self._exchange.seconds() + CANCEL_S, may_repeat=True),
                asked="tasks/cancel",
            )
        except RemoteFailed:
            return RemoteFailed("unknown", f"{call.agent} has not finished in time and cannot be stopped")
        if _state(found) == "canceled":
            return RemoteFailed("timeout", f"{call.agent} has not finished in time")
        return RemoteFailed("unknown", f"{call.agent} has not finished in time and goes on")


_CONFIGURATION: Final[JsonObject] = {"acceptedOutputModes": ["text/plain", "application/json"], "blocking": True}


def message_id(key: str) -> str:
    """Return the id of the message with an effect's key, in the form of a UUID: the same for every repetition."""
    return str(UUID(bytes=blake2b(key.encode(), digest_size=UUID_BYTES).digest()))


def message_of(call: RemoteCall) -> JsonObject:
    """Return the Message object: the words, the values as data, and where in which conversation it belongs."""
    parts: list[JsonValue] = [{"kind": "text", "text": call.text}]
    if call.given:
        parts.append({"kind": "data", "data": call.given})
    told = {"from": call.sender, "summary": call.summary, "history": call.history}
    metadata = {name: value for name, value in told.items() if value}
    known = {name: call.conversation[name] for name in ("contextId", "taskId") if call.conversation.get(name)}
    message: JsonObject = {"kind": "message", "role": "user", "messageId": message_id(call.key), "parts": parts}
    return {**message, **known, **({"metadata": metadata} if metadata else {})}


def rpc(call: RemoteCall, method: str, params: JsonObject) -> HttpCall:
    """Return the request of one method."""
    body = {"jsonrpc": "2.0", "id": message_id(call.key), "method": method, "params": params}
    headers = {"Content-Type": "application/json", "Accept": "application/json", **call.headers}
    headers["Connection"] = "close"  # a kept connection may be cut as it is used, and then nobody knows what arrived
    if method == "message/send":
        headers["Idempotency-Key"] = call.key
    return HttpCall(
        "POST", call.endpoint, headers=headers, body=msgspec.json.encode(body), max_response_bytes=MAX_REPLY_BYTES
    )


def reply_of(found: JsonObject, *, returns: bool = False) -> RemoteReply:
    """Return a Task that rests, or a Message, as a reply. Raises RemoteFailed when the task has not been done.

    A Message begins nothing that goes on: for somebody who waits (`returns`) it is all there is to come.
    """
    if "status" not in found:
        text, values = _content(found.get("parts"))
        known = _named(found, "contextId")
        return RemoteReply(status="completed" if returns else "answered", text=text, values=values, conversation=known)
    state = _state(found)
    told = found["status"].get("message")
    said, more = _content(told.get("parts") if isinstance(told, dict) else None)
    if state in OVER:
        raise RemoteFailed("refused", said or f"The task is {state}")
    if state == "input-required":
        known = {**_named(found, "contextId"), "taskId": _task_id(found)}
        return RemoteReply(status="needs_input", text=said, values=more, conversation=known)
    if state != "completed":
        raise RemoteFailed("unknown", f"The task is in the state {state!r}")
    texts, values = [said], dict(more)
    for artifact in _objects(found.get("artifacts")):
        text, data = _content(artifact.get("parts"))
        texts.append(text)
        values |= data
    whole = "\n\n".join(dict.fromkeys(text for text in texts if text))
    return RemoteReply(status="completed", text=whole, values=values, conversation=_named(found, "contextId"))


def _result(answer: JsonObject, *, asked: str) -> JsonObject:
    """Return the result of a response. Raises RemoteFailed for an error, and for what is no response."""
    error = answer.get("error")
    if isinstance(error, dict):
        raise RemoteFailed("refused", f"{asked} was refused with {error.get('code')}: {error.get('message', '')}")
    result = answer.get("result")
    if not isinstance(result, dict) or not (_state(result) or ("parts" in result and "status" not in result)):
        raise RemoteFailed("unknown", f"The answer to {asked} is no task and no message")
    return result


def _state(found: JsonObject) -> str:
    status = found.get("status")
    return str(status.get("state", "")) if isinstance(status, dict) else ""


def _task_id(task: JsonObject) -> str:
    found = task.get("id")
    if not isinstance(found, str) or not found:
        raise RemoteFailed("unknown", "The task has no id")
    return found


def _named(found: JsonObject, name: str) -> JsonObject:
    value = found.get(name)
    return {name: value} if isinstance(value, str) and value else {}


def _content(parts: JsonValue) -> tuple[str, JsonObject]:
    """Return the words and the values of parts; files are not taken."""
    texts: list[str] = []
    values: JsonObject = {}
    for part in _objects(parts):
        match part.get("kind"), part.get("text"), part.get("data"):
            case "text", str(text), _:
                texts.append(text)
            case "data", _, dict(data):
                values |= data
    return "\n\n".join(text for text in texts if text), values


def _objects(values: JsonValue) -> Iterator[JsonObject]:
    for one in values if isinstance(values, list) else ():
        if isinstance(one, dict):
            yield one
