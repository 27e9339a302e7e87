"""How a call to the outside can fail: a closed set of kinds for the transport, and the failure of a model call."""

from __future__ import annotations

from enum import StrEnum

from domain.errors import AgentFault, Unavailable


class FailureKind(StrEnum):
    """What went wrong on the way; `retry.RETRYABLE` says which are worth another try."""

    TIMEOUT = "timeout"
    CONNECT = "connect"
    CUT = "cut"
    STATUS = "status"
    GARBAGE = "garbage"
    TOO_LARGE = "too_large"
    REFUSED = "refused"
    REDIRECT = "redirect"
    INVALID = "invalid"
    BUSY = "busy"


FINAL = frozenset({FailureKind.REFUSED, FailureKind.INVALID})
"""Kinds of calls that may not be made at all: no other try changes that."""


class CallFailed(Unavailable):
    """An HTTP call has no usable answer.

    Attributes:
        kind: What happened.
        status: The HTTP status when `kind` is STATUS, else 0.
        body: The beginning of the answer's body when `kind` is STATUS.
        retry_after_s: How long the other side asked us to wait, None when it said nothing.
        sent: The request may have reached the other side, so its effect is unknown.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        status: int = 0,
        body: bytes = b"",
        retry_after_s: float | None = None,
        sent: bool = False,
    ) -> None:
        super().__init__(message, details={"kind": str(kind)})
        self.kind = kind
        self.status = status
        self.body = body
        self.retry_after_s = retry_after_s
        self.sent = sent


class ModelCallFailed(AgentFault):
    """A model gave no usable answer.

    Attributes:
        kind: One of `domain.model_calls.MODEL_ERROR_KINDS`.
        retryable: The same request may succeed when asked again.
        after_output: Deltas had already been given; the caller replaces what it has shown when it asks again.
        retry_after_s: How long the provider asked us to wait, None when it said nothing.
        attempts: How often the model was asked.
        is_final: The call may not be made at all: its address is refused, or is none.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retryable: bool = False,
        after_output: bool = False,
        retry_after_s: float | None = None,
        attempts: int = 1,
        is_final: bool = False,
    ) -> None:
        super().__init__(message, details={"kind": kind})
        self.kind = kind
        self.retryable = retryable
        self.after_output = after_output
        self.retry_after_s = retry_after_s
        self.attempts = attempts
        self.is_final = is_final
