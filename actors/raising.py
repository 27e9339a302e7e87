"""A host's refusal back as the error it was."""

from __future__ import annotations

from actors.messages import Failed, HostAnswer
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
BUSY: dict[str, type[errors.Overloaded]] = {kind.__name__: kind for kind in (errors.Overloaded, errors.QueueFull)}


def error_of(answer: HostAnswer) -> errors.AppError:
    """Return the error that a host answered with."""
    if not isinstance(answer, Failed):
        return errors.AppError("The session's host gave an answer that was not asked for")
    busy = BUSY.get(answer.kind)
    if busy is not None:
        return busy(answer.message, retry_after_ms=answer.retry_after_ms, details=answer.details)
    return PLAIN.get(answer.kind, errors.AppError)(answer.message, details=answer.details)
