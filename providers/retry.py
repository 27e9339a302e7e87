"""Which failures are worth another try, and when. The waiting itself is handed in, so tests move a clock instead."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import SystemRandom
from typing import Final, Literal, TypeAlias

from providers.failures import CallFailed, FailureKind

RETRYABLE: Final = frozenset({FailureKind.TIMEOUT, FailureKind.CONNECT, FailureKind.CUT, FailureKind.GARBAGE})
"""Kinds that may be gone next time; STATUS is decided by the status, BUSY by its own clock."""

RETRYABLE_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
MAX_DELAY_S: Final = 60.0
MAX_ATTEMPTS: Final = 11

Random: TypeAlias = Callable[[], float]
"""Gives a number in [0, 1)."""

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""

Seconds: TypeAlias = Callable[[], float]
"""Gives the seconds of a clock that never goes back."""

Backoff = Literal["fixed", "linear", "exponential"]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently.

    Attributes:
        attempts: Calls in all, the first one included.
        delay_s: Before the second attempt.
        jitter: Part of the delay that is random: 0 none, 1 anything between 0 and the delay.
    """

    attempts: int = 3
    delay_s: float = 0.25
    backoff: Backoff = "exponential"
    max_delay_s: float = 8.0
    jitter: float = 0.5


NO_RETRY: Final = RetryPolicy(attempts=1)


def chance() -> float:
    """Return a number in [0, 1) that nobody can foresee."""
    return SystemRandom().random()


def is_retryable(failure: CallFailed) -> bool:
    """Return whether the same call may succeed when it is repeated."""
    if failure.kind is FailureKind.STATUS:
        return failure.status in RETRYABLE_STATUSES
    return failure.kind in RETRYABLE


def delay_s(policy: RetryPolicy, attempt: int, draw: float, retry_after_s: float | None = None) -> float:
    """Return how long to wait after the failed `attempt` (1 is the first).

    What the other side asked for is a lower bound; `draw` in [0, 1) moves the policy's own delay.
    """
    factors = {"fixed": 1, "linear": attempt, "exponential": 1 << min(attempt - 1, 16)}
    own = min(policy.delay_s * factors[policy.backoff], policy.max_delay_s)
    own *= 1 - policy.jitter * draw
    return min(max(own, retry_after_s or 0.0), MAX_DELAY_S)


def next_delay_s(
    policy: RetryPolicy, attempt: int, draw: float, *, remaining_s: float, retry_after_s: float | None = None
) -> float | None:
    """Return the wait before another attempt, None when there is no attempt or no time left."""
    if attempt >= min(policy.attempts, MAX_ATTEMPTS):
        return None
    wait_s = delay_s(policy, attempt, draw, retry_after_s)
    return wait_s if wait_s < remaining_s else None
