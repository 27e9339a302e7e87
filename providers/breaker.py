"""Circuit breaker: a pure state machine that stops calling what keeps failing, and tries one call after a while."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

FAILURE_THRESHOLD: Final = 5
RESET_S: Final = 30.0
MAX_BREAKERS: Final = 4_096


class Position(StrEnum):
    """Where a breaker stands: calls pass, calls are refused, one call is out to try."""

    CLOSED = "closed"
    OPEN = "open"
    TRYING = "trying"


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """After `threshold` failures in a row it opens; after `reset_s` one call may try."""

    threshold: int = FAILURE_THRESHOLD
    reset_s: float = RESET_S


@dataclass(frozen=True, slots=True)
class Breaker:
    """One breaker; `since_s` is when it opened or began to try."""

    position: Position = Position.CLOSED
    failures: int = 0
    since_s: float = 0.0


def admit(breaker: Breaker, policy: BreakerPolicy, now_s: float) -> tuple[Breaker, float | None]:
    """Return the breaker after a call wants to pass, and None when it may, else the seconds to wait.

    A trial that never reports back gives way to the next one after another `reset_s`.
    """
    if breaker.position is Position.CLOSED:
        return breaker, None
    wait_s = breaker.since_s + policy.reset_s - now_s
    if wait_s > 0:
        return breaker, wait_s
    return replace(breaker, position=Position.TRYING, since_s=now_s), None


def succeeded(breaker: Breaker) -> Breaker:
    """Return the breaker after a call went well."""
    return breaker if breaker == CLOSED else CLOSED


def failed(breaker: Breaker, policy: BreakerPolicy, now_s: float) -> Breaker:
    """Return the breaker after a call failed in a way that speaks against the other side."""
    failures = breaker.failures + 1
    if breaker.position is Position.CLOSED and failures < policy.threshold:
        return replace(breaker, failures=failures)
    if breaker.position is Position.OPEN:
        return replace(breaker, failures=failures)
    return Breaker(Position.OPEN, failures, now_s)


CLOSED: Final = Breaker()


class Breakers:
    """The breakers of many targets by key; those not used for longest are forgotten."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, Breaker] = OrderedDict()

    def admit(self, key: str, policy: BreakerPolicy, now_s: float) -> float | None:
        """Return None when a call may pass, else how many seconds the target rests."""
        breaker, wait_s = admit(self._by_key.get(key, CLOSED), policy, now_s)
        self._keep(key, breaker)
        return wait_s

    def report(self, key: str, policy: BreakerPolicy, now_s: float, *, ok: bool) -> None:
        """Record how an admitted call ended."""
        breaker = self._by_key.get(key, CLOSED)
        self._keep(key, succeeded(breaker) if ok else failed(breaker, policy, now_s))

    def _keep(self, key: str, breaker: Breaker) -> None:
        if breaker == CLOSED:
            self._by_key.pop(key, None)
            return
        self._by_key[key] = breaker
        self._by_key.move_to_end(key)
        if len(self._by_key) > MAX_BREAKERS:
            self._by_key.popitem(last=False)
