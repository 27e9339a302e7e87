"""Session hosts as Ray actors; the only module that imports Ray, and `actors.wiring` loads it only when it is wanted.

Ray starts, names, places and restarts the actors. Gateway and host then speak over the link, never through Ray: a call
costs a hundred times a message on a socket. The actor runs the host in a thread with an event loop of its own.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import chdir
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import ray
import uvloop
from ray._private.state import state
from ray.exceptions import RayActorError, RayError

from actors.hosts.asked_thread import AskedThread, listens_at
from actors.hosts.deaths import Deaths
from actors.hosts.port import HostDoesNotStart
from actors.hosts.ray_order import Order, code_folder
from actors.hosts.ray_settings import given_cluster, namespace_of, own_cluster
from actors.hosts.serving import Ending, serve_host
from actors.hosts.stale_ray import RayFolder
from actors.hosts.task import Ready, Task
from actors.link.addresses import machine_name, socket_address
from actors.placement import actor_options, is_dedicated, kind_of
from actors.settings import Settings
from domain.errors import AppError, Unavailable

log = logging.getLogger(__name__)

INIT_S = 300.0
"""How long Ray may take to start; it is slow on a busy machine."""
START_S = 60.0
STOP_S = 40.0
"""Longer than a drain may take."""
RETRY_S = 0.5
LOOK_S = 1.0
"""How long one call waits for a host to serve; an actor answers one call at a time."""
READY_S = 5.0
"""How long an actor is waited for that is only looked at."""
FORGET_S = 10.0
"""How long Ray's head may take to hear that an actor is not to be started again."""
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"
LOG_BYTES = 1_000_000
Result = TypeVar("Result")


class SessionHostActor:
    """The process of one host, as Ray sees it: it is there, says when it serves, and drains when it is told to."""

    def __init__(self, raw: bytes) -> None:
        """Begin to serve; Ray calls this again in a new process whenever the last one died."""
        order = msgspec.json.decode(raw, type=Order)
        if order.machine == machine_name() and order.code != code_folder():
            raise RuntimeError(f"this worker took the packages of {code_folder()}, the driver those of {order.code}")
        address = str(socket_address(Path(order.folder), order.task.host_id))
        tcp_host = ""
        if order.across:
            tcp_host = str(ray.util.get_node_ip_address())  # type: ignore[no-untyped-call]
        self._task = msgspec.structs.replace(order.task, address=address, tcp_host=tcp_host)
        self._log = Path(order.folder) / f"{order.task.host_id}.log"
        self._loop = uvloop.new_event_loop()
        self._ending = Ending()
        self._asked_to_drain = False
        self._ready: Ready | None = None
        self._serves = threading.Event()
        self._thread = threading.Thread(target=self._run, name=order.task.host_id, daemon=True)
        atexit.register(self._leave)  # Ray's own handler of SIGTERM leaves by the ordinary exit of the program
        self._thread.start()

    def ready(self) -> bytes:
        """Return what the host says once it serves; nothing when it does not yet."""
        self._serves.wait(LOOK_S)
        return msgspec.json.encode(self._ready) if self._ready is not None else b""

    def drain(self) -> None:
        """Let running turns finish, give all sessions and the lease back; return when that is done."""
        self._asked_to_drain = True
        self._leave()

    def _leave(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ending.ask)
            self._thread.join(STOP_S)

    def _run(self) -> None:
        kept = RotatingFileHandler(self._log, maxBytes=LOG_BYTES, backupCount=1, delay=True)
        logging.basicConfig(level=logging.WARNING, format=LOG_FORMAT, handlers=[kept], force=True)
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        if self._asked_to_drain:
            return
        if self._ending.is_for_good or is_dedicated(self._task.host_id):
            _forget_this_actor()
        os._exit(0)  # an operator ended this process; Ray starts the next one

    async def _serve(self) -> None:
        while not self._ending.asked.is_set():
            try:
                await serve_host(self._task, self._ending, self._note)
            except AppError as error:
                log.warning("%s does not serve: %s", self._task.host_id, error.message)
                await asyncio.sleep(RETRY_S)
            except Exception:
                log.exception("%s ends", self._task.host_id)
                os._exit(1)
            else:
                return

    def _note(self, ready: Ready) -> None:
        node = ray.get_runtime_context().get_node_id()
        self._ready = msgspec.structs.replace(ready, node=node)
        self._serves.set()


