"""Agents elsewhere that speak this platform's chat API. Spec: platform-api 4.1.

The endpoint is the whole address of the route. What the route wants in its body and no agent says (`projectId`,
`agentId`, `deploymentId`, `environment`) stands in the endpoint's query and is moved into the body.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from domain.json_values import JsonObject
from domain.limits import METADATA_MAX_BYTES, METADATA_VALUE_MAX_CHARS
from providers.http import HttpCall
from providers.remote.asking import RemoteCall, RemoteFailed, RemoteReply
from providers.remote.exchange import MAX_REPLY_BYTES, Exchange

OF_THE_BODY: Final = ("projectId", "agentId", "deploymentId", "environment")
NEEDS_USER: Final = frozenset({"collect", "suspend", "escalate"})
"""Actions of a turn after which the agent waits for somebody."""


class RestAgent:
    """Asks over the chat API. Satisfies `providers.remote.asking.RemoteAgent`.

    The idempotency key makes a repetition the same turn over there, so whatever passes is tried again.
    """

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def ask(self, call: RemoteCall) -> RemoteReply:
        """Return the reply of the turn that `call` is. Raises RemoteFailed."""
        deadline_s = self._exchange.seconds() + call.timeout_s
        return _reply(await self._exchange.ask(request_of(call), deadline_s, may_repeat=True))


def request_of(call: RemoteCall) -> HttpCall:
    """Return the request of one turn. Raises RemoteFailed when the endpoint cannot be read."""
    try:
        parts = urlsplit(call.endpoint)
    except ValueError as error:
        raise RemoteFailed("refused", f"The endpoint of {call.agent} cannot be read") from error
    query = parse_qsl(parts.query, keep_blank_values=True)
    moved = {name: value for name, value in query if name in OF_THE_BODY}
    stays = urlencode([(name, value) for name, value in query if name not in OF_THE_BODY])
    body: JsonObject = {"message": call.text, "metadata": metadata_of(call), **moved}
    if session_id := call.conversation.get("sessionId"):
        body["sessionId"] = session_id
    return HttpCall(
        "POST",
        parts._replace(query=stays).geturl() if moved else call.endpoint,
        headers={
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Idempotency-Key": call.key,
            **call.headers,
        },
        body=msgspec.json.encode(body),
        max_response_bytes=MAX_REPLY_BYTES,
    )


def metadata_of(call: RemoteCall) -> JsonObject:
    """Return what goes beside the message, the newest lines of the history as far as they fit into its limits."""
    told = {"from": call.sender, "context": call.given, "summary": call.summary[:METADATA_VALUE_MAX_CHARS]}
    metadata: JsonObject = {name: value for name, value in told.items() if value}
    lines = [{**one, "content": str(one.get("content", ""))[:METADATA_VALUE_MAX_CHARS]} for one in call.history]
    while lines:
        whole = {**metadata, "history": lines}
        if len(msgspec.json.encode(whole)) <= METADATA_MAX_BYTES:
            return whole
        lines = lines[1:]
    return metadata


def _reply(answer: JsonObject) -> RemoteReply:
    text, state, action = answer.get("response"), answer.get("state"), answer.get("action")
    if not isinstance(text, str):
        raise RemoteFailed("unknown", "The answer is no reply of the chat API")
    kind = action.get("type") if isinstance(action, dict) else None
    session_id = answer.get("sessionId")
    return RemoteReply(
        status="completed" if kind == "complete" else "needs_input" if kind in NEEDS_USER else "answered",
        text=text,
        values=state if isinstance(state, dict) else {},
        conversation={"sessionId": session_id} if isinstance(session_id, str) else {},
    )
