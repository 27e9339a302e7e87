"""The pool, transactions, and the one translation of the driver's errors. The only module that knows the SQL driver."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from time import monotonic
from typing import Any, TypeAlias, TypeVar

import asyncpg
import msgspec

from domain.errors import InvalidInput, Unavailable
from storage.contents import Contents
from storage.crypto import MasterKeys
from storage.errors import Closing, ConnectionLost, DiskFull, Duplicate, NoPlace, NotConnected, Orphaned
from storage.statements import Statement
from storage.vault import Vault

log = logging.getLogger(__name__)
POOL_MAX = 10
CONNECT_DEADLINE_S = 10.0
COMMAND_DEADLINE_S = 30.0
ACQUIRE_DEADLINE_S = 10.0
CLOSE_DEADLINE_S = 15.0
REPEAT_FOR_S = 5.0
"""How long a statement is tried on other connections; an embedded server that was killed is back in 0.1 to 1 s."""
REPEAT_DELAY_S = 0.02
REPEAT_DELAY_MAX_S = 0.3
JSONB_VERSION = b"\x01"
NO_PARTITION = "no partition of relation"
_MOMENT = re.compile(r"\(at\) = \((.+?)\)")
CLOSED = ("closed", "released back to the pool")  # the driver has one class for this and for wrong calls
APPLICATION = {"application_name": "abl-runtime"}

Row: TypeAlias = Mapping[str, Any]
Answer = TypeVar("Answer")

_LOST = (
    OSError,
    EOFError,
    asyncpg.PostgresConnectionError,
    asyncpg.InternalClientError,  # what the driver says of a connection that was cut at a bad moment
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.QueryCanceledError,
    asyncpg.LockNotAvailableError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.ReadOnlySQLTransactionError,  # a server that has become a standby
)
_REFUSED = (
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.DatabaseDroppedError,
    asyncpg.ClientConfigurationError,
)
_OUT_OF_ROOM = (asyncpg.InsufficientResourcesError, asyncpg.PostgresSystemError)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the driver raises into errors of ours; what is a bug of ours stays what it is."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        raise Duplicate("It exists already.", constraint=error.constraint_name or "") from error
    except asyncpg.ForeignKeyViolationError as error:
        constraint = error.constraint_name or ""
        log.warning("a row cannot be written, for what it belongs to is gone (%s)", constraint)
        raise Orphaned("What this belongs to is not there any more", constraint=constraint) from error
    except asyncpg.CheckViolationError as error:
        if not (error.message or "").startswith(NO_PARTITION):
            raise
        raise NoPlace(f"The database has no place for this: {error.message}.", moment=_moment_in(error)) from error
    except (
        asyncpg.DataError,
        asyncpg.ProgramLimitExceededError,
    ) as error:  # the latter: too long for an index, too deep
        raise InvalidInput(f"A value cannot be stored: {error}") from error
    except TimeoutError as error:  # an OSError too, but with a reason to wait
        raise ConnectionLost("The database did not answer in time.") from error
    except _LOST as error:
        raise ConnectionLost("The database is not reachable.") from error
    except _REFUSED as error:
        raise Unavailable(f"The database refuses the connection: {error}") from error
    except asyncpg.DiskFullError as error:
        raise DiskFull("The disk of the database is full; nothing can be written until there is room.") from error
    except _OUT_OF_ROOM as error:
        raise Unavailable(f"The database cannot go on: {error}") from error
    except asyncpg.InterfaceError as error:
        if not any(words in str(error) for words in CLOSED):
            raise
        raise ConnectionLost("The connection to the database is closed.") from error


def _moment_in(error: asyncpg.CheckViolationError) -> datetime | None:
    """Return the moment of the row that had no partition to go to, as the error tells it."""
    found = _MOMENT.search(error.detail or "")
    try:
        return datetime.fromisoformat(found[1]).astimezone(UTC) if found else None
    except (ValueError, OverflowError):
        return None


class _RawConnection(asyncpg.Connection):  # type: ignore[misc] # the driver has no types
    """A connection that goes back to the pool without a round trip: nothing of ours leaves a state behind."""

    def get_reset_query(self) -> str:
        return ""


class Connection:
    """One connection, or one transaction, to send statements through."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    async def rows(self, statement: Statement, **given: object) -> list[Row]:
        """Return all rows of the answer."""
        with translated():
            found: list[Row] = await self._raw.fetch(statement.sql, *statement.arguments(given))
            return found

    async def row(self, statement: Statement, **given: object) -> Row | None:
        """Return the first row of the answer."""
        with translated():
            found: Row | None = await self._raw.fetchrow(statement.sql, *statement.arguments(given))
            return found

    async def value(self, statement: Statement, **given: object) -> Any:
        """Return the first column of the first row; None when there is no row."""
        with translated():
            return await self._raw.fetchval(statement.sql, *statement.arguments(given))

    async def execute(self, statement: Statement, **given: object) -> int:
        """Return how many rows were touched."""
        with translated():
            status: str = await self._raw.execute(statement.sql, *statement.arguments(given))
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def script(self, text: str) -> None:
        """Run SQL text of several statements without parameters: migrations, and the making of partitions."""
        with translated():
            await self._raw.execute(text)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Join what is sent inside into one transaction."""
        with translated():
            async with self._raw.transaction():
                yield

    @property
    def is_open(self) -> bool:
        """Return whether the connection still stands, as far as is known."""
        return not self._raw.is_closed()

    async def close(self) -> None:
        """Close a connection of one's own."""
        with translated():
            await self._raw.close(timeout=CONNECT_DEADLINE_S)

    def abandon(self) -> None:
        """Drop a connection that does not answer."""
        with suppress(ConnectionLost), translated():  # the driver may have dropped it already
            self._raw.terminate()


