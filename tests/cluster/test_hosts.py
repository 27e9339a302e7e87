"""The behaviour suite of hosts, run against each kind of host there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from actors.hosts.process import ChildHost, ChildHosts
from actors.hosts.task import Task
from actors.link.addresses import parse_address
from actors.link.client import LinkedHost
from actors.projects import Seeded, put_project
from actors.settings import Settings
from actors.wiring import open_host
from storage.database import Database
from storage.leases import Leases
from tests.cluster.conftest import MASTER_KEYS, TOKEN, Loop, Stage
from tests.suites.host import FILES, PROJECT, HostSuite, Place
from tests.support.servers import Servers


@pytest.fixture(scope="module")
def settings(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        data_dir=str(tmp_path_factory.mktemp("suite")),
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        link_token=TOKEN,
        master_keys=MASTER_KEYS,
    )


@pytest.fixture(scope="module")
def seeded(settings: Settings, loop: Loop) -> Seeded:
    async def seed() -> Seeded:
        database = await Database.open(settings.database_url)
        try:
            return await put_project(database, PROJECT, FILES)
        finally:
            await database.close()

    return loop.run(seed())


@pytest.fixture(scope="module")
def in_this_process(settings: Settings, seeded: Seeded, loop: Loop) -> Iterator[Place]:
    stack = AsyncExitStack()

    async def start() -> LinkedHost:
        running = await stack.enter_async_context(open_host(settings, "suite-local", alone=True))
        await running.take_lease("local")
        return running.host

    yield Place(loop.run(start()), seeded.tenant_id, seeded.project_id, loop.run)
    loop.run(stack.aclose())


@pytest.fixture(scope="module")
def in_a_child(
    settings: Settings, seeded: Seeded, loop: Loop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("child")

    async def nothing(*_: object) -> None:
        return

    def child(host_id: str) -> ChildHost:
        return ChildHost(Task(host_id=host_id, address="", token=TOKEN, settings=settings), folder, nothing, nothing)

    hosts = ChildHosts(child)
    loop.run(hosts.keep("suite-child"))
    host = LinkedHost("suite-child", parse_address(loop.run(_address(settings, "suite-child"))), TOKEN)
    yield Place(host, seeded.tenant_id, seeded.project_id, loop.run)
    host.close()
    loop.run(hosts.stop())


async def _address(settings: Settings, host_id: str) -> str:
    database = await Database.open(settings.database_url)
    try:
        return next(row.address for row in await Leases(database).hosts() if row.host_id == host_id)
    finally:
        await database.close()


class TestHostInThisProcess(HostSuite):
    @pytest.fixture
    def place(self, in_this_process: Place) -> Place:
        return in_this_process


class TestHostInAChild(HostSuite):
    @pytest.fixture
    def place(self, in_a_child: Place) -> Place:
        return in_a_child


class TestHostInARayActor(HostSuite):
    @pytest.fixture
    def place(self, stage: Stage) -> Place:
        return Place(stage.host("host-0"), stage.seeded.tenant_id, stage.seeded.project_id, stage.run)
