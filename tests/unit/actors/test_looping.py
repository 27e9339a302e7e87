from __future__ import annotations

import asyncio
import logging

import pytest

from actors.looping import Enough, again_and_again
from domain.errors import Overloaded, Unavailable

ROUNDS_S = 60.0


def test_no_fault_of_one_round_ends_the_work(caplog: pytest.LogCaptureFixture) -> None:
    faults = iter([Unavailable("away"), Overloaded("full", retry_after_ms=1), RuntimeError("a bug"), Enough()])
    done = []

    async def act() -> None:
        done.append(1)
        raise next(faults)

    async def story() -> None:
        async with asyncio.timeout(ROUNDS_S):
            await again_and_again("it cannot be done", 0.0, act)

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert len(done) == 4
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING", "ERROR"]
    assert "it cannot be done: away" in caplog.text
    assert "a bug" in caplog.text


def test_cancelling_ends_it() -> None:
    async def act() -> None:
        return

    async def story() -> None:
        working = asyncio.create_task(again_and_again("x", 0.0, act))
        await asyncio.sleep(0)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working

    asyncio.run(story())
