"""The official client's HTTP over our own: guarded addresses, byte limits, and failures that say whether they arrived.

The client tears its whole connection down when a request raises. So a request that fails is answered here with a
JSON-RPC error of our own, which says what happened and whether the request may have reached the other side.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

import httpx2
import msgspec

from domain.json_values import JsonObject
from providers.failures import CallFailed, FailureKind
from providers.http import HttpCall, HttpClient, OpenAnswer, Timeouts
from providers.mcp import bounds

NOT_ANSWERED: Final = -32_098
"""Code of our own errors; `data` is `{kind, sent}`."""
EVENTS: Final = "text/event-stream"
JSON: Final = "application/json"
_TIMEOUTS: Final = Timeouts(total_s=bounds.CALL_MAX_S, connect_s=bounds.CONNECT_S, idle_s=bounds.CALL_MAX_S)
_LEFT_TO_THE_CLIENT: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED})
_MAY_HAVE_ARRIVED: Final = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
_OURS: Final = frozenset({"host", "content-length", "connection", "accept-encoding", "user-agent"})


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends the requests of one MCP connection."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the answer; never raises for what goes wrong outside."""
        if request.method == "GET" and "last-event-id" not in request.headers:
            return httpx2.Response(HTTPStatus.METHOD_NOT_ALLOWED)  # nothing that a server sends by itself is wanted
        call = HttpCall(
            request.method,
            str(request.url),
            headers={name: value for name, value in request.headers.items() if name.lower() not in _OURS},
            body=await request.aread() or None,
            timeouts=_TIMEOUTS,
        )
        try:
            answer = await self._client.open(call)
            if answer.status < HTTPStatus.BAD_REQUEST and _kind(answer) == EVENTS:
                return httpx2.Response(answer.status, headers=_kept(answer), stream=_Pieces(answer))
            try:
                body = await answer.body(bounds.RESULT_MAX_BYTES)
            finally:
                answer.close()
        except CallFailed as failure:
            return _failed(str(failure.kind), failure.message, sent=failure.sent)
        return _answered(answer, body)


class _Pieces(httpx2.AsyncByteStream):
    """The events of an answer as they come, cut off beyond a bound."""

    def __init__(self, answer: OpenAnswer) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size_bytes = 0
        try:
            async for piece in self._answer.pieces():
                size_bytes += len(piece)
                if size_bytes > bounds.STREAM_MAX_BYTES:
                    raise httpx2.ReadError(f"An MCP stream is longer than {bounds.STREAM_MAX_BYTES} bytes")
                yield piece
        except CallFailed as failure:
            raise httpx2.ReadError(failure.message) from failure

    async def aclose(self) -> None:
        """Cut the connection."""
        self._answer.close()


def _answered(answer: OpenAnswer, body: bytes) -> httpx2.Response:
    status = answer.status
    if status < HTTPStatus.BAD_REQUEST or status in _LEFT_TO_THE_CLIENT or _is_rpc(answer, body):
        return httpx2.Response(status, headers=_kept(answer), content=body)
    sentence = f"The MCP server answered {status}"
    return _failed(str(FailureKind.STATUS), sentence, sent=status in _MAY_HAVE_ARRIVED, status=status)


def _failed(kind: str, sentence: str, *, sent: bool, status: int = HTTPStatus.BAD_GATEWAY) -> httpx2.Response:
    data: JsonObject = {"kind": kind, "sent": sent, "status": int(status)}
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": NOT_ANSWERED, "message": sentence, "data": data}}
    return httpx2.Response(status, headers={"content-type": JSON}, content=msgspec.json.encode(error))


def _is_rpc(answer: OpenAnswer, body: bytes) -> bool:
    if _kind(answer) != JSON:
        return False
    try:
        told = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(told, dict) and "jsonrpc" in told


def _kind(answer: OpenAnswer) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def _kept(answer: OpenAnswer) -> dict[str, str]:
    """Return the headers that the client reads; the body is decoded already."""
    return {name: value for name, value in answer.headers.items() if name == "content-type" or name.startswith("mcp-")}
