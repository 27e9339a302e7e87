"""Two gateways on one cluster: a session goes on at either, and streams outlive the drain of a node."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp

from actors.clocks import RandomIds
from actors.first_keys import make_key
from actors.hosts.ray_settings import namespace_of
from actors.runtime import SessionRef
from storage.leases import Leases
from tests.cluster.conftest import DEADLINE_S, NODES, QUICK_TALKER, STORY, TALKER, Stage
from tests.cluster.gateways import Client, Gateway, a_gateway
from tests.support.live_gateway import LiveGateway, another_gateway
from tests.support.servers import until

log = logging.getLogger(__name__)

CLIENTS = 100
LABELS_S = 4.0
"""Less than a story takes, more than a host takes to say what it carries."""
DRAIN_NODE_REASON_PREEMPTION = 2


@asynccontextmanager
async def two_gateways(stage: Stage, place: Path, agent: str = TALKER) -> AsyncIterator[tuple[str, Gateway]]:
    """Yield the address of a gateway in this process and one in a process of its own, both on the same cluster."""
    project = place / "talker"
    project.mkdir()
    (project / "talker.agent.abl").write_text(agent, encoding="utf-8")
    variables = {
        "DATABASE_URL": stage.settings.database_url,
        "REDIS_URL": stage.settings.redis_url,
        "ABL_LINK_TOKEN": stage.settings.link_token,
        "ABL_MASTER_KEYS": stage.settings.master_keys,
    }
    options = ("--runtime", "ray", "--address", stage.settings.ray_address, "--hosts", "1")
    beside = LiveGateway(0, "", "", "", stage.running, None)
    async with a_gateway(place / "two", project, variables, *options) as two, another_gateway(beside) as one:
        key = await make_key(stage.running.database, RandomIds())  # the first one is made once for all gateways
        yield f"http://127.0.0.1:{one.port}", replace(two, key=key)


def client(http: aiohttp.ClientSession, two: Gateway, name: str, *urls: str) -> Client:
    return Client(http, list(urls), two.key, two.project_id, name)


def http_of_many() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))


def test_a_gateway_that_joins_takes_the_hosts_that_are_there_and_serves_the_sessions_of_the_other(
    stage: Stage, tmp_path: Path
) -> None:
    before = {slot: stage.process(f"host-{slot}") for slot in range(NODES)}

    async def story() -> None:
        async with two_gateways(stage, tmp_path, QUICK_TALKER) as (one, two), http_of_many() as http:
            talker = client(http, two, "both", one)
            assert await talker.say("first") == STORY
            talker.urls = [two.url]
            assert await talker.say("second") == STORY
            assert talker.faults == []
            ref = SessionRef(stage.seeded.tenant_id, "", talker.session_id)
            page = await stage.runtime.transcript(ref)
            assert [row["content"] for row in page.rows if row["role"] == "user"] == ["first", "second"]

    stage.run(story())
    assert {slot: stage.process(f"host-{slot}") for slot in range(NODES)} == before, "a gateway that left ended a host"


def test_a_hundred_streams_outlive_the_drain_of_a_node(stage: Stage, three_nodes: Any, tmp_path: Path) -> None:
    victim, node_id = a_host_off_the_head(stage)
    before = stage.process(victim)

    async def story() -> list[Client]:
        async with two_gateways(stage, tmp_path) as (one, two), http_of_many() as http:
            urls = (one, two.url)
            clients = [
                client(http, two, f"stream-{number}", *(urls if number % 2 else reversed(urls)))
                for number in range(CLIENTS)
            ]
            first = [asyncio.create_task(one.say("tell me")) for one in clients]
            await asyncio.gather(*(one.begun.wait() for one in clients))
            await until(lambda: streams_from(stage, victim), within_s=LABELS_S)
            await asyncio.to_thread(drain_node, stage, node_id)
            assert await asyncio.gather(*first) == [STORY] * CLIENTS
            await until(lambda: moved(stage, victim, node_id), within_s=DEADLINE_S)
            second = await asyncio.gather(*(one.say("and again") for one in clients))
            assert second == [STORY] * CLIENTS
            return clients

    clients = stage.run(story())
    assert [fault for one in clients for fault in one.faults] == []
    assert stage.process(victim) != before
    log.info("%s clients, %s streams cut and resumed", CLIENTS, sum(one.cuts for one in clients))


async def streams_from(stage: Stage, host_id: str) -> bool:
    """Return whether a host says that it runs turns."""
    rows = await Leases(stage.running.database).hosts()
    return any(row.host_id == host_id and row.labels.get("turns") for row in rows)


def a_host_off_the_head(stage: Stage) -> tuple[str, str]:
    """Return a host that is not on the head, and its node."""
    import ray

    head = next(node["NodeID"] for node in ray.nodes() if "node:__internal_head__" in node["Resources"])
    found = {f"host-{slot}": stage.ready(f"host-{slot}").node for slot in range(NODES)}
    return next((host_id, node) for host_id, node in found.items() if node != head)


def drain_node(stage: Stage, node_id: str) -> None:
    """Have Ray drain a node, as `ray drain-node` and a cloud's warning of preemption do."""
    from ray._raylet import GcsClient

    accepted, why = GcsClient(address=stage.settings.ray_address).drain_node(
        node_id, DRAIN_NODE_REASON_PREEMPTION, "a test", 0
    )
    assert accepted, why


async def moved(stage: Stage, host_id: str, node_id: str) -> bool:
    """Return whether a host serves on another node than this."""
    import ray
    from ray.exceptions import RayActorError

    actor = ray.get_actor(host_id, namespace=namespace_of(stage.running.settings))
    try:
        raw = await asyncio.wrap_future(actor.ready.remote().future())
    except RayActorError:
        return False
    return bool(raw) and node_id not in raw.decode()
