"""The database of an installation, for commands that work beside a server or without one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from actors.installation import data_folder, known_master_keys
from actors.settings import Settings
from cli.environment import settings_from
from cli.output import refuse
from domain.errors import AppError
from storage.database import Database
from storage.embedded import DirectoryInUse, PostgresServer
from storage.migrate import migrate

Found = TypeVar("Found")


def with_database(data_dir: str, act: Callable[[Database], Awaitable[Found]]) -> Found:
    """Return what `act` returns of the installation's database, brought up to date; print an error and end."""

    async def run() -> Found:
        async with opened(settings_from(os.environ, data_dir=data_dir)) as database:
            await migrate(database)
            return await act(database)

    try:
        return asyncio.run(run())
    except AppError as error:
        refuse(error.message)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Database]:
    """Yield the database of the settings; the embedded one is started for it unless `abl serve` runs it now.

    Raises:
        Unavailable: It cannot be reached.
    """
    async with AsyncExitStack() as stack:
        database = await Database.open(await _url(stack, settings), master_keys=known_master_keys(settings))
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
