from __future__ import annotations

import pytest

from domain.clock import FixedClock
from gateway.auth.remembered import Remembered

pytestmark = pytest.mark.anyio


async def test_an_answer_is_believed_for_a_while_and_none_never() -> None:
    clock, known, asked = FixedClock(), {"a": 1}, []

    async def ask(key: str) -> int | None:
        asked.append(key)
        return known.get(key)

    remembered = Remembered(ask, clock, believed_s=1, held=2)
    assert [await remembered.find("a") for _ in range(3)] == [1, 1, 1]
    assert [await remembered.find("b") for _ in range(2)] == [None, None]
    assert asked == ["a", "b", "b"]
    known.clear()
    clock.move(seconds=1)
    assert await remembered.find("a") is None
    known.update({"a": 1, "b": 2, "c": 3})
    for key in "abc":
        await remembered.find(key)
    asked.clear()
    await remembered.find("a")
    assert asked == ["a"]
