"""What the store said a moment ago, so that it is not asked every time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Values that count for `kept_s` seconds, at most `held` of them: the one written longest ago leaves first.

    >>> now = [0.0]
    >>> names: Recent[int, str] = Recent(2.0, 2, lambda: now[0])
    >>> names.put(1, "one")
    >>> names.get(1)
    'one'
    >>> now[0] = 2.0
    >>> names.get(1), names.last(1)
    (None, 'one')
    """

    def __init__(self, kept_s: float, held: int, seconds: Callable[[], float]) -> None:
        """`seconds` is a clock that never goes back."""
        self._kept_s = kept_s
        self._held = held
        self._seconds = seconds
        self._kept: OrderedDict[Key, tuple[float, Value]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key while it counts."""
        kept = self._kept.get(key)
        return kept[1] if kept is not None and kept[0] > self._seconds() else None

    def last(self, key: Key) -> Value | None:
        """Return the value of a key, however old it is: for when a newer one cannot be had."""
        kept = self._kept.get(key)
        return None if kept is None else kept[1]

    def put(self, key: Key, value: Value) -> None:
        """Let a value count from now on."""
        self._kept[key] = (self._seconds() + self._kept_s, value)
        self._kept.move_to_end(key)
        if len(self._kept) > self._held:
            self._kept.popitem(last=False)

    def forget(self, key: Key) -> None:
        """Have no value of a key any more."""
        self._kept.pop(key, None)

    def forget_all(self, is_meant: Callable[[Key], bool]) -> None:
        """Have no value of any key that is meant."""
        for key in [key for key in self._kept if is_meant(key)]:
            del self._kept[key]
