import asyncio
import os
import subprocess
import sys

import pytest

from actors.hosts.deaths import Deaths
from actors.hosts.task import Ready

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system does not tell")


def a_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)


def test_the_end_of_a_process_is_heard_once_and_at_once() -> None:
    async def story() -> None:
        process = a_process()
        heard: list[Ready] = []
        gone = asyncio.Event()

        def died(ready: Ready) -> None:
            heard.append(ready)
            gone.set()

        ready = Ready(host_id="host-0", pid=process.pid, epoch=3, machine="here")
        deaths = Deaths("here", died)
        deaths.watch(ready)
        deaths.watch(ready)
        assert heard == []
        process.kill()
        async with asyncio.timeout(60):
            await gone.wait()
        assert heard == [ready]
        process.communicate()
        deaths.close()

    asyncio.run(story())


def test_one_that_has_ended_before_is_told_of_immediately() -> None:
    async def story() -> None:
        process = a_process()
        process.communicate()
        heard: list[Ready] = []
        Deaths("here", heard.append).watch(Ready(host_id="host-0", pid=process.pid, epoch=3, machine="here"))
        assert len(heard) == 1

    asyncio.run(story())


def test_pids_of_another_machine_mean_nothing_here() -> None:
    async def story() -> None:
        heard: list[Ready] = []
        deaths = Deaths("here", heard.append)
        deaths.watch(Ready(host_id="host-0", pid=1, epoch=3, machine="there"))
        deaths.close()
        assert heard == []

    asyncio.run(story())


def test_after_the_close_nothing_is_heard() -> None:
    async def story() -> None:
        process = a_process()
        heard: list[Ready] = []
        deaths = Deaths("here", heard.append)
        deaths.watch(Ready(host_id="host-0", pid=process.pid, epoch=3, machine="here"))
        deaths.close()
        process.kill()
        process.communicate()
        await asyncio.sleep(0)
        assert heard == []

    asyncio.run(story())
