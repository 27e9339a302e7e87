from __future__ import annotations

import pytest

from tests.support.gateway import Gateway, a_gateway
from tests.support.servers import servers

__all__ = ["servers"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def gateway() -> Gateway:
    return a_gateway()
