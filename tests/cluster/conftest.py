"""A Ray cluster of three nodes on this machine, one gateway's runtime over it: both started once per run."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from base64 import b64encode
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import pytest

from actors.hosts.port import Host
from actors.hosts.ray_settings import LOOPBACK, namespace_of
from actors.hosts.stale_ray import RayFolder
from actors.hosts.task import Ready
from actors.placement import node_resources
from actors.projects import Seeded, put_project
from actors.settings import ModelProvider, Settings
from actors.wiring import RunningRuntime, open_runtime
from storage.embedded.processes import ProcessMark, is_alive, mark, send
from tests.suites.host import FILES, PROJECT
from tests.support.servers import Servers, folder, servers

__all__ = ["folder", "servers"]

NODES = 3
TOKEN = "token"
MASTER_KEYS = b64encode(b"k" * 32).decode()
"""Of all runtimes over one database: what one of them seals the others open."""
STORE_BYTES = 80 * 1024**2
DEADLINE_S = 240.0
ENDS_S = 120.0
"""How long a story that took too long may need to end what it has begun, such as gateways."""
POLL_S = 0.1
STORY = "".join(f"{number:03d}." for number in range(40))
TALKER = 'AGENT: Talker\nGOAL: "Tell a long story"\nPERSONA: "A patient narrator"\n'
QUICK_TALKER = f'{TALKER}\nEXECUTION:\n  model: "quick/default"\n'
STORY_DELTA_MS = 150


def told_at(name: str, delta_ms: int) -> ModelProvider:
    """Return a model that tells the same story every time, with so much time between two of its forty pieces."""
    rows = [{"text": STORY, "delta_chars": 4, "delta_delay_ms": delta_ms}]
    return ModelProvider(name=name, kind="scripted", models=("default",), options={"rows": rows})


STORIES = (told_at("scripted", STORY_DELTA_MS), told_at("quick", 1))
"""One takes 6 s, for what happens while it is told."""


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have all of these tests run in one worker: Ray is started once."""
    here = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(here):  # ten thousand paths: to take each apart would cost every worker a second
            item.add_marker(pytest.mark.cluster)
            item.add_marker(pytest.mark.xdist_group("cluster"))


class Loop:
    """An event loop in a thread, for what lives longer than one test."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Any], *, within_s: float = DEADLINE_S) -> Any:
        """Run a coroutine in the loop and return what it returns.

        One that takes too long is cancelled: the cause of its TimeoutError shows where it stood.
        """

        async def bounded() -> Any:
            async with asyncio.timeout(within_s):
                return await coroutine

        running: Future[Any] = asyncio.run_coroutine_threadsafe(bounded(), self._loop)
        return running.result(within_s + ENDS_S)

    def until(self, condition: Callable[[], Awaitable[bool]], *, within_s: float = DEADLINE_S) -> None:
        """Wait until a condition holds; fail when it does not in time."""
        deadline = monotonic() + within_s

        async def story() -> None:
            while not await condition():
                assert monotonic() < deadline, f"not within {within_s:g} s: {condition}"
                await asyncio.sleep(POLL_S)

        self.run(story(), within_s=within_s + ENDS_S)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE_S)
        self._loop.close()


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def ray_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield a cluster of three nodes; every process of it is ended by its pid."""
    own = RayFolder.make(tmp_path_factory.mktemp("ray"))
    os.environ["RAY_TMPDIR"] = own.path
    Path(own.path, "ray").mkdir()
    from ray.cluster_utils import Cluster

    options = {
        "num_cpus": 1,
        "resources": node_resources(2),
        "object_store_memory": STORE_BYTES,
        "node_ip_address": LOOPBACK,
    }
    cluster = Cluster(initialize_head=True, head_node_args={**options, "include_dashboard": False})
    for _ in range(NODES - 1):
        cluster.add_node(wait=False, **options)
    cluster.wait_for_nodes(DEADLINE_S)
    own.note_processes()
    yield cluster
    cluster.shutdown()
    own.clear()


