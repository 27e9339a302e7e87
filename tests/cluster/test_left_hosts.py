"""Hosts whose gateways are gone: they end by themselves, and live on when one comes back in time."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from actors.hosts.ray_settings import namespace_of
from actors.hosts.stale_ray import processes_in
from actors.peers import PREFIX
from actors.placement import SLOT_PREFIX
from actors.settings import Settings
from benchmarks.serving import children
from storage.database import Database
from storage.embedded.processes import ProcessMark, command_line, is_alive, mark
from storage.leases import Leases
from tests.cluster.conftest import DEADLINE_S, MASTER_KEYS, TOKEN, Loop, Stage
from tests.cluster.gateways import SAY_S, START_S, STOP_S, Client, Gateway, a_gateway
from tests.suites.host import FILES
from tests.support.servers import Servers, run_servers, until

HOSTS = 2
HOSTS_S = 120.0
"""How long it may take until hosts are there, or gone."""
STORY_S = 2 * START_S + 2 * SAY_S + 2 * STOP_S + 3 * HOSTS_S
"""More than all waits of a story together: each says for itself what did not come."""
KILLED = -signal.SIGKILL


class Installation:
    """An installation of its own on the cluster of the run: a database, and so hosts, that nobody else has."""

    def __init__(self, servers: Servers, stage: Stage, place: Path) -> None:
        self.servers = servers
        self.loop: Loop = stage.loop
        self.place = place
        self.namespace = namespace_of(Settings(database_url=servers.database_url))
        self._address = stage.settings.ray_address
        self._project = place / "project"
        self._project.mkdir()
        for name, text in FILES.items():
            (self._project / name).write_text(text, encoding="utf-8")

    @asynccontextmanager
    async def gateway(self, name: str, *, ends_with: int = 0, **variables: str) -> AsyncIterator[Gateway]:
        """Yield a gateway; the one of a name has the same folder every time."""
        known = {
            "DATABASE_URL": self.servers.database_url,
            "REDIS_URL": self.servers.redis_url,
            "ABL_LINK_TOKEN": TOKEN,
            "ABL_MASTER_KEYS": MASTER_KEYS,
            "ABL_EMBEDDED_MODEL": "off",
        }
        options = ("--runtime", "ray", "--address", self._address, "--hosts", str(HOSTS))
        folder = self.place / name
        async with a_gateway(folder, self._project, {**known, **variables}, *options, ends_with=ends_with) as found:
            yield found

    def actors(self) -> list[str]:
        """Return the names of the actors that Ray knows of this installation."""
        import ray

        rows: list[Any] = ray.util.list_named_actors(all_namespaces=True)
        return sorted(row["name"] for row in rows if row["namespace"] == self.namespace)

    async def epochs(self, prefix: str = SLOT_PREFIX) -> dict[str, int]:
        """Return the leases that hosts hold now."""
        database = await Database.open(self.servers.database_url)
        try:
            return {row.host_id: row.epoch for row in await Leases(database).hosts() if row.host_id.startswith(prefix)}
        finally:
            await database.close()

    async def has_all_hosts(self) -> bool:
        """Return whether all hosts hold leases: on a busy machine one is there before the other."""
        return len(await self.epochs()) == HOSTS

    async def has_one_gateway(self) -> bool:
        """Return whether the lease of a gateway that was killed has run out, and another one is there."""
        return len(await self.epochs(PREFIX)) == 1

    async def have_ended(self) -> bool:
        """Return whether Ray knows no actor of this installation, and nobody holds a lease."""
        return not await asyncio.to_thread(self.actors) and not await self.epochs()


@pytest.fixture
def installation(stage: Stage, pytestconfig: pytest.Config, tmp_path: Path) -> Iterator[Installation]:
    with run_servers(pytestconfig) as servers:
        yield Installation(servers, stage, tmp_path)


def hosts_of_the_cluster() -> set[int]:
    """Return the processes of all hosts that are actors of the cluster of this run; other runs may have theirs."""
    return {pid for pid in processes_in(os.environ["RAY_TMPDIR"]) if command_line(pid).startswith("ray::SessionHost")}


async def talk(gateway: Gateway, talker: Client | None = None, text: str = "hello") -> Client:
    """Have a turn, which must succeed, in a new session or that of a client who has one."""
    async with aiohttp.ClientSession() as http:
        client = Client(http, [gateway.url], gateway.key, gateway.project_id, "talker")
        if talker is not None:
            client.key, client.session_id = talker.key, talker.session_id
        assert await client.say(text) == f"heard {text}"
        assert client.faults == []
        return client


def test_hosts_of_a_gateway_that_was_killed_serve_the_next_one_and_end_with_it(
    installation: Installation, three_nodes: Any
) -> None:
    """It needs room for its hosts beside those of the run's own gateway, which all nodes together have."""

    async def story() -> None:
        long = {"ABL_HOSTS_END_AFTER_S": "86400"}  # it is the gateway that ends them here
        async with installation.gateway("one", ends_with=KILLED, **long) as one:
            talker = await talk(one)
            await until(installation.has_all_hosts, within_s=HOSTS_S)
            before = await installation.epochs()
            one.process.kill()
            await one.process.wait()
        async with installation.gateway("one", **long) as again:
            await talk(again, talker, "and again")
            assert await installation.epochs() == before, "the hosts are not those of before"
            await until(installation.has_one_gateway, within_s=HOSTS_S)
        await until(installation.have_ended, within_s=HOSTS_S)

    installation.loop.run(story(), within_s=STORY_S)
    del three_nodes


