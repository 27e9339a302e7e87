"""The whole store for tests that use all of it: embedded servers, migrations, partitions, and everything that reads it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from storage.coordination import Coordination
from storage.crypto import MasterKeys
from storage.database import Database
from storage.embedded import PostgresServer, RedisServer
from storage.journal import Journal
from storage.leases import Leases
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
from tests.support.servers import trust_the_system


class Storage:
    """The store, opened."""

    def __init__(
        self, servers: tuple[PostgresServer, RedisServer], database: Database, coordination: Coordination, keys: str
    ) -> None:
        self.servers = servers
        self.database = database
        self.coordination = coordination
        self.journal = Journal(database)
        self.leases = Leases(database)
        self.agents = Agents(database)
        self.api_keys = ApiKeys(database)
        self.callbacks = Callbacks(database)
        self.vault = Vault(database, MasterKeys.parse(keys))
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


@asynccontextmanager
async def whole_store(folder: Path, keys: str) -> AsyncIterator[Storage]:
    """Yield the store over servers of its own; `keys` are master keys."""
    postgres, redis = PostgresServer(folder), RedisServer(folder)
    async with AsyncExitStack() as stack:
        for server in (postgres, redis):
            stack.push_async_callback(server.stop)
        await asyncio.gather(postgres.start(), redis.start())
        await trust_the_system(postgres.url)
        database = await Database.open(postgres.url)
        stack.push_async_callback(database.close)
        await migrate(database)
        await ensure_partitions(database)
        coordination = Coordination.open(redis.url)
        stack.push_async_callback(coordination.close)
        store = Storage((postgres, redis), database, coordination, keys)
        stack.push_async_callback(store.journal.close)
        yield store
