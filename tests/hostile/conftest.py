"""One place for all attacks of a run: the gateway over the real store, in the loop of the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.hostile_store import Place, a_place
from tests.support.servers import Servers, servers

__all__ = ["servers"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
async def place(servers: Servers) -> AsyncIterator[Place]:
    async with a_place(servers) as opened:
        yield opened
