"""Questions to a library that blocks its caller: one thread asks, and nobody waits for it for ever. Ray's, for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from domain.errors import Unavailable

CALL_S: Final = 60.0
"""How long an answer may take, and whatever was asked before in the same thread."""
CONNECT_S: Final = 5.0
Result = TypeVar("Result")


class AskedThread:
    """One thread in which everything is asked, in order."""

    def __init__(self, name: str) -> None:
        """`name` is of what is asked, for messages."""
        self._name = name
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name.lower())

    def begin(self, function: Callable[..., Result], *arguments: Any) -> asyncio.Future[Result]:
        """Ask, and return the answer to come; how long it may take the caller says."""
        return asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)

    async def ask(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return the answer. Raises Unavailable: none within `CALL_S`; the thread may be stuck from then on."""
        asked = self.begin(function, *arguments)
        done, _ = await asyncio.wait([asked], timeout=CALL_S)
        if not done:
            asked.cancel()
            raise Unavailable(f"{self._name} does not answer within {CALL_S:g} s")
        return asked.result()

    def leave(self) -> None:
        """Ask no more; a question that is stuck is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)


async def listens_at(address: str) -> None:
    """Do nothing when something listens at `host:port`: Ray itself would try for minutes. Raises Unavailable."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        return  # none is given, or `auto`
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(host, int(port))
    except (OSError, TimeoutError) as error:
        raise Unavailable(f"No Ray cluster answers at {address}; `--runtime local` needs none.") from error
    writer.close()