class Database:
    """A pool of connections to one database.

    Attributes:
        vault: The data keys of tenants.
        contents: Seals what stands in the rows of sessions, and opens it.
        disk_full_at_s: When a statement last found the disk of the database full, as `time.monotonic` tells it.
    """

    def __init__(self, url: str, pool: asyncpg.Pool[asyncpg.Record], master_keys: MasterKeys | None = None) -> None:
        self._url = url
        self._pool = pool
        self.vault = Vault(self, master_keys)
        self.contents = Contents(self.vault)
        self.disk_full_at_s: float | None = None

    @classmethod
    async def open(cls, url: str, *, pool_max: int = POOL_MAX, master_keys: MasterKeys | None = None) -> Database:
        """Connect. Without master keys what sessions hold is written as it is, and what is sealed cannot be read.

        Raises:
            Unavailable: There is no such database, or it does not let us in.
        """
        try:
            with translated():
                pool = await asyncpg.create_pool(
                    url,
                    min_size=0,
                    max_size=pool_max,
                    timeout=CONNECT_DEADLINE_S,
                    command_timeout=COMMAND_DEADLINE_S,
                    server_settings=APPLICATION,
                    init=_prepare,
                    connection_class=_RawConnection,
                )
            database = cls(url, pool, master_keys)
            async with database.connection():
                return database
        except ValueError as error:  # an address that cannot be read
            raise Unavailable(f"The database refuses the connection: {error}") from error

    async def close(self) -> None:
        """Let what is running finish, and close all connections; those that are still lent after a while are cut."""
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                with translated():
                    await self._pool.close()
        except (TimeoutError, ConnectionLost):
            log.warning("connections were still in use %s s after the end; they are cut", CLOSE_DEADLINE_S)
            self._pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Lend a connection of the pool.

        Raises:
            NotConnected: All are lent, and none came back in time.
            Closing: `close` was called.
        """
        raw = await self._acquire()
        connection = Connection(raw)
        try:
            yield connection
        except ConnectionLost:
            connection.abandon()  # whatever state it is in, nobody else shall have it
            raise
        except DiskFull:
            self.disk_full_at_s = monotonic()
            raise
        finally:
            with suppress(ConnectionLost), translated():  # what was asked for has its answer
                await self._pool.release(raw)

    async def _acquire(self) -> Any:
        try:
            with translated():
                try:
                    return await self._pool.acquire(timeout=ACQUIRE_DEADLINE_S)
                except TimeoutError as error:
                    raise NotConnected("The database is overloaded.") from error
                except asyncpg.InterfaceError as error:
                    if self._pool.is_closing():
                        raise Closing("The server is ending.") from error
                    raise
        except ConnectionLost as error:
            raise NotConnected(error.message) from error

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Lend a connection inside a transaction."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    async def own_connection(self, *, deadline_s: float = COMMAND_DEADLINE_S, **settings: str) -> Connection:
        """Return a connection outside the pool, with settings of its own."""
        with translated():
            raw = await asyncpg.connect(
                self._url,
                timeout=CONNECT_DEADLINE_S,
                command_timeout=deadline_s,
                server_settings={**APPLICATION, **settings},
            )
            await _prepare(raw)
        return Connection(raw)

    async def rows(self, statement: Statement, **given: object) -> list[Row]:
        """Return all rows of the answer."""
        return await self._send(statement, lambda connection: connection.rows(statement, **given))

    async def row(self, statement: Statement, **given: object) -> Row | None:
        """Return the first row of the answer."""
        return await self._send(statement, lambda connection: connection.row(statement, **given))

    async def value(self, statement: Statement, **given: object) -> Any:
        """Return the first column of the first row; None when there is no row."""
        return await self._send(statement, lambda connection: connection.value(statement, **given))

    async def execute(self, statement: Statement, **given: object) -> int:
        """Return how many rows were touched."""
        return await self._send(statement, lambda connection: connection.execute(statement, **given))

    async def _send(self, statement: Statement, send: Callable[[Connection], Awaitable[Answer]]) -> Answer:
        """Send a statement of its own; again, for a while, when it did not go out or may be repeated."""
        began, delay_s = monotonic(), REPEAT_DELAY_S
        deadline: float | None = None
        while True:
            try:
                async with self.connection() as connection:
                    return await send(connection)
            except ConnectionLost as error:
                was_sent = not isinstance(error, NotConnected)
                if deadline is None:  # what was lost under way may have been so for long
                    deadline = (monotonic() if was_sent else began) + REPEAT_FOR_S
                may_repeat = statement.is_repeatable or not was_sent
                if not may_repeat or monotonic() + delay_s > deadline:
                    raise
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, REPEAT_DELAY_MAX_S)


async def _prepare(raw: Any) -> None:
    """Let `jsonb` columns be JSON values on our side, and `uuid` ones, which are hashes, bytes."""
    await raw.set_type_codec("uuid", schema="pg_catalog", encoder=bytes, decoder=bytes, format="binary")
    await raw.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        encoder=lambda value: JSONB_VERSION + msgspec.json.encode(value),
        decoder=lambda stored: msgspec.json.decode(stored[len(JSONB_VERSION) :]),
        format="binary",
    )
