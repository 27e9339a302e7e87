"""Which pages of other origins may call: SDK routes reflect the origin, all others follow a list.

What an SDK caller reads of its session is an SDK route only for who brings an SDK token, or asks whether it may.

Spec: platform-api 1.8. Reflecting is safe: no cookies are used, and the key's `allowedOrigins` are enforced on the
real request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from gateway.auth.origins import is_allowed

SDK_PATH: Final = re.compile(r"/api/v1/(sdk/.*|chat/.*|feedback)")
SESSION_PATH: Final = re.compile(
    r"/api/v1/sessions/[^/]+/transcripts|/api/projects/[^/]+/sessions/[^/]+/(messages|attachments(/.*)?)"
)
STATIC: Final = "/sdk/"
"""What any page may read, and says so itself (`gateway.static`)."""
SDK_HEADER = "x-sdk-token"
METHODS = "GET, POST, OPTIONS"
ALLOWED_HEADERS = (
    "Content-Type, Authorization, X-SDK-Token, X-Public-Key, X-API-Key, X-Request-Id, Idempotency-Key, Last-Event-ID"
)
EXPOSED_HEADERS = b"X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id"
PREFLIGHT_KEPT_S = 600


class Cors:
    """Answers preflights and marks replies."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._origins = origins

    def preflight(self, method: str, path: str, headers: Mapping[str, str]) -> Response | None:
        """Return the answer to a preflight, None when the request is none or its origin may not call."""
        if method != "OPTIONS" or "access-control-request-method" not in headers:
            return None
        if not self._admits(path, headers):
            return None
        return Response(
            status_code=204,
            headers={
                "Access-Control-Allow-Methods": METHODS,
                "Access-Control-Allow-Headers": ALLOWED_HEADERS,
                "Access-Control-Max-Age": str(PREFLIGHT_KEPT_S),
            },
        )

    def headers(self, path: str, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Return the headers by which a page may read the reply."""
        origin = headers.get("origin")
        if origin is None or path.startswith(STATIC) or not self._admits(path, headers):
            return []
        return [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-expose-headers", EXPOSED_HEADERS),
            (b"vary", b"Origin"),
        ]

    def _admits(self, path: str, headers: Mapping[str, str]) -> bool:
        origin = headers.get("origin")
        if origin is None or not origin.isascii() or not origin.isprintable():
            return False
        return is_of_sdk(path, headers) or is_allowed(origin, self._origins)


def is_of_sdk(path: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request, or the one that a preflight announces, is for a route that reflects any origin."""
    if SDK_PATH.fullmatch(path):
        return True
    announced = headers.get("access-control-request-headers", "").lower().split(",")
    brings_token = SDK_HEADER in headers or SDK_HEADER in map(str.strip, announced)
    return brings_token and SESSION_PATH.fullmatch(path) is not None