class RayHosts:
    """Hosts as Ray actors. Satisfies `actors.hosts.port.HostMaker`.

    Ray blocks its caller, so everything is called in one thread; it is also the thread whose end would end the
    processes that `ray.init` starts.
    """

    def __init__(
        self,
        settings: Settings,
        make_task: Callable[[str], Task],
        folder: Path,
        hosts: int,
        own: RayFolder | None,
        on_death: Callable[[int], Awaitable[None]],
    ) -> None:
        """Sockets are made in `folder`; `own` is where a Ray for this process alone runs, if there is to be one.

        `on_death` is told the epoch of a host on this machine that is gone.
        """
        self._settings = settings
        self._make_task = make_task
        self._folder = folder
        self._hosts = hosts
        self._thread = AskedThread("Ray")
        self._actors: dict[str, Any] = {}
        self._watched: set[str] = set()
        self._own = own
        self._tell = on_death
        self._deaths = Deaths(machine_name(), self._host_died)
        self._tasks: set[asyncio.Task[None]] = set()
        self._connecting: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Start a Ray for this process alone, or connect to the one that is given."""
        await listens_at(self._settings.ray_address)
        self._connecting = self._thread.begin(self._connect)
        try:
            async with asyncio.timeout(INIT_S):
                await asyncio.shield(self._connecting)
        except (RayError, RuntimeError, OSError, ValueError, ConnectionError, TimeoutError) as error:
            await self._disconnected()
            why = str(error) or f"it took more than {INIT_S:g} s"
            raise Unavailable(f"Ray does not start: {why}; `--runtime local` needs none.") from error

    async def keep(self, host_id: str) -> None:
        """Have an actor of this name from now on, found when it is there already."""
        why = f"no node of the cluster has room for a {kind_of(host_id).value}, or its store is not to be reached"
        give_up_s = time.monotonic() + START_S
        while (left_s := give_up_s - time.monotonic()) > 0:
            try:
                actor = await self._thread.ask(self._actor, host_id)
                raw = await asyncio.wait_for(asyncio.wrap_future(actor.ready.remote().future()), left_s)
            except (RayError, RuntimeError, ConnectionError) as error:  # Ray starts it again, or it is made anew
                why = str(error)
                await asyncio.sleep(RETRY_S)
            except Unavailable as error:
                why = error.message
                break
            except TimeoutError:
                break
            else:
                if raw:
                    self._note(msgspec.json.decode(raw, type=Ready))
                    return
        raise HostDoesNotStart(f"The session host {host_id} does not start in {START_S:.0f} s: {why}.")

    async def end(self, host_id: str) -> None:
        """Drain an actor, whoever has made it, and let it go. Raises Unavailable: Ray does not answer."""
        self._watched.discard(host_id)
        actor = self._actors.pop(host_id, None) or await self._thread.ask(_found, host_id)
        if actor is not None:
            await self._drain(host_id, actor)
            await self._thread.ask(ray.kill, actor)

    async def move(self, host_id: str) -> None:
        """Drain an actor and have Ray start it anew; it takes no node that is drained."""
        actor = await self._thread.ask(_found, host_id)
        if actor is None:
            return
        await self._drain(host_id, actor)
        await self._thread.ask(partial(ray.kill, actor, no_restart=False))
        await self.keep(host_id)

    def watch(self, host_ids: Collection[str]) -> None:
        """Get to know the processes of these hosts, so that the end of those on this machine is heard of."""
        self._watched.intersection_update(host_ids)
        for host_id in set(host_ids) - self._watched:
            self._watched.add(host_id)
            self._spawn(self._get_to_know(host_id))

    async def leaving(self) -> frozenset[str]:
        """Return the hosts on nodes that Ray drains, whoever asked for that."""
        if self._own is not None or not (nodes := await self._thread.ask(_draining_nodes)):
            return frozenset()
        readies = await asyncio.gather(*(self._ready(host_id) for host_id in tuple(self._watched)))
        return frozenset(one.host_id for one in readies if one is not None and one.node in nodes)

    async def leave(self) -> None:
        """Let go of Ray and end nothing."""
        self._deaths.close()
        for task in self._tasks:
            task.cancel()
        await self._disconnected()

    async def break_off(self) -> None:
        """End a Ray of our own with all its processes; `ray.init` may still be in its thread, and is not waited for.

        Actors on a cluster that is given are let go of as ever.
        """
        self._deaths.close()
        if self._own is None:
            if self._connecting is not None and self._connecting.done():
                await self.stop()
            return
        await asyncio.to_thread(self._own.clear)
        self._thread.leave()

    async def stop(self) -> None:
        """Drain and end all actors of the installation, whoever has made them, then Ray itself if it is ours.

        Those too that are just being started again or wait for a node: they are in no directory. What Ray does not
        answer is said in the log, and holds up nothing else.
        """
        self._deaths.close()
        for task in self._tasks:
            task.cancel()
        try:
            everywhere = await self._thread.ask(_names_in, namespace_of(self._settings))
        except Unavailable as error:
            log.warning("the hosts of the cluster cannot be listed: %s", error.message)
            everywhere = frozenset()
        await asyncio.gather(*(self._ended(host_id) for host_id in {*self._actors, *self._watched, *everywhere}))
        await self._disconnected()

    async def _ended(self, host_id: str) -> None:
        try:
            await self.end(host_id)
        except Unavailable as error:
            log.warning("%s is not ended: %s", host_id, error.message)

    async def _disconnected(self) -> None:
        """Let go of Ray, for good; one that does not answer is left, and ended where it is ours."""
        try:
            await self._thread.ask(self._disconnect)
        except Unavailable as error:
            log.warning("Ray is left as it is: %s", error.message)
            if self._own is not None:
                await asyncio.to_thread(self._own.clear)
        self._thread.leave()

    async def _drain(self, host_id: str, actor: Any) -> None:
        try:
            await asyncio.wait_for(asyncio.wrap_future(actor.drain.remote().future()), STOP_S)
        except RayActorError:
            log.info("%s is there no more", host_id)
        except (RayError, TimeoutError) as error:
            log.warning("%s does not drain: %s", host_id, error)

    async def _ready(self, host_id: str) -> Ready | None:
        """Return what an actor says of itself; None when there is none, or it does not serve now."""
        try:
            actor = await self._thread.ask(_found, host_id)
            if actor is None:
                return None
            raw = await asyncio.wait_for(asyncio.wrap_future(actor.ready.remote().future()), READY_S)
        except (RayError, TimeoutError, Unavailable):
            return None
        return msgspec.json.decode(raw, type=Ready) if raw else None

    async def _get_to_know(self, host_id: str) -> None:
        ready = await self._ready(host_id)
        if ready is None:
            self._watched.discard(host_id)  # it will be looked at again
        else:
            self._note(ready)

    def _connect(self) -> None:
        if self._own is None:
            ray.init(**given_cluster(self._settings))
            return
        with chdir(code_folder()):  # Ray puts the driver's folder first on the path of every worker
            ray.init(**own_cluster(self._settings, self._own.path, os.cpu_count() or 1, self._hosts))
        self._own.note_processes()

    def _disconnect(self) -> None:
        ray.shutdown()
        if self._own is not None:
            self._own.clear()

    def _actor(self, host_id: str) -> Any:
        actor = self._actors[host_id] = _found(host_id) or self._make(host_id)
        return actor

    def _make(self, host_id: str) -> Any:
        order = Order(
            task=self._make_task(host_id),
            folder=str(self._folder),
            code=code_folder(),
            machine=machine_name(),
            across=bool(self._settings.ray_address),
        )
        kind: Any = ray.remote(SessionHostActor)
        options = kind.options(
            name=host_id,
            lifetime="detached",
            get_if_exists=True,
            max_restarts=-1,
            max_task_retries=0,
            **actor_options(kind_of(host_id)),
        )
        return options.remote(msgspec.json.encode(order))

    def _note(self, ready: Ready) -> None:
        if self._own is not None:
            self._own.note(ready.pid)
        self._watched.add(ready.host_id)
        self._deaths.watch(ready)

    def _host_died(self, ready: Ready) -> None:
        self._watched.discard(ready.host_id)
        self._spawn(self._after_death(ready))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _after_death(self, ready: Ready) -> None:
        """Free a host's sessions for the others; Ray starts it again.

        In a Ray of our own it is got to know at once; on a cluster its keeper may have ended it.
        """
        try:
            await self._tell(ready.epoch)
            if self._own is not None and ready.host_id in self._actors and not is_dedicated(ready.host_id):
                await self.keep(ready.host_id)
        except AppError as error:
            log.warning("%s has ended: %s", ready.host_id, error.message)


def _forget_this_actor() -> None:
    """Have Ray end the actor of this process and not start it again; do without when Ray's head is gone.

    Where the head is, or comes back, and has not heard of it, it starts the actor again, which then ends as this one.
    """
    own = ray.get_runtime_context().current_actor
    asking = threading.Thread(target=partial(ray.kill, own, no_restart=True), daemon=True)
    asking.start()
    asking.join(FORGET_S)


def _found(host_id: str) -> Any:
    """Return the actor of a host; None when there is none."""
    try:
        return ray.get_actor(host_id)
    except ValueError:
        return None


def _names_in(namespace: str) -> frozenset[str]:
    """Return the names of the actors of an installation; none when Ray's head does not tell."""
    try:
        rows: list[Any] = ray.util.list_named_actors(all_namespaces=True)
    except (RayError, RuntimeError, ConnectionError) as error:
        log.warning("the hosts of the cluster cannot be listed: %s", error)
        return frozenset()
    return frozenset(row["name"] for row in rows if row["namespace"] == namespace)


def _draining_nodes() -> frozenset[str]:
    """Return the ids of the nodes that are to go; Ray has no public call for it."""
    return frozenset(state.get_draining_nodes())
