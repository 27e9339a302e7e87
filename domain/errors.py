"""The small tree of errors that a user can act on; it knows nothing of HTTP. Spec: platform-api 1.3."""

from __future__ import annotations

from typing import ClassVar

from domain.json_values import JsonObject


class AppError(Exception):
    """Something went wrong that has a name; `message` is a sentence for the caller.

    Attributes:
        message: The sentence.
        details: More for programs: `reason`, `fields`.
        may_have_taken_effect: What was asked for may have been done all the same.
    """

    may_have_taken_effect: ClassVar[bool] = False

    def __init__(self, message: str, *, details: JsonObject | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or {}


class InvalidInput(AppError):
    """A rule of the request is broken."""


class Unauthenticated(AppError):
    """The caller is nobody we know."""


class Forbidden(AppError):
    """The caller is known, but may not."""


class NotFound(AppError):
    """It is not there, or not the caller's."""


class Conflict(AppError):
    """It exists already, or is in the wrong state; `details["reason"]` says which."""


class Gone(AppError):
    """It was there and is retired."""


class TooLarge(AppError):
    """The request is larger than its limit."""


class Overloaded(AppError):
    """Too much at once; try again after `retry_after_ms`."""

    def __init__(self, message: str, *, retry_after_ms: int, details: JsonObject | None = None) -> None:
        super().__init__(message, details=details)
        self.retry_after_ms = retry_after_ms


class QueueFull(Overloaded):
    """The queue of one session or host is full."""


class Unavailable(AppError):
    """A needed backend is absent or down."""


class LastingOutage(Unavailable):
    """What is needed is absent until somebody provides it: to wait, or to ask again, does not help."""


class AgentFault(AppError):
    """The agent's own program or model went wrong; becomes a fact, a trace event and a reply."""
