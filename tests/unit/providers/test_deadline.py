"""One timer over many waits."""

from __future__ import annotations

import asyncio

import pytest

from providers.deadline import Deadline

pytestmark = pytest.mark.anyio


async def test_a_wait_that_ends_in_time_is_left_alone() -> None:
    deadline = Deadline(5)
    for _ in range(3):
        with deadline:
            await asyncio.sleep(0)
    deadline.close()


async def test_the_wait_under_way_is_interrupted() -> None:
    with pytest.raises(TimeoutError), Deadline(0.01):
        await asyncio.Event().wait()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)


async def test_what_stands_between_two_waits_is_not_interrupted() -> None:
    deadline = Deadline(0.01)
    with deadline:
        await asyncio.sleep(0)
    over = asyncio.Event()
    asyncio.get_running_loop().call_later(0.02, over.set)
    await over.wait()
    with pytest.raises(TimeoutError), deadline:
        raise AssertionError("not reached")


async def test_a_time_that_is_over_begins_no_wait() -> None:
    with pytest.raises(TimeoutError), Deadline(0):
        raise AssertionError("not reached")


async def test_a_cancellation_from_elsewhere_stays_one() -> None:
    waiting = asyncio.Event()

    async def wait() -> None:
        deadline = Deadline(5)
        try:
            with deadline:
                waiting.set()
                await asyncio.Event().wait()
        finally:
            deadline.close()

    task = asyncio.create_task(wait())
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_both_at_once_are_a_cancellation() -> None:
    waiting = asyncio.Event()
    made: list[Deadline] = []

    async def wait() -> None:
        made.append(Deadline(5))
        with made[0]:
            waiting.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await waiting.wait()
    made[0]._fire()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    made[0].close()