class Stage:
    """A gateway's runtime over the cluster, and the processes behind it."""

    def __init__(self, running: RunningRuntime, seeded: Seeded, settings: Settings, loop: Loop) -> None:
        self.running = running
        self.runtime: Any = running.runtime
        self.seeded = seeded
        self.settings = settings
        self.loop = loop
        self.run = loop.run

    @property
    def directory(self) -> Any:
        return self.runtime._directory

    def host(self, host_id: str) -> Host:
        """Return a host that is alive."""
        return next(one for one in self.directory.hosts if one.host_id == host_id)

    def ready(self, host_id: str) -> Ready:
        """Return what the actor of a host says of itself."""
        import ray
        from ray.exceptions import RayActorError

        actor = ray.get_actor(host_id, namespace=namespace_of(self.running.settings))

        async def answer() -> bytes:
            try:
                raw: bytes = await asyncio.wrap_future(actor.ready.remote().future())
            except RayActorError:  # it is being started again
                return b""
            return raw

        raw = b""
        deadline = monotonic() + DEADLINE_S
        while not raw:
            assert monotonic() < deadline, f"{host_id} is not ready"
            raw = self.run(answer())
        return msgspec.json.decode(raw, type=Ready)

    def process(self, host_id: str) -> ProcessMark:
        """Return the process of a host."""
        found = mark(self.ready(host_id).pid)
        assert found is not None
        return found

    def kill(self, process: ProcessMark) -> None:
        """Kill a process and wait until it is gone."""
        send(process, signal.SIGKILL)

        async def gone() -> bool:
            return not is_alive(process)

        self.loop.until(gone)


@pytest.fixture(scope="session")
def stage(ray_nodes: Any, servers: Servers, loop: Loop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Yield a runtime with three hosts, spread over the nodes."""
    settings = Settings(
        data_dir=str(tmp_path_factory.mktemp("gateway")),
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        runtime="ray",
        ray_address=ray_nodes.address,
        link_token=TOKEN,
        master_keys=MASTER_KEYS,
        hosts=NODES,
        max_dedicated=2,
        providers=STORIES,
        default_model="scripted/default",
    )
    stack = AsyncExitStack()

    async def start() -> tuple[RunningRuntime, Seeded]:
        running = await stack.enter_async_context(open_runtime(settings))
        return running, await put_project(running.database, PROJECT, FILES)

    running, seeded = loop.run(start())
    yield Stage(running, seeded, settings, loop)
    loop.run(stack.aclose())


@pytest.fixture
def three_nodes(ray_nodes: Any, stage: Stage) -> Iterator[Any]:
    """Yield the cluster with all its nodes, each with its host, and put back what the test takes from it.

    Without that another test finds no room for its hosts, and waits for it in vain.
    """
    mend(ray_nodes, stage)
    yield ray_nodes
    mend(ray_nodes, stage)


def mend(ray_nodes: Any, stage: Stage) -> None:
    """Give the cluster as many nodes as it should have, each with its host."""
    for _ in range(NODES - nodes_alive(ray_nodes)):
        ray_nodes.add_node(num_cpus=1, resources=node_resources(2), object_store_memory=STORE_BYTES)
    for slot in range(NODES):
        stage.ready(f"host-{slot}")
    stage.loop.until(lambda: all_known(stage))


def nodes_alive(ray_nodes: Any) -> int:
    """Return how many nodes have their raylet; Ray itself may take a while to notice that one has not."""
    raylets = [node.all_processes["raylet"][0].process for node in ray_nodes.list_all_nodes()]
    return sum(raylet.poll() is None for raylet in raylets)


@pytest.fixture(autouse=True)
def _no_node_is_left_missing(request: pytest.FixtureRequest) -> Iterator[None]:
    """See that a test leaves as much room to the next one as it has found, in whatever order they run."""
    nodes = request.getfixturevalue("ray_nodes") if "ray_nodes" in request.fixturenames else None
    yield
    assert nodes is None or nodes_alive(nodes) == NODES, "a node is missing; ask for `three_nodes`, which puts it back"


async def all_known(stage: Stage) -> bool:
    """Return whether the gateway in this process gives sessions to all hosts."""
    return len(stage.directory._shared) == NODES
