"""Load brings nodes and their absence lets them go: the whole way from sessions over hosts to Ray's autoscaler."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from actors.placement import node_resources
from actors.projects import Seeded, put_project
from actors.runtime import ChatTurn
from actors.settings import HostLimits, Settings
from actors.supervisor import Sizing
from actors.wiring import RunningRuntime, open_runtime
from tests.cluster.conftest import MASTER_KEYS, TOKEN
from tests.suites.host import FILES, PROJECT
from tests.support.fake_nodes import fake_cluster
from tests.support.servers import Servers

pytestmark = pytest.mark.soak
log = logging.getLogger(__name__)

MOST = 3
PER_HOST = 20
SESSIONS = 60
"""More than two hosts of this size would be filled with."""
GROW_S = 120.0
SHRINK_S = MOST * (Sizing().shrink_after_s + 60.0)
LOOK_S = 0.2
TALK_S = 1.0
ONE_NODE_PER_HOST = {
    "resources": {"CPU": 1, **node_resources(1)},
    "min_workers": 0,
    "max_workers": MOST + 1,
}


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("RAY_TMPDIR", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    with fake_cluster(tmp_path / "fake", ONE_NODE_PER_HOST) as found:
        yield found


def test_load_brings_nodes_and_their_emptiness_after_a_drain_ends_them(
    address: str, servers: Servers, tmp_path: Path
) -> None:
    settings = Settings(
        data_dir=str(tmp_path / "gateway"),
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        runtime="ray",
        ray_address=address,
        link_token=TOKEN,
        master_keys=MASTER_KEYS,
        hosts=1,
        max_hosts=MOST,
        limits=HostLimits(max_sessions=2 * PER_HOST, idle_s=10.0, sweep_s=1.0),
    )
    asyncio.run(story(settings))


async def story(settings: Settings) -> None:
    async with open_runtime(settings) as running:
        seeded = await put_project(running.database, PROJECT, FILES)
        began = monotonic()
        await until(lambda: nodes() == 1, GROW_S, "a first node")
        log.info("first node after %.1f s", monotonic() - began)

        sessions = [(await say(running, seeded, f"hello {number}", "")) for number in range(PER_HOST)]
        talking = asyncio.create_task(keep_talking(running, seeded, sessions))
        began = monotonic()
        await until(lambda: nodes() == MOST, GROW_S, "nodes for the load")
        await until(lambda: shared(running) == MOST, GROW_S, "hosts on the nodes")
        log.info("%s nodes %.1f s after the load", MOST, monotonic() - began)
        assert not talking.done(), "the load has ended by itself"
        talking.cancel()
        await asyncio.wait([talking])

        began = monotonic()
        await until(lambda: shared(running) == 1, SHRINK_S, "hosts leave")
        log.info("one host %.1f s after the load was over", monotonic() - began)
        began = monotonic()
        await until(lambda: nodes() == 1, SHRINK_S, "nodes leave")
        log.info("one node %.1f s later", monotonic() - began)
        for number, session_id in enumerate(sessions):
            assert await say(running, seeded, f"still there {number}", session_id) == session_id


async def keep_talking(running: RunningRuntime, seeded: Seeded, sessions: list[str]) -> None:
    """Keep sessions awake, more of them as there is room."""
    while True:
        room = min(SESSIONS, PER_HOST * shared(running) + PER_HOST // 2)
        fresh = [""] * (room - len(sessions))
        sessions[:] = await asyncio.gather(*(say(running, seeded, "hello", one) for one in (*sessions, *fresh)))
        await asyncio.sleep(TALK_S)


async def say(running: RunningRuntime, seeded: Seeded, text: str, session_id: str) -> str:
    """Have a turn, which must succeed, and return its session."""
    turn = ChatTurn(tenant_id=seeded.tenant_id, project_id=seeded.project_id, message=text, session_id=session_id)
    reply = await running.runtime.chat(turn)
    assert reply.response == f"heard {text}"
    return str(reply.session_id)


def nodes() -> int:
    """Return how many nodes of sessions are alive."""
    import ray

    alive: list[Any] = [one for one in ray.nodes() if one["Alive"]]
    return sum("session_host" in one["Resources"] for one in alive)


def shared(running: RunningRuntime) -> int:
    """Return how many shared hosts serve."""
    directory: Any = running.runtime._directory  # type: ignore[attr-defined]
    return sum(one.host_id.startswith("host-") for one in directory.members)


async def until(condition: Callable[[], bool], within_s: float, what: str) -> None:
    """Wait for a condition; fail when it does not come true in time."""
    give_up_s = monotonic() + within_s
    while not condition():
        assert monotonic() < give_up_s, f"not within {within_s:.0f} s: {what}"
        await asyncio.sleep(LOOK_S)
