"""Who serves a database: a server whose hosts have no others beside them keeps every further server away.

A lock of the database stands for it, which goes with the connection that took it: a server that dies holds nothing.
Gateways of Ray share the lock with each other, and with nobody else. Decision: 0057.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from contextlib import suppress
from time import monotonic
from typing import Final

from domain.errors import AppError, Conflict
from storage.database import Connection, Database
from storage.errors import ConnectionLost
from storage.statements import Statement

LOCK_ID: Final = 0x41424E
WAIT_S: Final = 10.0
"""How long a start waits for a server that is ending, or whose death the database has not noticed yet."""
LOOK_EVERY_S: Final = 0.2
KEEP_EVERY_S: Final = 2.0
"""How often a holder looks whether its connection stands, and takes the lock again when it does not."""
NAME: Final = "abl-server "
log = logging.getLogger(__name__)

TAKE_ALONE = Statement("SELECT pg_try_advisory_lock(:lock_id)")
TAKE_SHARED = Statement("SELECT pg_try_advisory_lock_shared(:lock_id)")
HOLDERS = Statement("""
    SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objid = :lock_id AND l.classid = 0 AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY a.backend_start LIMIT 1
""")
LET_GO = Statement("SELECT pg_advisory_unlock_all()")
STANDS = Statement("SELECT 1")


class Holding:
    """A server's hold on its database."""

    def __init__(self, database: Database, *, alone: bool, wait_s: float = WAIT_S) -> None:
        """`alone` lets nobody else serve it; else those may that do not want it alone either."""
        self._database = database
        self._take = TAKE_ALONE if alone else TAKE_SHARED
        self._wait_s = wait_s
        self._connection: Connection | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take the hold and keep it.

        Raises:
            Conflict: Another server has it; the message names it and says what to do.
        """
        give_up_s = monotonic() + self._wait_s
        while not await self._taken():
            if monotonic() >= give_up_s:
                raise Conflict(
                    f"Another server works on this database: {await self._holder()}. End it, give this one a database "
                    "of its own, or run both with `--runtime ray` at one Ray cluster (`--address`)"
                )
            await asyncio.sleep(LOOK_EVERY_S)
        self._keeper = asyncio.get_running_loop().create_task(self._keep(), name="hold on the database")

    async def stop(self) -> None:
        """Let others have it."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        if self._connection is not None:
            with suppress(AppError):  # where the connection is gone, so is the hold
                await self._connection.value(LET_GO)
        self._drop()

    async def _taken(self) -> bool:
        if self._connection is None:
            name = f"{NAME}{socket.gethostname()[:30]}:{os.getpid()}"
            self._connection = await self._database.own_connection(application_name=name)
        return bool(await self._connection.value(self._take, lock_id=LOCK_ID))

    async def _holder(self) -> str:
        name: str | None = await self._database.value(HOLDERS, lock_id=LOCK_ID)
        return (name or "").removeprefix(NAME) or "one that is just ending"

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(KEEP_EVERY_S)
            try:
                if self._connection is not None:
                    await self._connection.value(STANDS)
                elif not await self._taken():
                    self._drop()
                    log.error("another server works on this database now: %s; end one of them", await self._holder())
            except ConnectionLost:
                self._drop()
            except AppError as error:
                self._drop()
                log.warning("the hold on the database cannot be kept: %s", error.message)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abandon()
