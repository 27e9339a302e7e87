"""What every exchange has around it: request id, rate headers, CORS, counting. Spec: 1.1, 1.4, 1.8."""

from __future__ import annotations

from time import perf_counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.clock import Clock, IdSource
from gateway import limits
from gateway.access import RATE, REQUEST_ID
from gateway.cors import Cors
from gateway.metrics import Metrics
from gateway.throttle import rate_headers

UNROUTED = "unrouted"


class Transport:
    """The outermost layer of the app."""

    def __init__(self, app: ASGIApp, *, clock: Clock, ids: IdSource, cors: Cors, metrics: Metrics) -> None:
        self._app = app
        self._clock = clock
        self._ids = ids
        self._cors = cors
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry one exchange."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        scope[REQUEST_ID] = self._request_id(headers.get("x-request-id", ""))
        preflight = self._cors.preflight(scope["method"], scope["path"], headers)
        if preflight is not None:
            await preflight(scope, receive, self._sending(scope, headers, send))
            return
        started = perf_counter()
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, self._sending(scope, headers, watched))
        finally:
            route = getattr(scope.get("route"), "path", UNROUTED)
            self._metrics.request(scope["method"], route, status, perf_counter() - started)

    def _sending(self, scope: Scope, headers: Headers, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers(scope, headers)]
            await send(message)

        return sending

    def _headers(self, scope: Scope, headers: Headers) -> list[tuple[bytes, bytes]]:
        added = [(b"x-request-id", str(scope[REQUEST_ID]).encode())]
        taken = scope.get(RATE)
        if taken is not None:
            added += rate_headers(taken, self._clock.now().timestamp())
        return added + self._cors.headers(scope["path"], headers)

    def _request_id(self, sent: str) -> str:
        fits = 0 < len(sent) <= limits.REQUEST_ID_MAX_CHARS and sent.isascii() and sent.isprintable()
        return sent if fits else self._ids.new("req")
