"""The composition root: settings -> a runtime. The only place that turns settings into objects; reads like a list."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from actors.a2a_desk import StoredA2a
from actors.a2a_pushing import A2aPusher, Together
from actors.archive import StoredArchive
from actors.budgets import BudgetKeeper
from actors.callback_secrets import CallbackSecrets
from actors.callbacks import CallbackDesk
from actors.catalogue import catalogues_of
from actors.clocks import RandomIds, StoreClock, SystemClock
from actors.desks import Desks
from actors.draining import Draining
from actors.embedded import PROVIDER, EmbeddedModel, find_embedded, with_embedded
from actors.files import StoredFiles
from actors.health import OK, ModelHealth
from actors.host_numbers import DEDICATED, GATEWAY
from actors.hosting import Hosting, Seen, follow_hosts, own_directory
from actors.hosts.port import HostMaker
from actors.hosts.tenancy import Epoch, Tenancy
from actors.installation import (
    allowed_addresses,
    data_folder,
    instance_rates,
    master_keys,
    model_registry,
    public_url,
    sandbox_tokens,
)
from actors.jobs import JobRunner
from actors.memories import StoredMemories
from actors.models import StoredModels
from actors.otel_export import span_export
from actors.placed_sessions import PlacedSessions
from actors.placement import is_dedicated
from actors.programs import StoredPrograms
from actors.project_removal import ProjectRemoval
from actors.quotas import MeteredModels, open_quotas
from actors.router import Router
from actors.sandbox_tokens import sandboxes_of
from actors.secret_variables import SecretVariables
from actors.secrets import secrets_of
from actors.session.delivery import AgentReach, Delivery
from actors.session.effects import Outside, WorldPerformer
from actors.session.services import Mocks, Services
from actors.session_host import DRAIN_S, SessionHost
from actors.session_runtime import SessionRuntime
from actors.settings import Settings
from actors.stored_desks import open_desks
from actors.stored_sessions import StoredSessions
from actors.system_events import SystemEvents, noted_in
from actors.tally import Tally
from actors.together import together
from actors.upkeep import Retention, Upkeep
from actors.webhook_delivery import WebhookSender
from actors.webhooks import HookedProjects
from domain.clock import Clock, IdSource
from domain.json_values import JsonObject
from providers.embedded.intents import find_classifier
from providers.http import HttpClient
from providers.ports import TextClassifier
from providers.remote import RemoteAgents
from providers.tools.confining import tell_what_is_missing
from providers.tools.kinds import all_tools
from storage.blobs import Blobs, DatabaseBlobs, FolderBlobs
from storage.coordination import Coordination
from storage.database import Database
from storage.embedded import PostgresServer, RedisServer
from storage.holding import Holding
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.accepted import AcceptedMessages
from storage.repositories.budgets import Budgets
from storage.repositories.catalogue import Catalogues
from storage.repositories.credentials import Credentials
from storage.repositories.jobs import Jobs
from storage.repositories.variables import Variables

log = logging.getLogger(__name__)
LOCAL, RAY = "local", "ray"
LOCAL_HOST_ID = "host-0"
NO_PROVIDER = "The model {} is of no provider that is set here; set its key or ABL_MODEL_URL, or another ABL_MODEL."
NO_MODEL = "No model is set (ABL_MODEL_URL, or a provider's key); agents that need none answer."


@dataclass(slots=True)
class RunningHost:
    """A session host in this process, with its lease."""

    host: SessionHost
    tenancy: Tenancy
    epoch: Epoch
    outside: Outside

    async def take_lease(self, address: str, labels: JsonObject | None = None) -> int:
        """Begin to serve at an address; return the epoch of the lease."""
        await self.tenancy.start(address, labels or {})
        self.host.start()
        return self.epoch.value

    async def drain(self, within_s: float = DRAIN_S) -> None:
        """Say that no new session is taken, and let the running turns finish."""
        self.host.begin_drain()
        await self.tenancy.announce()
        await self.host.drain(within_s)


@dataclass(slots=True)
class RunningRuntime:
    """A runtime and what the gateway needs beside it."""

    runtime: SessionRuntime
    archive: StoredArchive
    database: Database
    coordination: Coordination
    settings: Settings
    desks: Desks
    system: SystemEvents
    hosts: HostMaker | None = None
    servers: tuple[PostgresServer | RedisServer, ...] = ()
    embedded: EmbeddedModel | None = None
    mocks: Mocks = field(default_factory=Mocks)


@asynccontextmanager
async def open_host(
    settings: Settings,
    host_id: str,
    *,
    alone: bool = False,
    hooked: HookedProjects | None = None,
    mocks: Mocks | None = None,
    seen: Seen | None = None,
) -> AsyncIterator[RunningHost]:
    """Build one session host over servers that are already running; `alone` when there is no other host.

    `seen` is told all leases whenever the host has read them.
    """
    async with AsyncExitStack() as stack:
        clock, ids, epoch = SystemClock(), RandomIds(), Epoch()
        shared = StoreClock(clock)
        database = await _opened(settings)
        stack.push_async_callback(database.close)
        journal = Journal(database)
        stack.push_async_callback(journal.close)
        leases = Leases(database)
        vault = database.vault
        desk = _callback_desk(settings, database)
        system = SystemEvents(noted_in(database), clock, DEDICATED if is_dedicated(host_id) else host_id)
        stack.push_async_callback(system.close)
        store = (
            StoredSessions(database, journal, epoch, desk, hooked, system)
            if alone
            else PlacedSessions(database, journal, epoch, desk, host_id, system)
        )
        registry = model_registry(settings)
        stack.push_async_callback(registry.close)
        models = StoredModels(registry, settings.default_model, database, vault)
        tools = all_tools(allowed_addresses(settings), settings.mcp_servers)
        stack.push_async_callback(tools.close)
        coordination = Coordination.open(settings.redis_url)
        stack.push_async_callback(coordination.close)
        quotas = open_quotas(stack, database, coordination, clock, instance_rates(settings))
        outside = Outside(
            models=models,
            tools=tools,
            clock=clock,
            memories=StoredMemories(database, clock),
            credentials=secrets_of(Credentials(database, vault)),
            catalogues=catalogues_of(Catalogues(database)),
            sandboxes=sandboxes_of(sandbox_tokens(settings, clock, ids), public_url(settings)),
            remotes=_remotes(settings, stack),
            budgets=MeteredModels(BudgetKeeper(Budgets(database), ids), quotas),
            quotas=quotas,
            classifier=_classifier(settings, stack),
            secret_variables=SecretVariables(Variables(database), vault).of,
        )
        if not alone:
            outside.ask = Router(await follow_hosts(stack, leases, settings.link_token, seen)).ask
        services = Services(
            store=store,
            performer=WorldPerformer(outside),
            programs=StoredPrograms(database, settings.environment),
            clock=clock,
            ids=ids,
            models=models,
            has_classifier=outside.classifier is not None,
            mocks=mocks if mocks is not None else Mocks(settings.tool_mocks),
            takes_over=system.takes_over,
            numbers=shared,
        )

        async def give_back(names: Sequence[tuple[str, str]]) -> None:
            await leases.release_sessions(epoch.value, names)

        if settings.is_server:
            telling = asyncio.get_running_loop().create_task(tell_what_is_missing())
            stack.callback(telling.cancel)
        host = SessionHost(host_id, services, settings.limits, give_back)
        tenancy = Tenancy(leases, host, epoch, outside.tally, shared.told)
        stack.push_async_callback(tenancy.stop)
        stack.push_async_callback(host.stop)
        yield RunningHost(host, tenancy, epoch, outside)


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[RunningRuntime]:
    """Start everything that the settings want and yield the runtime; stop it in the opposite order."""
    async with AsyncExitStack() as stack:
        settings, servers = _servers(msgspec.structs.replace(settings, data_dir=str(data_folder(settings))))
        embedded = find_embedded(settings)
        if embedded is not None:
            settings = with_embedded(settings, embedded)
            stack.push_async_callback(embedded.stop)
        for server in servers:
            server.claim()  # all of them before anything is brought up
            stack.push_async_callback(server.stop)
        hosting = Hosting(settings, data_folder(settings))
        stack.push_async_exit(hosting.leave)
        await together(hosting.start(), *(server.start() for server in servers))
        database = await _opened(settings)
        stack.push_async_callback(database.close)
        await _prepare(database, settings, stack)
        coordination = Coordination.open(settings.redis_url)
        stack.push_async_callback(coordination.close)
        clock, ids = SystemClock(), RandomIds()
        desk = _callback_desk(settings, database)
        files = StoredFiles(database, _blobs(settings, database), ids)
        archive = StoredArchive(database, coordination, desk, files.forget_session, _own_disk(settings, servers))
        sender = _webhooks(settings, stack, database, clock, ids)
        leases, tally, most, mocks = Leases(database), Tally(), settings.limits.max_waiting, Mocks(settings.tool_mocks)
        system, accepted = SystemEvents(noted_in(database), clock, GATEWAY), AcceptedMessages(database)
        stack.push_async_callback(system.close)
        model = _model_state(settings, embedded)
        if settings.runtime == LOCAL:
            running = await stack.enter_async_context(
                open_host(settings, LOCAL_HOST_ID, alone=True, hooked=sender.hooked, mocks=mocks)
            )
            await running.take_lease(LOCAL)
            directory = await own_directory(stack, leases, running.host)
            runtime = SessionRuntime(
                *(directory, archive, ids, tally, system), accepted=accepted, on_drain=running.drain, max_waiting=most,
                model=model,
            )  # fmt: skip
            running.outside.ask = runtime.ask
        else:
            directory = await hosting.open(stack, leases)
            runtime = SessionRuntime(
                *(directory, archive, ids, tally, system), accepted=accepted, summon=hosting.summon, max_waiting=most,
                model=model,
            )  # fmt: skip
        removal, draining = ProjectRemoval(database, runtime), Draining(database, runtime)
        quotas = open_quotas(stack, database, coordination, clock, instance_rates(settings))
        desks = open_desks(settings, stack, database, files, clock, ids, sender, removal, draining, tally, quotas)
        kept_for = Retention(
            settings.trace_days,
            settings.journal_days,
            settings.session_idle_s,
            settings.audit_days,
            settings.analytics_days,
        )
        secrets = secrets_of(Credentials(database, database.vault))
        delivery = Delivery(AgentReach(runtime.ask, _remotes(settings, stack), secrets))
        outbound, spans = (
            Together(sender, _pusher(settings, stack, database, clock)),
            span_export(settings, stack, database),
        )
        upkeep = Upkeep(database, clock, runtime.ask, kept_for, files, removal, draining, spans)
        jobs = JobRunner(Jobs(database), desk, runtime.ask, upkeep, deliver=delivery.deliver, outbound=outbound)
        for runner in (jobs, runtime.intake):
            if runner is not None:
                runner.start()
                stack.push_async_callback(runner.stop)
        if embedded is not None:
            embedded.start()
        yield RunningRuntime(
            runtime, archive, database, coordination, settings, desks, system, hosting.maker, servers, embedded, mocks
        )


async def _opened(settings: Settings) -> Database:
    return await Database.open(
        settings.database_url, pool_max=settings.database_connections, master_keys=master_keys(settings)
    )


async def _held(settings: Settings, stack: AsyncExitStack, database: Database) -> None:
    """Keep other servers away from the database. Raises Conflict: there is one."""
    if settings.is_server:
        holding = Holding(database, alone=settings.runtime != RAY)
        stack.push_async_callback(holding.stop)
        await holding.start()


async def _prepare(database: Database, settings: Settings, stack: AsyncExitStack) -> None:
    """Keep other servers away, bring the tables up to date, and say what of them cannot be read."""
    await _held(settings, stack, database)
    await migrate(database)
    await ensure_partitions(database)
    if unknown := await database.vault.unknown_masters():
        log.error("%s", unknown)


def _own_disk(settings: Settings, servers: Sequence[PostgresServer | RedisServer]) -> Path | None:
    """Return the folder of the database where it is an embedded one."""
    return data_folder(settings) if any(isinstance(server, PostgresServer) for server in servers) else None


def _model_state(settings: Settings, embedded: EmbeddedModel | None) -> Callable[[], ModelHealth]:
    """Return what says how the model is that agents ask which name none."""
    wanted = settings.default_model
    if embedded is not None and wanted == embedded.model:
        return lambda: ModelHealth(embedded.state)
    if not wanted:
        return lambda: ModelHealth(NO_MODEL, is_set=False)
    is_there = wanted.partition("/")[0] in {one.name for one in settings.providers}
    return lambda: ModelHealth(OK if is_there else NO_PROVIDER.format(wanted))


def _callback_desk(settings: Settings, database: Database) -> CallbackDesk:
    """Return where callbacks are issued and delivered."""
    secrets = CallbackSecrets(database.vault)
    return CallbackDesk(
        database, SystemClock(), secrets, public_url=public_url(settings), ttl_s=settings.callback_ttl_s
    )


def _blobs(settings: Settings, database: Database) -> Blobs:
    """Return where attachments are kept: a folder that every gateway sees, else the database."""
    if settings.blob_dir:
        return FolderBlobs(Path(settings.blob_dir).absolute(), database.contents)
    return DatabaseBlobs(database)


def _classifier(settings: Settings, stack: AsyncExitStack) -> TextClassifier | None:
    """Return what compares texts by meaning, where no model of the installation understands better."""
    if settings.default_model and not settings.default_model.startswith(PROVIDER):
        return None
    found = find_classifier()
    if found is not None:
        stack.push_async_callback(found.close)
    return found


def _webhooks(
    settings: Settings, stack: AsyncExitStack, database: Database, clock: Clock, ids: IdSource
) -> WebhookSender:
    """Return what sends to webhooks, on connections of its own."""
    return WebhookSender(database, database.vault, _outward(settings, stack), clock, ids, HookedProjects(database))


def _pusher(settings: Settings, stack: AsyncExitStack, database: Database, clock: Clock) -> A2aPusher:
    """Return what tells clients of Agent2Agent of their tasks."""
    desk = StoredA2a(database, database.vault, allowed_addresses(settings), clock)
    return A2aPusher(Jobs(database), desk, _outward(settings, stack))


def _outward(settings: Settings, stack: AsyncExitStack) -> HttpClient:
    """Return what calls addresses of others: those that may be called."""
    client = HttpClient(allowed_addresses(settings))
    stack.push_async_callback(client.close)
    return client


def _remotes(settings: Settings, stack: AsyncExitStack) -> RemoteAgents:
    """Return what asks agents in other systems; the same addresses are open to it as to http tools."""
    remotes = RemoteAgents(HttpClient(allowed_addresses(settings)))
    stack.push_async_callback(remotes.close)
    return remotes


def _servers(settings: Settings) -> tuple[Settings, tuple[PostgresServer | RedisServer, ...]]:
    """Return the settings with the addresses of the embedded servers that are wanted, and these servers."""
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
    return settings, tuple(servers)
