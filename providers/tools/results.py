"""What came of a tool run: the one way from a fault to a ToolResult, and the time it took."""

from __future__ import annotations

from math import ceil
from typing import Final, Literal

from domain.tool_calls import RESULT_TOO_DEEP, TOO_DEEP_SENTENCE, ToolResult
from providers.failures import CallFailed, FailureKind

ErrorKind = Literal["tool_error", "tool_timeout", "invalid_input", "api_error"]
MILLISECONDS_PER_SECOND: Final = 1_000

_CODES: Final[dict[FailureKind, tuple[ErrorKind, str]]] = {
    FailureKind.TIMEOUT: ("tool_timeout", "TIMEOUT"),
    FailureKind.CONNECT: ("tool_error", "NO_CONNECTION"),
    FailureKind.CUT: ("tool_error", "CONNECTION_CUT"),
    FailureKind.STATUS: ("api_error", ""),
    FailureKind.GARBAGE: ("tool_error", "INVALID_ANSWER"),
    FailureKind.TOO_LARGE: ("tool_error", "ANSWER_TOO_LARGE"),
    FailureKind.REFUSED: ("tool_error", "ADDRESS_REFUSED"),
    FailureKind.REDIRECT: ("tool_error", "TOO_MANY_REDIRECTS"),
    FailureKind.INVALID: ("invalid_input", "INVALID_REQUEST"),
    FailureKind.BUSY: ("tool_error", "BUSY"),
}
"""Failure of the transport -> word of ON_ERROR and code."""


class ToolFault(Exception):
    """A tool run cannot go on; a runner turns it into a result at its edge.

    Attributes:
        kind: A word of ON_ERROR.
        code: More exact, for SUBTYPES and traces.
        message: A sentence for the author of the agent; never holds a secret.
        retry_after_ms: After which time another call may go better; 0 where nobody knows.
        is_unknown: Nobody knows whether the call was carried out.
    """

    def __init__(
        self, kind: ErrorKind, code: str, message: str, *, retry_after_ms: int = 0, is_unknown: bool = False
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.message = message
        self.retry_after_ms = retry_after_ms
        self.is_unknown = is_unknown


def too_deep() -> ToolFault:
    """Return the fault of a result that is nested deeper than values are kept."""
    return ToolFault("tool_error", RESULT_TOO_DEEP, TOO_DEEP_SENTENCE)


def resting(wait_s: float) -> ToolFault:
    """Return the fault of a call that an open circuit breaker does not let through; `wait_s` until one may try."""
    sentence = f"The tool failed several times in a row and rests; try again in {ceil(wait_s)} s"
    return ToolFault("tool_error", "CIRCUIT_OPEN", sentence, retry_after_ms=ceil(wait_s * MILLISECONDS_PER_SECOND))


def fault_of(failure: CallFailed) -> ToolFault:
    """Return the failure of the transport as a fault of the tool."""
    kind, code = _CODES[failure.kind]
    wait_ms = ceil((failure.retry_after_s or 0.0) * MILLISECONDS_PER_SECOND)
    return ToolFault(kind, code or str(failure.status), failure.message, retry_after_ms=wait_ms)


def failed(fault: ToolFault, *, duration_ms: int = 0, attempts: int = 1) -> ToolResult:
    """Return the result of a run that met `fault`."""
    return ToolResult(
        ok=False,
        error_kind=fault.kind,
        error_code=fault.code,
        error_message=fault.message,
        duration_ms=duration_ms,
        attempts=attempts,
        retry_after_ms=fault.retry_after_ms,
        is_unknown=fault.is_unknown,
    )


def elapsed_ms(began_s: float, now_s: float) -> int:
    """Return the whole milliseconds between two moments."""
    return max(round((now_s - began_s) * MILLISECONDS_PER_SECOND), 0)
