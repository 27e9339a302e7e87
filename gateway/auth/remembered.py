"""A short, bounded memory of what the store said, so that not every request asks it again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from domain.clock import Clock

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """Answers of one question, believed for `believed_s` seconds; "there is none" is never remembered.

    So a revoked credential is refused at most `believed_s` later, and a new one works at once.
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

    async def find(self, key: str) -> Value | None:
        """Return the answer for `key`, asking when there is none or it is too old."""
        now = self._clock.now().timestamp()
        known = self._answers.get(key)
        if known is not None and now - known[0] < self._believed_s:
            return known[1]
        value = await self._ask(key)
        self._answers.pop(key, None)
        if value is not None:
            self._answers[key] = (now, value)
            if len(self._answers) > self._held:
                self._answers.popitem(last=False)
        return value
