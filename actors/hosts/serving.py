"""A session host in a process of its own, from its first moment to its last; the same for a child and a Ray actor."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable

from actors.hosts.abandonment import Abandonment
from actors.hosts.task import Ready, Task
from actors.link.addresses import Address, TcpAddress, labels_of, machine_name, parse_address
from actors.link.server import LinkServer
from actors.placement import is_dedicated
from actors.session_host import DRAIN_S
from actors.wiring import RunningHost, open_host

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often a dedicated host looks whether it still has a session."""
COLLECT_AFTER = (50_000, 20, 100)
ORPHAN_DRAIN_S = 1.0
"""What running turns get whose host has lost its parent: nobody listens, and they go on elsewhere."""


class Ending:
    """That a host is to end, and how long its running turns may take for it."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.within_s = DRAIN_S
        self.is_for_good = False

    def ask(self, within_s: float = DRAIN_S) -> None:
        """Have the host end; the shorter of two times counts."""
        self.within_s = min(self.within_s, within_s)
        self.asked.set()

    def ask_for_good(self) -> None:
        """Have the host end, and nobody start it again."""
        self.is_for_good = True
        self.ask()


async def serve_host(task: Task, ending: Ending, on_ready: Callable[[Ready], None]) -> None:
    """Serve until the end is asked for; then drain and give the lease back.

    A dedicated host ends when it has no session, and any on a cluster when all gateways have left it.

    Raises:
        AppError: The store is not to be reached.
    """
    addresses: list[Address] = [parse_address(task.address)]
    if task.tcp_host:
        addresses.append(TcpAddress(task.tcp_host, 0))

    def left() -> None:
        if not ending.asked.is_set():
            log.warning("%s ends: no gateway was there for %s s", task.host_id, task.ends_after_s)
        ending.ask_for_good()

    left_alone = Abandonment(task.ends_after_s, left) if task.ends_after_s else None
    async with open_host(task.settings, task.host_id, seen=left_alone.see if left_alone else None) as running:
        server = LinkServer(running.host, addresses, task.token)
        bound = await server.start()
        epoch = await running.take_lease(str(bound[-1]), labels_of(bound))
        spare_the_collector()
        on_ready(Ready(host_id=task.host_id, pid=os.getpid(), epoch=epoch, machine=machine_name()))
        await _until_asked(task, running, ending)
        await running.drain(ending.within_s)
        await server.stop()


def spare_the_collector() -> None:
    """Have the garbage collector leave alone what is loaded and stays: programs, modules, compiled conditions.

    It would walk over all of it again and again, a twelfth of the processor time of a turn.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


async def _until_asked(task: Task, running: RunningHost, ending: Ending) -> None:
    asked = ending.asked
    if not is_dedicated(task.host_id):
        await asked.wait()
        return
    while not asked.is_set():
        if running.host.is_unused():
            return
        try:
            async with asyncio.timeout(LOOK_S):
                await asked.wait()
        except TimeoutError:
            continue