def test_no_host_stays_behind_when_a_node_is_lost_and_both_gateways_are_killed(
    installation: Installation, stage: Stage, ray_nodes: Any, three_nodes: Any
) -> None:
    others = hosts_of_the_cluster()

    async def story() -> None:
        short = {"ABL_HOSTS_END_AFTER_S": "5"}
        async with (
            installation.gateway("one", ends_with=KILLED, **short) as one,
            installation.gateway("two", ends_with=KILLED, **short) as two,
        ):
            await talk(one)
            await until(installation.has_all_hosts, within_s=HOSTS_S)
            await asyncio.to_thread(ray_nodes.remove_node, node_with_a_host(ray_nodes, others), False)
            for gateway in (one, two):
                gateway.process.kill()
        await until(installation.have_ended, within_s=HOSTS_S)

    stage.loop.run(story(), within_s=STORY_S)
    stage.loop.until(none_of_ours(others))
    del three_nodes


def none_of_ours(others: set[int]) -> Any:
    """Return what says whether no host is there but those of the run's own gateway, which Ray may have moved."""

    async def condition() -> bool:
        return len(hosts_of_the_cluster()) <= len(others)

    return condition


def node_with_a_host(ray_nodes: Any, others: set[int]) -> Any:
    """Return a node that is not the head and has a host of this installation."""
    own = hosts_of_the_cluster() - others
    for node in ray_nodes.worker_nodes:
        raylet = node.all_processes["raylet"][0].process.pid
        if own & set(children(raylet)):
            return node
    raise AssertionError("no host is on a node that can be lost")


@pytest.mark.parametrize("runtime", ["process", pytest.param("ray", marks=pytest.mark.soak)])
def test_no_host_stays_behind_of_a_server_alone_that_was_killed(
    runtime: str, pytestconfig: pytest.Config, loop: Loop, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name, text in FILES.items():
        (project / name).write_text(text, encoding="utf-8")

    async def story(servers: Servers) -> None:
        variables = {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url, "ABL_EMBEDDED_MODEL": "off"}
        options = ("--runtime", runtime, "--hosts", "1")
        async with a_gateway(tmp_path / "one", project, variables, *options, ends_with=KILLED) as one:
            await talk(one)
            family = descendants(one.process.pid)
            assert any(is_host(one.pid) for one in family)
            one.process.kill()
            await one.process.wait()

        async def all_gone() -> bool:
            return not any(is_alive(one) for one in family)

        await until(all_gone, within_s=DEADLINE_S)

    with run_servers(pytestconfig) as servers:
        loop.run(story(servers))


def is_host(pid: int) -> bool:
    command = command_line(pid)
    return "actors.hosts.child" in command or command.startswith("ray::SessionHostActor")


def descendants(pid: int) -> list[ProcessMark]:
    """Return all processes that a process has started, and those that these have."""
    found: list[ProcessMark] = []
    out = [pid]
    while out:
        for child in children(out.pop()):
            out.append(child)
            if (one := mark(child)) is not None:
                found.append(one)
    return found
