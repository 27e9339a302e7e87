"""What every exchange has around it: request id, rate headers, CORS, counting. Spec: 1.1, 1.4, 1.8."""

from __future__ import annotations

from time import perf_counter

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain import limits
from domain.clock import Clock, IdSource
from gateway.access import RATE, REQUEST_ID
from gateway.cors import Cors
from gateway.headers import headers_of
from gateway.leaving import Leaving
from gateway.metrics import Metrics
from gateway.throttle import rate_headers

UNROUTED = "unrouted"
CLIENT_LEFT = 499
"""What is counted when a client left before it had said all; no answer has it."""


class Transport:
    """The outermost layer of the app."""

    def __init__(
        self, app: ASGIApp, *, clock: Clock, ids: IdSource, cors: Cors, metrics: Metrics, leaving: Leaving
    ) -> None:
        self._app = app
        self._clock = clock
        self._ids = ids
        self._cors = cors
        self._metrics = metrics
        self._leaving = leaving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry one exchange."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = headers_of(scope)
        scope[REQUEST_ID] = self._request_id(headers.get("x-request-id", ""))
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *headers_around(scope, self._clock, self._cors)]
                if self._leaving.has_begun:
                    message["headers"].append((b"connection", b"close"))  # the next request finds another gateway
            await send(message)

        preflight = self._cors.preflight(scope["method"], scope["path"], headers)
        if preflight is not None:
            await preflight(scope, receive, sending)
            return
        started = perf_counter()
        try:
            with self._leaving.exchange():
                await self._app(scope, receive, sending)
        except ClientDisconnect:
            status = CLIENT_LEFT  # nobody listens: nothing is answered and nothing went wrong
        finally:
            route = getattr(scope.get("route"), "path", UNROUTED)
            self._metrics.request(scope["method"], route, status, perf_counter() - started)

    def _request_id(self, sent: str) -> str:
        fits = 0 < len(sent) <= limits.REQUEST_ID_MAX_CHARS and sent.isascii() and sent.isprintable()
        return sent if fits else self._ids.new("req")


def headers_around(scope: Scope, clock: Clock, cors: Cors) -> list[tuple[bytes, bytes]]:
    """Return what every answer says beside its own headers: the request's id, what is left of its rate, CORS."""
    headers = headers_of(scope)
    added = [(b"x-request-id", str(scope[REQUEST_ID]).encode())]
    taken = scope.get(RATE)
    if taken is not None:
        added += rate_headers(taken, clock.now().timestamp())
    if "origin" in headers:
        added += cors.headers(scope["path"], headers)
    return added
