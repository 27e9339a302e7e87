"""Under which address this server is reached: the public one, else where a request came in.

A `Host` header is anybody's text, so it is not asked. Spec: platform-api 12.1; issue 13, D6.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

from gateway.services import Services

LOOPBACK: Final = "127.0.0.1"
PORTS: Final = {"http": 80, "https": 443}


def address_of(request: Request, services: Services) -> str:
    """Return the address that others are told, without a slash at its end."""
    return (services.settings.public_url or _own(request)).rstrip("/")


def _own(request: Request) -> str:
    host, port = request.scope.get("server") or (LOOPBACK, None)
    named = f"[{host}]" if ":" in host else host
    shown = "" if port in (None, PORTS.get(request.url.scheme)) else f":{port}"
    return f"{request.url.scheme}://{named}{shown}{request.scope.get('root_path', '')}"
