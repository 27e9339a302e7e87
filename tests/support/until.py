"""Waiting for a condition in the tests of asynchronous code: the loop is let run, and asked again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

ROUNDS = 1_000
"""After so many the loop waits for something outside of it: a thread, a socket, another process."""
POLL_S = 0.005
PATIENCE_S = 60.0


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until `condition` holds; fail when it does not within `PATIENCE_S`."""
    give_up_s, rounds = monotonic() + PATIENCE_S, 0
    while not condition():
        assert monotonic() < give_up_s, "the condition never held"
        await asyncio.sleep(0 if rounds < ROUNDS else POLL_S)
        rounds += 1
