"""An http tool on loopback whose clock moves when it waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from providers.addresses import AddressPolicy
from providers.http import HttpClient
from providers.tools.http_tool import HttpTool


@pytest.fixture
async def runner(time: Any) -> AsyncIterator[HttpTool]:
    client = HttpClient(AddressPolicy(("127.0.0.0/8",)))
    tool = HttpTool(client, seconds=time.seconds, sleep=time.sleep, random=lambda: 0.0)
    yield tool
    await tool.close()
