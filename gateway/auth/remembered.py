"""A short, bounded memory of what the store said, so that not every request asks it again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from domain.clock import Clock

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """Answers of one question, believed for `believed_s` seconds; "there is none" is never remembered.

    So a revoked credential is refused at most `believed_s` later, and a new one works at once. Whoever asks while the
    store is being asked gets the same answer.
    """

    def __init__(
        self,
        ask: Callable[[str], Awaitable[Value | None]],
        clock: Clock,
        *,
        believed_s: float,
        held: int,
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._believed_s = believed_s
        self._held = held
        self._answers: OrderedDict[str, tuple[float, Value]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Value | None]] = {}

    async def find(self, key: str) -> Value | None:
        """Return the answer for `key`, asking when there is none or it is too old."""
        known = self._answers.get(key)
        if known is not None and self._clock.now().timestamp() - known[0] < self._believed_s:
            return known[1]
        asking = self._asking.get(key)
        if asking is None:
            asking = self._asking[key] = asyncio.get_running_loop().create_task(self._learn(key))
            asking.add_done_callback(lambda _done: self._asking.pop(key, None))
        return await asyncio.shield(asking)

    def forget(self, key: str) -> None:
        """Ask again the next time."""
        self._answers.pop(key, None)

    async def _learn(self, key: str) -> Value | None:
        at = self._clock.now().timestamp()
        value = await self._ask(key)
        self._answers.pop(key, None)
        if value is not None:
            self._answers[key] = (at, value)
            if len(self._answers) > self._held:
                self._answers.popitem(last=False)
        return value
