"""The headers of a request as one dict, made once: looking each up in the raw list costs more than reading them all."""

from __future__ import annotations

from starlette.types import Scope

HEADERS = "gateway.headers"


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers by lower-case name; of one that was sent twice the first."""
    known: dict[str, str] | None = scope.get(HEADERS)
    if known is None:
        known = {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}
        scope[HEADERS] = known
    return known
