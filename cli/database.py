"""The database of an installation, for commands that work beside a server or without one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from actors.installation import data_folder
from actors.settings import Settings
from storage.database import Database
from storage.embedded import DirectoryInUse, PostgresServer


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Database]:
    """Yield the database of the settings; the embedded one is started for it unless `abl serve` runs it now.

    Raises:
        Unavailable: It cannot be reached.
    """
    async with AsyncExitStack() as stack:
        database = await Database.open(await _url(stack, settings))
        stack.push_async_callback(database.close)
        yield database


async def _url(stack: AsyncExitStack, settings: Settings) -> str:
    if settings.database_url:
        return settings.database_url
    server = PostgresServer(data_folder(settings))
    try:
        await server.start()
    except DirectoryInUse:
        return server.url
    stack.push_async_callback(server.stop)
    return server.url
