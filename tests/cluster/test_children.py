"""Hosts as child processes: dedicated sessions, and what becomes of hosts whose parent was killed."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from actors.hosts.process import ChildHosts
from actors.placement import dedicated_host
from actors.projects import Seeded, put_project
from actors.runtime import ChatTurn, SessionRef, TurnReply
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from storage.embedded.processes import mark, send
from storage.statements import Statement
from tests.cluster.conftest import Loop
from tests.suites.host import FILES, PROJECT
from tests.support.front_and_clerk import CLERK, FRONT
from tests.support.placement import put_apart
from tests.support.servers import make_folder

OWNERS = Statement("""
    SELECT s.session_id, o.host_id FROM sessions s
    JOIN session_heads h ON h.session_key = session_key(s.tenant_id, s.session_id)
    LEFT JOIN hosts o ON o.epoch = h.owner_epoch
    WHERE s.tenant_id = :tenant_id AND s.project_id = :project_id
""")


def pids(running: RunningRuntime) -> dict[str, int]:
    """Return host id -> pid of the children that serve."""
    assert isinstance(running.hosts, ChildHosts)
    return {one.host_id: one.pid for one in running.hosts.children if one.pid is not None and not one.is_over}


@pytest.fixture(scope="module")
def running(loop: Loop) -> Iterator[RunningRuntime]:
    """Yield a runtime with one shared host and room for one dedicated."""
    folder, stack = make_folder(), AsyncExitStack()
    settings = Settings(data_dir=str(folder), runtime="process", hosts=1, max_dedicated=1)
    yield loop.run(stack.enter_async_context(open_runtime(settings)))
    loop.run(stack.aclose())
    shutil.rmtree(folder)


def say(running: RunningRuntime, seeded: Seeded, text: str, session_id: str = "") -> Coroutine[Any, Any, TurnReply]:
    turn = ChatTurn(tenant_id=seeded.tenant_id, project_id=seeded.project_id, message=text, session_id=session_id)
    return running.runtime.chat(turn)


def test_a_dedicated_session_has_a_child_of_its_own_that_ends_with_it(running: RunningRuntime, loop: Loop) -> None:
    async def story() -> None:
        apart = await put_apart(running.database)
        packed = await put_project(running.database, PROJECT, FILES)
        shared = await say(running, packed, "hello")
        assert set(pids(running)) == {"host-0"}
        own = await say(running, apart, "hello")
        home = dedicated_host(own.session_id)
        assert set(pids(running)) == {"host-0", home}

        known = mark(pids(running)[home])
        assert known is not None
        send(known, signal.SIGKILL)
        assert (await say(running, apart, "again", own.session_id)).response == "heard again"
        assert pids(running)[home] != known.pid
        assert (await say(running, packed, "again", shared.session_id)).response == "heard again"
        await running.runtime.end_session(SessionRef(apart.tenant_id, apart.project_id, own.session_id))

    loop.run(story())
    loop.until(lambda: only_shared(running))


def test_what_a_dedicated_session_delegates_lives_in_its_process(running: RunningRuntime, loop: Loop) -> None:
    async def story() -> None:
        apart = await put_apart(running.database, {"a.abl": FRONT, "b.abl": CLERK}, "front")
        reply = await say(running, apart, "hello")
        assert "the clerk was asked" in reply.response
        rows = await running.database.rows(OWNERS, tenant_id=apart.tenant_id, project_id=apart.project_id)
        assert [row["host_id"] for row in rows] == [dedicated_host(reply.session_id)] * 2
        await running.runtime.end_session(SessionRef(apart.tenant_id, apart.project_id, reply.session_id))

    loop.run(story())
    loop.until(lambda: only_shared(running))


async def only_shared(running: RunningRuntime) -> bool:
    return set(pids(running)) == {"host-0"}
