"""A second server on the data directory of a running one is refused, and leaves that one whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.settings import Settings
from actors.wiring import open_runtime
from storage.coordination import Coordination
from storage.database import Database
from storage.embedded import DirectoryInUse
from storage.statements import Statement
from tests.support.servers import anyio_backend, folder

__all__ = ["anyio_backend", "folder"]

pytestmark = pytest.mark.anyio

ONE = Statement("SELECT 1")


async def test_a_refused_second_server_leaves_the_first_one_its_sockets(folder: Path) -> None:
    settings = Settings(data_dir=str(folder))
    async with open_runtime(settings) as first:
        with pytest.raises(DirectoryInUse):
            async with open_runtime(settings):
                pytest.fail("two servers on one directory")
        database = await Database.open(first.settings.database_url)
        assert await database.value(ONE) == 1
        await database.close()
        coordination = Coordination.open(first.settings.redis_url)
        assert await coordination.is_there()
        await coordination.close()
