"""The servers of the run, and the loop that the product runs on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.servers import coordination, database, servers, tenant_id

__all__ = ["coordination", "database", "servers", "tenant_id"]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": True}
