"""Opens the whole store: embedded servers where no address is given, migrations, partitions, and all that reads it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec import Struct

from storage.coordination import Coordination
from storage.crypto import MasterKeys
from storage.database import POOL_MAX, Database
from storage.embedded import PostgresServer, RedisServer
from storage.embedded.supervisor import Supervisor
from storage.journal import Journal
from storage.leases import LEASE_S, Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.agents import Agents
from storage.repositories.api_keys import ApiKeys
from storage.repositories.callbacks import Callbacks
from storage.repositories.credentials import Credentials
from storage.repositories.deployments import Deployments
from storage.repositories.jobs import Jobs
from storage.repositories.memory import Memory
from storage.repositories.memory_stores import MemoryStores
from storage.repositories.projects import Projects
from storage.repositories.sessions import Sessions
from storage.repositories.traces import Traces
from storage.repositories.transcripts import Transcripts
from storage.repositories.turns import Turns
from storage.vault import Vault


class StorageSettings(Struct, frozen=True, kw_only=True):
    """Where the store is.

    Attributes:
        data_folder: Of the embedded servers.
        database_url: A PostgreSQL of one's own; empty starts the embedded one.
        redis_url: A server of the Redis protocol of one's own; empty starts the embedded one.
        pool_max: Connections of this process, beside the journal's one.
        lease_s: Seconds after which a silent host may be replaced.
        master_keys: 32 bytes each in base64, with commas, the current one first; without, no secret can be kept.
    """

    data_folder: Path = Path("data")
    database_url: str = ""
    redis_url: str = ""
    pool_max: int = POOL_MAX
    lease_s: float = LEASE_S
    master_keys: str = ""


class Storage:
    """The store, opened.

    Attributes:
        database_url, redis_url: What other processes (hosts) give as settings to open the same store.
    """

    def __init__(
        self,
        settings: StorageSettings,
        database: Database,
        coordination: Coordination,
        servers: tuple[Supervisor, ...] = (),
    ) -> None:
        self.database_url = settings.database_url
        self.redis_url = settings.redis_url
        self.database = database
        self.coordination = coordination
        self.servers = servers
        self.journal = Journal(database)
        self.leases = Leases(database, lease_s=settings.lease_s)
        self.agents = Agents(database)
        self.api_keys = ApiKeys(database)
        self.callbacks = Callbacks(database)
        self.vault = Vault(database, MasterKeys.parse(settings.master_keys) if settings.master_keys else None)
        self.credentials = Credentials(database, self.vault)
        self.deployments = Deployments(database)
        self.jobs = Jobs(database)
        self.memory = Memory(database)
        self.memory_stores = MemoryStores(database)
        self.projects = Projects(database)
        self.sessions = Sessions(database)
        self.traces = Traces(database)
        self.transcripts = Transcripts(database)
        self.turns = Turns(database)

    async def close(self) -> None:
        """Write what waits, close all connections, stop the embedded servers."""
        await self.journal.close()
        await self.coordination.close()
        await self.database.close()
        await asyncio.gather(*(server.stop() for server in self.servers))


async def open_storage(settings: StorageSettings) -> Storage:
    """Return the store, its embedded servers running and its tables in place.

    A process that is given both addresses starts no server.

    Raises:
        DirectoryInUse: Another program runs servers in this data folder.
        MigrationRefused: The database was made by another version.
        Unavailable: A server does not start or does not answer.
    """
    postgres = None if settings.database_url else PostgresServer(settings.data_folder)
    redis = None if settings.redis_url else RedisServer(settings.data_folder)
    servers = tuple(server for server in (postgres, redis) if server is not None)
    started = await asyncio.gather(*(server.start() for server in servers), return_exceptions=True)
    failures = [outcome for outcome in started if isinstance(outcome, BaseException)]
    try:
        if failures:
            raise failures[0]
        found = StorageSettings(
            data_folder=settings.data_folder,
            database_url=postgres.url if postgres else settings.database_url,
            redis_url=redis.url if redis else settings.redis_url,
            pool_max=settings.pool_max,
            lease_s=settings.lease_s,
            master_keys=settings.master_keys,
        )
        database = await Database.open(found.database_url, pool_max=found.pool_max)
        try:
            await migrate(database)
            await ensure_partitions(database)
        except BaseException:
            await database.close()
            raise
    except BaseException:
        running = [server for server, outcome in zip(servers, started, strict=True) if outcome is None]
        await asyncio.gather(*(server.stop() for server in running))
        raise
    return Storage(found, database, Coordination.open(found.redis_url), servers)
