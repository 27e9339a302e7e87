"""Whole stories over the real runtime and the embedded servers: a project, a user, the store, waiting for what comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from actors.projects import put_project
from actors.runtime import ChatTurn, SessionRef, TurnReply
from actors.settings import Settings
from actors.task_desk import Decision, TaskRef
from actors.wiring import RunningRuntime, open_runtime
from domain.audit import SYSTEM
from domain.human_tasks import HumanTask, Person
from storage.embedded import PostgresServer, RedisServer
from storage.repositories.human_tasks import TaskQuery
from storage.statements import Statement
from tests.support.servers import run_servers, trust_the_system

PATIENCE_S = 60.0
LOOK_EVERY_S = 0.05


@dataclass
class Story:
    """A runtime with one project in it."""

    running: RunningRuntime
    tenant: str
    project: str

    @property
    def data_folder(self) -> Path:
        """The folder of the servers."""
        return Path(self.running.settings.data_dir)

    async def say(self, text: str, session: str = "", **more: object) -> TurnReply:
        """Send one message and return the reply."""
        turn = ChatTurn(tenant_id=self.tenant, project_id=self.project, message=text, session_id=session)
        return await self.running.runtime.chat(msgspec.structs.replace(turn, **more))

    def ref(self, session: str) -> SessionRef:
        """Return a session as a caller names it."""
        return SessionRef(self.tenant, self.project, session)

    async def rows(self, sql: str, **given: object) -> list[dict[str, Any]]:
        """Return rows of the store."""
        return [dict(row) for row in await self.running.database.rows(Statement(sql), **given)]

    async def run(self, sql: str, **given: object) -> int:
        """Change rows of the store: the way in which a test moves the clock of the database."""
        return await self.running.database.execute(Statement(sql), **given)

    async def tasks(self, session: str) -> list[HumanTask]:
        """Return the human tasks of a session, the most urgent first."""
        query = TaskQuery(session_id=session)
        return list((await self.running.desks.human_tasks.list(self.tenant, self.project, query)).rows)

    async def resolve(self, task_id: str, decision: str, **fields: Any) -> HumanTask:
        """Decide a human task as somebody who may do everything; its session goes on."""
        person, ref = Person(user_id="usr_1", is_admin=True), TaskRef(self.tenant, self.project, task_id)
        task = await self.running.desks.human_tasks.resolve(
            ref, person, Decision(decision=decision, fields=fields), SYSTEM
        )
        await self.running.runtime.task_closed(self.tenant, task.session_id, task.task_id)
        return task

    async def lines(self, session: str) -> list[tuple[str, str]]:
        """Return who said what."""
        page = await self.running.runtime.transcript(self.ref(session), limit=200)
        return [(row["role"], row["content"]) for row in page.rows]


_KEPT: dict[str, tuple[str, str]] = {}
"""Folder -> addresses of the servers that are kept running over it."""


@contextmanager
def kept_servers(folder: Path) -> Iterator[str]:
    """Keep servers running over a folder, so that each story of a module starts only its runtime."""
    postgres, redis = PostgresServer(folder), RedisServer(folder)

    async def start() -> None:
        await asyncio.gather(postgres.start(), redis.start())
        await trust_the_system(postgres.url)
        await asyncio.gather(postgres.leave(), redis.leave())

    async def stop() -> None:
        await asyncio.gather(postgres.stop(), redis.stop())

    asyncio.run(start())
    _KEPT[str(folder)] = (postgres.url, redis.url)
    try:
        yield str(folder)
    finally:
        del _KEPT[str(folder)]
        asyncio.run(stop())


@contextmanager
def kept_database(folder: Path, config: pytest.Config) -> Iterator[str]:
    """Keep a database and a Redis for the stories of a module, whose runtimes have this folder."""
    with run_servers(config) as servers:
        _KEPT[str(folder)] = (servers.database_url, servers.redis_url)
        yield str(folder)
        del _KEPT[str(folder)]


def addresses(data_dir: str) -> dict[str, str]:
    """Return the settings by which a runtime finds the servers that are kept running over a folder, if they are."""
    database_url, redis_url = _KEPT.get(data_dir, ("", ""))
    return {"database_url": database_url, "redis_url": redis_url}


@asynccontextmanager
async def a_story(data_dir: str, name: str, files: dict[str, str], **more: object) -> AsyncIterator[Story]:
    """Yield a runtime over the servers in a folder, with a project of these texts."""
    given: dict[str, object] = {**addresses(data_dir), **more}
    settings = msgspec.structs.replace(
        Settings(data_dir=data_dir, hosts=1, allowed_networks=("127.0.0.1/32",), database_connections=4), **given
    )
    async with open_runtime(settings) as running:
        seeded = await put_project(running.database, name, files)
        yield Story(running, seeded.tenant_id, seeded.project_id)


async def eventually(condition: Callable[[], Awaitable[bool]], patience_s: float = PATIENCE_S) -> None:
    """Look until a condition holds; fail when it does not in time."""
    give_up_s = time.monotonic() + patience_s
    while not await condition():
        assert time.monotonic() < give_up_s, "the condition never held"
        await asyncio.sleep(LOOK_EVERY_S)


@dataclass
class Workshop:
    """An HTTP tool that takes its time: counts what is under way, and what came under which key.

    Attributes:
        together: How many calls have to be under way before the first is answered.
    """

    takes_s: float = 0.0
    together: int = 1
    under_way: int = 0
    most: int = 0
    keys: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answer: Any = field(default_factory=lambda: {"done": True})
    port: int = 0
    began: asyncio.Event = field(default_factory=asyncio.Event)
    all_began: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.port}/work"

    async def _work(self, request: web.Request) -> web.Response:
        self.keys.append(request.headers.get("Idempotency-Key", ""))
        self.headers.append(dict(request.headers))
        self.bodies.append(await request.json() if request.can_read_body else dict(request.query))
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        self.began.set()
        if self.under_way >= self.together:
            self.all_began.set()
        try:
            await asyncio.wait_for(self.all_began.wait(), PATIENCE_S)
            await asyncio.sleep(self.takes_s)
        finally:
            self.under_way -= 1
        return web.json_response(self.answer)


@asynccontextmanager
async def a_workshop(**given: Any) -> AsyncIterator[Workshop]:
    """Yield a tool's endpoint on loopback."""
    workshop = Workshop(**given)
    app = web.Application()
    app.router.add_route("*", "/work", workshop._work)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    workshop.port = site._server.sockets[0].getsockname()[1]
    try:
        yield workshop
    finally:
        await runner.cleanup()
