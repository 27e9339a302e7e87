"""Waiting for a condition in the tests of asynchronous code: the loop is let run, no time is slept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

ROUNDS = 10_000


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until `condition` holds."""
    for _ in range(ROUNDS):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("the condition never held")
