"""The store may be away for a moment, because it is restarted: what asks it is tried again for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from domain.errors import AppError, LastingOutage, Overloaded, Unavailable
from providers.failures import CallFailed
from storage.errors import Closing

STORE_PATIENCE_S: Final = 15.0
"""How long an effect waits for the store, which is restarted within seconds; the turn's deadline may come before."""
STORE_PAUSE_S: Final = 0.2
Given = TypeVar("Given")


async def patiently(act: Callable[[], Awaitable[Given]]) -> Given:
    """Return what comes of using the store, tried again while it is away: it is restarted within seconds.

    Raises:
        AppError: What `act` raises, of a passing outage once `STORE_PATIENCE_S` are over.
    """
    give_up_s = time.monotonic() + STORE_PATIENCE_S
    while True:
        try:
            return await act()
        except (Unavailable, Overloaded) as error:
            if isinstance(error, Closing) or not is_passing(error) or time.monotonic() >= give_up_s:
                raise
        await asyncio.sleep(STORE_PAUSE_S)


def is_passing(error: AppError) -> bool:
    """Return whether it is the store that is away, or has too much to do, for a moment."""
    return isinstance(error, Unavailable | Overloaded) and not isinstance(error, LastingOutage | CallFailed)
