"""An error of the platform as the word that a host answers with, and a host's refusal back as the error it was."""

from __future__ import annotations

from actors.messages import Failed, HostAnswer, Viewed
from actors.runtime import SessionView
from domain import errors

PLAIN: dict[str, type[errors.AppError]] = {
    kind.__name__: kind
    for kind in (
        errors.AppError,
        errors.InvalidInput,
        errors.Unauthenticated,
        errors.Forbidden,
        errors.NotFound,
        errors.Conflict,
        errors.Gone,
        errors.TooLarge,
        errors.Unavailable,
        errors.AgentFault,
    )
}
LASTING = errors.LastingOutage.__name__
"""The word for an outage that asking again does not change, where who answers knows that it is one."""
BUSY: dict[str, type[errors.Overloaded]] = {kind.__name__: kind for kind in (errors.Overloaded, errors.QueueFull)}


def kind_of(error: errors.AppError) -> str:
    """Return the word for an error: its class, or the nearest one above that every process knows."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in PLAIN or kind.__name__ in BUSY)


def error_of(answer: HostAnswer) -> errors.AppError:
    """Return the error that a host answered with."""
    if not isinstance(answer, Failed):
        return errors.AppError("The session's host gave an answer that was not asked for")
    busy = BUSY.get(answer.kind)
    if busy is not None:
        return busy(answer.message, retry_after_ms=answer.retry_after_ms, details=answer.details)
    kind = errors.LastingOutage if answer.kind == LASTING else PLAIN.get(answer.kind, errors.AppError)
    return kind(answer.message, details=answer.details)


def viewed(answer: HostAnswer) -> SessionView:
    """Return what a host shows of a session; raises the error that it answered with instead."""
    if isinstance(answer, Viewed):
        return answer.view
    raise error_of(answer)
