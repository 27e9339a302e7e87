"""The composition root: settings -> a runtime. The only place that turns settings into objects; reads like a list."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from actors.archive import StoredArchive
from actors.callbacks import CallbackDesk
from actors.clocks import RandomIds, SystemClock
from actors.directory import Directory, LinkedHosts
from actors.hosts.port import Host
from actors.hosts.process import ChildHost, Task
from actors.hosts.tenancy import Epoch, Tenancy
from actors.jobs import JobRunner
from actors.link.client import LinkedHost
from actors.memories import StoredMemories
from actors.programs import StoredPrograms
from actors.router import Router
from actors.session.effects import Outside, WorldPerformer
from actors.session.services import Services
from actors.session_host import SessionHost
from actors.session_runtime import SessionRuntime
from actors.settings import ModelProvider, Settings
from actors.stored_sessions import StoredSessions
from providers.addresses import AddressPolicy
from providers.registry import ModelRegistry
from providers.specs import ProviderSpec
from providers.tools.kinds import all_tools
from storage.coordination import Coordination
from storage.database import Database
from storage.embedded import PostgresServer, RedisServer
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.jobs import Jobs

LOCAL = "local"
LOCAL_HOST_ID = "host-0"
SOCKETS = "run"
TOKEN_BYTES = 24


@dataclass(slots=True)
class RunningHost:
    """A session host in this process, with its lease."""

    host: SessionHost
    tenancy: Tenancy
    epoch: Epoch
    outside: Outside

    async def take_lease(self) -> int:
        """Begin to serve; return the epoch of the lease."""
        await self.tenancy.start(self.host)
        self.host.start()
        return self.epoch.value


@dataclass(slots=True)
class RunningRuntime:
    """A runtime and what the gateway needs beside it."""

    runtime: SessionRuntime
    archive: StoredArchive
    database: Database
    coordination: Coordination
    settings: Settings
    children: tuple[ChildHost, ...] = ()
    servers: tuple[PostgresServer | RedisServer, ...] = ()


@asynccontextmanager
async def open_host(settings: Settings, host_id: str, address: str) -> AsyncIterator[RunningHost]:
    """Build one session host over servers that are already running."""
    async with AsyncExitStack() as stack:
        clock, ids, epoch = SystemClock(), RandomIds(), Epoch()
        database = await Database.open(settings.database_url, pool_max=settings.database_connections)
        stack.push_async_callback(database.close)
        journal = Journal(database)
        stack.push_async_callback(journal.close)
        leases = Leases(database)
        desk = CallbackDesk(database, clock, public_url=public_url(settings), ttl_s=settings.callback_ttl_s)
        store = StoredSessions(database, journal, epoch, desk)
        models = ModelRegistry([_provider(one) for one in settings.providers])
        stack.push_async_callback(models.close)
        tools = all_tools(AddressPolicy(allowed=settings.allowed_networks))
        stack.push_async_callback(tools.close)
        outside = Outside(
            models=models,
            tools=tools,
            store=store,
            clock=clock,
            default_model=settings.default_model,
            memories=StoredMemories(database, clock),
        )
        if address != LOCAL:
            outside.ask = Router(await _followed_directory(stack, leases, settings)).ask
        services = Services(
            store=store,
            performer=WorldPerformer(outside),
            programs=StoredPrograms(database, settings.environment),
            clock=clock,
            ids=ids,
            has_model=bool(settings.default_model),
        )
        host = SessionHost(host_id, services, settings.limits)
        tenancy = Tenancy(leases, host_id, address, epoch)
        stack.push_async_callback(tenancy.stop)
        stack.push_async_callback(host.stop)
        yield RunningHost(host, tenancy, epoch, outside)


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[RunningRuntime]:
    """Start everything that the settings want and yield the runtime; stop it in the opposite order."""
    async with AsyncExitStack() as stack:
        settings, servers = await _with_servers(stack, settings)
        database = await Database.open(settings.database_url, pool_max=settings.database_connections)
        stack.push_async_callback(database.close)
        await migrate(database)
        await ensure_partitions(database)
        coordination = Coordination.open(settings.redis_url)
        stack.push_async_callback(coordination.close)
        clock, ids = SystemClock(), RandomIds()
        desk = CallbackDesk(database, clock, public_url=public_url(settings), ttl_s=settings.callback_ttl_s)
        archive = StoredArchive(database, coordination, desk)
        leases = Leases(database)
        if settings.runtime == LOCAL:
            running = await stack.enter_async_context(open_host(settings, LOCAL_HOST_ID, LOCAL))
            await running.take_lease()
            directory = await _directory(stack, leases, lambda _host_id, _address: running.host, only=LOCAL_HOST_ID)
            runtime = SessionRuntime(
                directory, archive, ids, local_stats=running.host.stats, on_drain=running.host.drain
            )
            running.outside.ask = runtime.ask
            children: tuple[ChildHost, ...] = ()
        else:
            directory, children = await _children(stack, leases, settings)
            runtime = SessionRuntime(directory, archive, ids)
        jobs = JobRunner(Jobs(database), desk, runtime.ask)
        jobs.start()
        stack.push_async_callback(jobs.stop)
        yield RunningRuntime(runtime, archive, database, coordination, settings, children, servers)


def data_folder(settings: Settings) -> Path:
    """Return the folder of everything that has to survive a restart."""
    return Path(settings.data_dir).absolute()


def public_url(settings: Settings) -> str:
    """Return the address under which the outside reaches this installation."""
    return settings.public_url or f"http://{settings.host}:{settings.port}"


def _provider(one: ModelProvider) -> ProviderSpec:
    return ProviderSpec(one.name, one.kind, one.base_url, one.api_key, one.models, one.options)


async def _with_servers(
    stack: AsyncExitStack, settings: Settings
) -> tuple[Settings, tuple[PostgresServer | RedisServer, ...]]:
    """Start the embedded servers that are wanted; return the settings with their addresses."""
    folder = data_folder(settings)
    servers: list[PostgresServer | RedisServer] = []
    if not settings.database_url:
        postgres = PostgresServer(folder)
        servers.append(postgres)
        settings = msgspec.structs.replace(settings, database_url=postgres.url)
    if not settings.redis_url:
        redis = RedisServer(folder)
        servers.append(redis)
        settings = msgspec.structs.replace(settings, redis_url=redis.url)
    for server in servers:
        stack.push_async_callback(server.stop)
    await asyncio.gather(*(server.start() for server in servers))
    return settings, tuple(servers)


async def _directory(stack: AsyncExitStack, leases: Leases, connect: LinkedHosts, *, only: str = "") -> Directory:
    async def members() -> Mapping[str, str]:
        return {row.host_id: row.address for row in await leases.hosts() if not only or row.host_id == only}

    directory = Directory(members, connect)
    stack.push_async_callback(directory.stop)
    await directory.start()
    return directory


async def _followed_directory(stack: AsyncExitStack, leases: Leases, settings: Settings) -> Directory:
    token = settings.link_token

    def connect(host_id: str, address: str) -> Host:
        return LinkedHost(host_id, Path(address), token)

    return await _directory(stack, leases, connect)


async def _children(
    stack: AsyncExitStack, leases: Leases, settings: Settings
) -> tuple[Directory, tuple[ChildHost, ...]]:
    settings = msgspec.structs.replace(settings, link_token=secrets.token_urlsafe(TOKEN_BYTES))
    directory = await _followed_directory(stack, leases, settings)
    folder = data_folder(settings) / SOCKETS

    async def died(epoch: int) -> None:
        await leases.release_host(epoch)
        await directory.refresh()

    count = settings.hosts or os.cpu_count() or 1
    children = tuple(
        ChildHost(
            Task(f"host-{slot}", "", settings.link_token, settings),
            folder,
            died,
            directory.refresh,
        )
        for slot in range(count)
    )
    for child in children:
        stack.push_async_callback(child.stop)
    await asyncio.gather(*(child.start() for child in children))
    return directory, children
