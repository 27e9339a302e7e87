"""Several things at once, waited for to the end of all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def together(*running: Coroutine[Any, Any, object]) -> None:
    """Wait for all of them, and only then raise what the first of them met."""
    for outcome in await asyncio.gather(*running, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
