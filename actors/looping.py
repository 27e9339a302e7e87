"""Work that is done again and again for as long as a process lives: no fault of one round ends it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from domain.errors import AppError

log = logging.getLogger(__name__)


async def again_and_again(what: str, every_s: float, act: Callable[[], Awaitable[None]]) -> None:
    """Do something every so many seconds until this is cancelled, or until `act` raises Enough.

    What goes wrong in a round is logged and tried again in the next: an error that has a name as a line, anything else,
    which is a bug, with its trace. `what` is the beginning of that line.
    """
    while True:
        await asyncio.sleep(every_s)
        try:
            await act()
        except Enough:
            return
        except AppError as error:
            log.warning("%s: %s", what, error.message)
        except Exception:
            log.exception("%s", what)


class Enough(Exception):
    """There is nothing left to do again."""
