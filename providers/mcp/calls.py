"""What a call to an MCP server can come to beside a value, in words that need no package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listed:
    """What a server says of a tool.

    Attributes:
        is_repeatable: It is read-only or idempotent.
        wraps_result: It gives no object by itself, and the server puts what it gives under `result`.
    """

    is_repeatable: bool = False
    wraps_result: bool = False


class NotConnected(Exception):
    """The request has not been sent: there is no connection. Another try does no harm."""


class Interrupted(Exception):
    """The request may have arrived, and no answer came."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
