"""The way out of a gateway: it finishes what it has begun, and tells whoever comes to ask again elsewhere.

It goes on listening meanwhile, as a refused connection tells a balancer less than an answer. Spec: platform-api 14.8.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from domain.errors import Unavailable
from gateway import bounds
from gateway.access import Access

NEEDED_TO_FINISH = frozenset({"sandbox"})
"""Credentials of the code of turns that are under way: without an answer these could not end."""


class Leaving:
    """What a gateway has begun, and whether it still begins anything."""

    def __init__(self) -> None:
        self.has_begun = False
        self._open = 0
        self._is_done = asyncio.Event()
        self._is_done.set()

    @contextmanager
    def exchange(self) -> Iterator[None]:
        """Count a request while it is answered; those that come during the way out are not waited for."""
        if self.has_begun:
            yield
            return
        self._open += 1
        self._is_done.clear()
        try:
            yield
        finally:
            self._open -= 1
            if not self._open:
                self._is_done.set()

    def check(self, access: Access) -> None:
        """Refuse a request during the way out, unless it asks how the gateway is.

        Raises:
            Unavailable: The gateway ends; its details say after how many milliseconds to ask again.
        """
        if not self.has_begun or access.always or NEEDED_TO_FINISH.issuperset(access.kinds or ("nobody",)):
            return
        details = {"reason": "GATEWAY_ENDS", "retryAfterMs": bounds.LEAVING_RETRY_MS}
        raise Unavailable("This gateway is shutting down: ask again", details=dict(details))

    async def finish(self, within_s: float) -> None:
        """Begin nothing any more, and wait until what was begun has been answered, within the bound."""
        self.has_begun = True
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._is_done.wait()
