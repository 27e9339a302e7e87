from __future__ import annotations

import asyncio

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


async def test_whoever_asks_at_the_same_time_gets_one_answer_also_when_the_first_one_leaves() -> None:
    asked, go_on = [], asyncio.Event()

    async def ask(key: str) -> int | None:
        asked.append(key)
        await go_on.wait()
        return 7

    remembered = Remembered(ask, FixedClock(), believed_s=1, held=2)
    asking = [asyncio.create_task(remembered.find("a")) for _ in range(5)]
    await asyncio.sleep(0)
    asking[0].cancel()
    go_on.set()
    answers = await asyncio.gather(*asking, return_exceptions=True)
    assert isinstance(answers[0], asyncio.CancelledError)
    assert answers[1:] == [7, 7, 7, 7]
    assert asked == ["a"]


async def test_when_the_store_fails_everybody_is_told_and_the_next_one_asks_again() -> None:
    asked = []

    async def ask(key: str) -> int | None:
        asked.append(key)
        if len(asked) == 1:
            raise ConnectionError("the store is away")
        return 7

    remembered = Remembered(ask, FixedClock(), believed_s=1, held=2)
    answers = await asyncio.gather(*(remembered.find("a") for _ in range(2)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ConnectionError, ConnectionError]
    assert await remembered.find("a") == 7


async def test_what_was_forgotten_while_the_store_was_asked_is_not_believed() -> None:
    told, go_on = [1, 2], [asyncio.Event(), asyncio.Event()]

    async def ask(key: str) -> int | None:
        answer, gate = told.pop(0), go_on.pop(0)
        await gate.wait()
        return answer

    gates = list(go_on)
    remembered = Remembered(ask, FixedClock(), believed_s=1, held=2)
    for forget in (lambda: remembered.forget("a"), lambda: remembered.forget_all(lambda _, value: value == 1)):
        told[:], go_on[:] = [1, 2], gates
        for gate in gates:
            gate.clear()
        before = asyncio.create_task(remembered.find("a"))
        await asyncio.sleep(0)
        forget()
        after = asyncio.create_task(remembered.find("a"))
        gates[1].set()
        assert await after == 2
        gates[0].set()
        assert await before == 1
        assert await remembered.find("a") == 2
        remembered.forget("a")


async def test_those_that_are_meant_are_forgotten_and_the_others_not() -> None:
    asked = []

    async def ask(key: str) -> int | None:
        asked.append(key)
        return len(key)

    remembered = Remembered(ask, FixedClock(), believed_s=1, held=5)
    for key in ("a", "bb", "cc"):
        await remembered.find(key)
    remembered.forget_all(lambda key, value: value == 2 and key != "cc")
    asked.clear()
    for key in ("a", "bb", "cc"):
        await remembered.find(key)
    assert asked == ["bb"]
