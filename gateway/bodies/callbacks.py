"""Bodies of the callback routes. Spec: platform-api 7.1."""

from __future__ import annotations

from typing import Literal

from domain.json_values import JsonValue
from gateway.envelope import PaginatedPage, Wire


class CallbackReply(Wire):
    """The one success body without `success`."""

    ok: Literal[True] = True
    status: Literal["already_processed"] | None = None


class CallbackListReply(PaginatedPage):
    """Callbacks of a project, without their secrets."""

    callbacks: list[dict[str, JsonValue]]
