"""Hosts as child processes: dedicated sessions, and what becomes of hosts whose parent was killed."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

from actors.hosts.process import ChildHosts
from actors.placement import dedicated_host
from actors.projects import put_project
from actors.runtime import ChatTurn, SessionRef
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from storage.embedded.processes import is_alive, mark, send
from tests.suites.host import FILES, PROJECT
from tests.support.placement import put_apart
from tests.support.servers import until


def pids(running: RunningRuntime) -> dict[str, int]:
    """Return host id -> pid of the children that serve."""
    assert isinstance(running.hosts, ChildHosts)
    return {one.host_id: one.pid for one in running.hosts.children if one.pid is not None and not one.is_over}


def test_a_dedicated_session_has_a_child_of_its_own_that_ends_with_it(folder: Path) -> None:
    async def story() -> None:
        settings = Settings(data_dir=str(folder), runtime="process", hosts=1, max_dedicated=1)
        async with open_runtime(settings) as running:
            apart = await put_apart(running.database)
            packed = await put_project(running.database, PROJECT, FILES)

            async def say(text: str, project_id: str, session_id: str = "") -> Any:
                turn = ChatTurn(tenant_id=apart.tenant_id, project_id=project_id, message=text, session_id=session_id)
                return await running.runtime.chat(turn)

            shared = await say("hello", packed.project_id)
            assert set(pids(running)) == {"host-0"}
            own = await say("hello", apart.project_id)
            home = dedicated_host(own.session_id)
            assert set(pids(running)) == {"host-0", home}

            known = mark(pids(running)[home])
            assert known is not None
            send(known, signal.SIGKILL)
            assert (await say("again", apart.project_id, own.session_id)).response == "heard again"
            assert pids(running)[home] != known.pid
            assert (await say("again", packed.project_id, shared.session_id)).response == "heard again"

            await running.runtime.end_session(SessionRef(apart.tenant_id, apart.project_id, own.session_id))

            async def alone() -> bool:
                return set(pids(running)) == {"host-0"}

            await until(alone)
            left = [mark(pid) for pid in pids(running).values()]
        assert not any(one is not None and is_alive(one) for one in left)

    asyncio.run(story())
