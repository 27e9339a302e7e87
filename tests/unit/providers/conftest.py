"""What the tests of the providers share: one event loop kind, and a clock that moves when somebody waits."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class MovedTime:
    """A clock that stands still but for the waits it is asked for."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.waits: list[float] = []

    def seconds(self) -> float:
        return self.now_s

    async def sleep(self, delay_s: float) -> None:
        self.waits.append(round(delay_s, 6))
        self.now_s += delay_s


@pytest.fixture
def time() -> MovedTime:
    return MovedTime()
