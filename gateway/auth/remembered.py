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
            asking.add_done_callback(lambda done: self._answered(key, done))
        return await asyncio.shield(asking)

    def forget(self, key: str) -> None:
        """Ask again the next time; an answer that is under way is not believed."""
        self._answers.pop(key, None)
        self._asking.pop(key, None)

    def forget_all(self, is_meant: Callable[[str, Value], bool]) -> None:
        """Ask again for all answers that are meant, and for those that are under way: nobody knows theirs yet."""
        for key in [key for key, (_, value) in self._answers.items() if is_meant(key, value)]:
            del self._answers[key]
        self._asking.clear()

    def _answered(self, key: str, done: asyncio.Task[Value | None]) -> None:
        if self._asking.get(key) is done:
            del self._asking[key]

    async def _learn(self, key: str) -> Value | None:
        at = self._clock.now().timestamp()
        value = await self._ask(key)
        if self._asking.get(key) is not asyncio.current_task():
            return value  # it was forgotten meanwhile
        self._answers.pop(key, None)
        if value is not None:
            self._answers[key] = (at, value)
            if len(self._answers) > self._held:
                self._answers.popitem(last=False)
        return value
