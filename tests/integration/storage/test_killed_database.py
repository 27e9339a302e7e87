"""PostgreSQL is killed in the middle of everything that is asked of it: callers see documented errors, then it goes on."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from domain.errors import Conflict, NotFound, Unavailable
from domain.human_tasks import TaskStatus
from storage.beside import Beside
from storage.database import Connection, Database
from storage.errors import Closing, ConnectionLost
from storage.repositories.api_keys import NewKey
from storage.repositories.callbacks import NewCallback
from storage.repositories.deployments import NewDeployment
from storage.repositories.memory import MemoryValue
from storage.repositories.sessions import NewSession, SessionQuery
from storage.repositories.versions import NewVersion, Versions
from storage.repositories.waits import close_waits
from storage.statements import Statement
from storage.turn_end import Activity, KeyedReply, MessageRow, TraceRow, TurnEnd
from tests.support.claims import claim
from tests.support.servers import Servers, until
from tests.support.whole_store import Storage, whole_store

pytestmark = pytest.mark.anyio

TENANT, PROJECT = "ten_killed", "ckilled"
AT = datetime(2026, 11, 21, tzinfo=UTC)
FAR = datetime.now(UTC) + timedelta(days=1)
KILLS = 3
ROUNDS_BETWEEN = 3
DOCUMENTED = (Unavailable, Conflict, NotFound)

Work = Callable[[], Awaitable[object]]


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[Storage]:
    async with whole_store(folder, base64.b64encode(b"m" * 32).decode()) as opened:
        await opened.projects.ensure_tenant(TENANT, "killed")
        await opened.projects.create(TENANT, PROJECT, name="p", slug="p-1")
        await opened.agents.keep_program(TENANT, "prog", PROJECT, b"ir")
        yield opened


def a_turn(name: str) -> TurnEnd:
    line = {"turn": 1, "at": AT}
    return TurnEnd(
        turn=1,
        keyed=KeyedReply(f"key of {name}", "hash", b"reply"),
        snapshot=b"state",
        spoke=MessageRow(seq=1, message_id="m1", role="user", content="hi", **line),
        answered=MessageRow(seq=2, message_id="m2", role="assistant", content="ho", **line),
        traces=(TraceRow(seq=1, turn=1, type="decision", at="t", agent_name="A", span_id="1"),),
        activity=Activity(agent_name="A"),
    )


def everything(store: Storage, epoch: int) -> dict[str, Work]:
    """Return a piece of work for every kind of method: reading, writing, transactions, the journal."""
    names = count(1)

    async def session() -> str:
        name = f"s{next(names)}"
        new = NewSession(session_id=name, project_id=PROJECT, runtime_session_id=f"r{name}", entry_agent_name="A")
        await store.sessions.create(TENANT, new, epoch=epoch)
        return name

    async def a_life() -> None:
        name = await session()
        await claim(store.leases, TENANT, name, epoch)
        seq = await store.journal.append(TENANT, name, epoch, [b"one"], expect_seq=0)
        seq = await store.journal.append(TENANT, name, epoch, [b"two"], expect_seq=seq, turn=a_turn(name))
        await store.turns.find(TENANT, name, f"key of {name}")
        await store.transcripts.list(TENANT, name, limit=5)
        await store.traces.list(TENANT, name)
        kept, again = Beside(stores={"store": {"a": 1}}), Beside(closes_waits=True, revived=f"again {name}")
        seq = await store.journal.append(TENANT, name, epoch, [b"three"], expect_seq=seq, beside=kept)
        await store.journal.append(TENANT, name, epoch, [b"4"], expect_seq=seq, turn=TurnEnd(turn=0), beside=again)
        await store.memory_stores.names(TENANT, name)
        await close_waits(store.database, TENANT, name, epoch, None, TaskStatus.CANCELLED)
        await store.jobs.enqueue_held(TENANT, name, epoch, "kind", f"of {name}", {}, delay_s=0.0)
        await store.leases.release_session(TENANT, name, epoch)
        await store.sessions.end(TENANT, name, "api")
        await store.sessions.delete(TENANT, name)

    async def a_callback() -> None:
        name = f"cb{next(names)}"
        new = NewCallback(callback_id=name, project_id=PROJECT, session_id="s", suspension_id=name, lasts_s=86_400.0)
        await store.callbacks.issue(TENANT, new)
        await store.callbacks.claim(TENANT, name, "s", b"{}")
        await store.callbacks.list(TENANT, PROJECT)

    async def a_job() -> None:
        await store.jobs.enqueue(TENANT, "kind", f"j{next(names)}")
        for job in await store.jobs.claim(["kind"], 5, claim_s=0.1):
            await store.jobs.finish(job)

    async def an_agent() -> None:
        name = f"a{next(names)}"
        await store.agents.save(TENANT, PROJECT, f"ag_{name}", name=name, dsl="AGENT: A")
        async with store.database.transaction() as connection:
            version = NewVersion(agent_id=f"ag_{name}", dsl="AGENT: A", ir=b"{}")
            await Versions(store.database).freeze(connection, TENANT, version)
        await store.agents.delete(TENANT, PROJECT, name)

    async def a_deployment() -> None:
        made = NewDeployment(
            deployment_id=f"d{next(names)}",
            project_id=PROJECT,
            environment="dev",
            endpoint_slug=f"e{next(names)}",
            entry_agent_name="A",
            program_id="prog",
            agent_version_manifest={},
        )
        await store.deployments.create(TENANT, made)

    async def a_credential() -> None:
        name = f"c{next(names)}"
        made = {"project_id": PROJECT, "tool_name": name, "secret_key": "k", "value": "x"}
        await store.credentials.create(TENANT, name, **made)
        await store.credentials.replace(TENANT, name, "y")
        await store.credentials.resolve(TENANT, PROJECT, "k", "dev", [name])

    async def some_memory() -> None:
        values = [MemoryValue(scope="user", subject=str(one), path="user.name", value=next(names)) for one in range(3)]
        await store.memory.write(TENANT, PROJECT, values)
        await store.memory.read(TENANT, PROJECT, "user", "1", ["user.name"])

    async def a_key() -> None:
        name = f"k{next(names)}"
        await store.api_keys.create(TENANT, NewKey(key_id=name, plaintext=name))
        await store.api_keys.find_by_plaintext(name)
        await store.api_keys.revoke(TENANT, name)

    return {
        "life of a session": a_life,
        "callback": a_callback,
        "job": a_job,
        "agent": an_agent,
        "deployment": a_deployment,
        "credential": a_credential,
        "memory": some_memory,
        "api key": a_key,
        "project": lambda: store.projects.get(TENANT, PROJECT),
        "list of sessions": lambda: store.sessions.list(TENANT, PROJECT, SessionQuery(words="hi")),
        "renewal of the lease": lambda: store.leases.renew(epoch),
        "hosts": store.leases.hosts,
    }


async def test_who_asks_while_the_database_is_killed_is_told_so_and_everything_works_again(store: Storage) -> None:
    epoch = await store.leases.register_host("h", "unix:here")
    work = everything(store, epoch)
    done: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    is_over = asyncio.Event()

    async def repeat(name: str, one: Work) -> None:
        while not is_over.is_set():
            try:
                await one()
            except DOCUMENTED as error:
                failed[f"{name}: {type(error).__name__}"] += 1
                await asyncio.sleep(0)
            else:
                done[name] += 1

    workers = [asyncio.create_task(repeat(*one), name=one[0]) for one in work.items()]
    server = store.servers[0]
    for kills in range(1, KILLS + 1):
        before = Counter(done)

        async def has_moved(before: Counter[str] = before) -> bool:
            assert not any(worker.done() for worker in workers), [one for one in workers if one.done()]
            return all(done[name] >= before[name] + ROUNDS_BETWEEN for name in work)

        await until(has_moved)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)

        async def is_restarted(kills: int = kills) -> bool:
            return server.restarts >= kills and server.pid is not None

        await until(is_restarted)
    is_over.set()
    await asyncio.gather(*workers)
    for one in work.values():
        await one()
    assert not [name for name in failed if name.startswith(("project", "hosts", "renewal", "list"))], failed


class CountingDatabase(Database):
    """Counts what it lends."""

    lent = 0

    def connection(self) -> AbstractAsyncContextManager[Connection]:
        self.lent += 1
        return super().connection()


async def test_what_only_reads_is_asked_again_and_what_writes_is_not(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.database.REPEAT_FOR_S", 0.2)
    cut = Statement("SELECT pg_terminate_backend(pg_backend_pid())")
    written = Statement("INSERT INTO tenants (tenant_id, name) SELECT 'ten_2', pg_terminate_backend(pg_backend_pid())")
    database = await CountingDatabase.open(servers.database_url)
    lent = database.lent
    with pytest.raises(ConnectionLost):
        await database.value(written)
    assert database.lent == lent + 1
    with pytest.raises(ConnectionLost):
        await database.value(cut)
    assert database.lent > lent + 2
    await database.close()


async def test_a_server_that_stays_away_is_said_to_be_away_within_the_bound(
    store: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.database.REPEAT_FOR_S", 0.3)
    await asyncio.gather(*(server.stop() for server in store.servers))
    with pytest.raises(Unavailable, match="not reachable"):
        await store.projects.get(TENANT, PROJECT)
    await asyncio.gather(*(server.start() for server in store.servers))
    assert (await store.projects.get(TENANT, PROJECT)).name == "p"


async def test_who_asks_a_store_that_is_closed_is_told_so_at_once(servers: Servers) -> None:
    database = await CountingDatabase.open(servers.database_url)
    await database.close()
    lent = database.lent
    with pytest.raises(Closing):
        await database.value(Statement("SELECT 1"))
    assert database.lent == lent + 1
