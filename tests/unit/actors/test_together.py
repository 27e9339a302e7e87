"""Several things at once: all of them end before the first failure is told."""

from __future__ import annotations

import asyncio

import pytest

from actors.together import together
from domain.errors import Unavailable

pytestmark = pytest.mark.anyio


async def test_all_of_them_end_before_the_first_failure_is_told() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        await asyncio.sleep(0)
        if number == 1:
            raise Unavailable("not now")
        await asyncio.sleep(0)
        done.append(number)

    with pytest.raises(Unavailable, match="not now"):
        await together(*(work(number) for number in range(4)))
    assert done == [0, 2, 3]
    await together()
