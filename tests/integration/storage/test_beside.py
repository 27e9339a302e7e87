"""What a host writes beside the journal: with the append that causes it, and never when the session is another's."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from domain.human_tasks import HumanTask, TaskStatus
from domain.limits import MEMORY_STORES_PER_SESSION
from storage.beside import Beside
from storage.database import Database
from storage.errors import ConnectionLost, SequenceConflict, StaleEpoch
from storage.journal import Journal
from storage.journal_batch import Append
from storage.leases import Leases
from storage.repositories.callbacks import WORK_JOB, Callbacks, NewCallback
from storage.repositories.human_tasks import HumanTasks
from storage.repositories.jobs import Jobs
from storage.repositories.memory_stores import MemoryStores
from storage.repositories.sessions import NewSession, Sessions
from storage.repositories.waits import close_waits
from storage.statements import Statement
from storage.turn_end import Activity, TraceRow, TurnEnd
from tests.support.claims import claim
from tests.support.servers import until

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 22, tzinfo=UTC)
PLACES = ("r1/1.1", "r1/1.2")
JOBS = Statement("SELECT count(*) FROM jobs WHERE tenant_id = :tenant_id")
WAITING = Statement("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE :claim")


@pytest.fixture
async def epoch(leases: Leases, tenant_id: str) -> int:
    return await leases.register_host(f"host of {tenant_id}", "unix:here")


@pytest.fixture
async def session(database: Database, tenant_id: str, epoch: int) -> str:
    new = NewSession(session_id="s", project_id="c", runtime_session_id="r1", entry_agent_name="Desk", pin={"a": 1})
    await Sessions(database).create(tenant_id, new, epoch=epoch)
    return "s"


async def successor(leases: Leases, tenant_id: str, session: str, epoch: int) -> int:
    """Return the epoch of another host that has taken the session over from a host that froze."""
    await leases.release_host(epoch)
    other = await leases.register_host(f"successor of {tenant_id}", "unix:there")
    await claim(leases, tenant_id, session, other)
    return other


async def waits(database: Database, tenant_id: str, session: str) -> None:
    """Have a session wait for two callbacks, each with a task."""
    for number, place in enumerate(PLACES):
        await Callbacks(database).issue(
            tenant_id,
            NewCallback(
                callback_id=f"cb {number} {tenant_id}",
                project_id="c",
                session_id=session,
                suspension_id=place,
                lasts_s=3_600.0,
            ),
        )
        task = HumanTask(
            task_id=f"ht {number} {tenant_id}",
            project_id="c",
            session_id=session,
            place=place,
            type="approval",
            title="May I?",
            created_at=NOW,
            updated_at=NOW,
        )
        async with database.transaction() as connection:
            assert await HumanTasks(database).create(connection, tenant_id, task)


async def waiting(database: Database, tenant_id: str) -> list[tuple[str, str]]:
    """Return how the callbacks and tasks of the session stand."""
    tasks = [await HumanTasks(database).find(tenant_id, f"ht {number} {tenant_id}") for number in range(len(PLACES))]
    rows, _ = await Callbacks(database).list(tenant_id, "c")
    callbacks = {row.suspension_id: row.status for row in rows}
    return [(callbacks[task.place], str(task.status)) for task in tasks if task is not None]


async def test_stores_are_set_replaced_and_removed_with_their_append(
    database: Database, journal: Journal, tenant_id: str, epoch: int, session: str
) -> None:
    stores = MemoryStores(database)
    for seq, given in enumerate(({"a": {"n": 1}, "b": {}}, {"a": {"n": 2}, "b": None}, {"a": {"n": 3}})):
        await journal.append(tenant_id, session, epoch, [b"x"], expect_seq=seq, beside=Beside(stores=given))
    assert await stores.read(tenant_id, session, "a") == {"n": 3}
    assert await stores.names(tenant_id, session) == ["a"]
    with pytest.raises(SequenceConflict):
        await journal.append(tenant_id, session, epoch, [b"x"], expect_seq=1, beside=Beside(stores={"a": None}))
    assert await stores.read(tenant_id, session, "a") == {"n": 3}


async def test_appends_with_and_without_something_beside_go_together(
    database: Database, journal: Journal, tenant_id: str, epoch: int
) -> None:
    names = [f"s{number}" for number in range(6)]
    for name in names:
        new = NewSession(session_id=name, project_id="c", runtime_session_id=f"r {name}", entry_agent_name="Desk")
        await Sessions(database).create(tenant_id, new, epoch=epoch)

    async def append(number: int, name: str) -> int:
        beside = Beside(stores={"store": {"of": name}}) if number % 2 else None
        end = TurnEnd(turn=number) if number % 3 else None
        return await journal.append(tenant_id, name, epoch, [b"x"], expect_seq=0, turn=end, beside=beside)

    assert await asyncio.gather(*(append(number, name) for number, name in enumerate(names))) == [1] * len(names)
    assert journal.batches <= 2
    found = [await MemoryStores(database).read(tenant_id, name, "store") for name in names]
    assert found == [{"of": name} if number % 2 else {} for number, name in enumerate(names)]
    assert [(await Sessions(database).get(tenant_id, name)).turn_count for name in names] == [0, 1, 2, 0, 4, 5]


async def test_a_session_has_a_bounded_number_of_stores(
    database: Database,
    journal: Journal,
    tenant_id: str,
    epoch: int,
    session: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    full = Beside(stores={f"z{number}": {} for number in range(MEMORY_STORES_PER_SESSION)})
    await journal.append(tenant_id, session, epoch, [b"x"], expect_seq=0, beside=full)
    more = Beside(stores={"one more": {}, "another": {}, "z0": None, "z1": {"again": True}})
    with caplog.at_level(logging.WARNING, "storage.journal"):
        await journal.append(tenant_id, session, epoch, [b"x"], expect_seq=1, beside=more)
    names = await MemoryStores(database).names(tenant_id, session)
    assert len(names) == MEMORY_STORES_PER_SESSION
    assert {"another", "z1"} <= set(names)
    assert await MemoryStores(database).read(tenant_id, session, "z1") == {"again": True}
    assert "1 memory stores of s are left out" in caplog.text


async def test_a_reset_is_written_with_its_append_or_not_at_all(
    database: Database, journal: Journal, tenant_id: str, epoch: int, session: str
) -> None:
    sessions = Sessions(database)
    await journal.append(tenant_id, session, epoch, [b"x"], expect_seq=0, beside=Beside(stores={"cart": {"n": 1}}))
    await journal.append(
        tenant_id, session, epoch, [b"x"], expect_seq=1, turn=TurnEnd(turn=1, activity=Activity(end_reason="api"))
    )
    await waits(database, tenant_id, session)
    assert (await sessions.get(tenant_id, session)).status == "ended"
    trace = TraceRow(seq=1, turn=1, type="state_change", at="t", agent_name="Desk", span_id="reset")
    again = TurnEnd(turn=0, traces=(trace,), activity=Activity(agent_name="Desk", execution_state="idle"))
    beside = Beside(closes_waits=True, revived="r2", pin={"a": 2})
    with pytest.raises(SequenceConflict):
        await journal.append(tenant_id, session, epoch, [b"reset"], expect_seq=1, turn=again, beside=beside)
    untouched = await sessions.get(tenant_id, session)
    assert (untouched.status, untouched.runtime_session_id, untouched.pin) == ("ended", "r1", {"a": 1})
    assert await MemoryStores(database).names(tenant_id, session) == ["cart"]
    assert await waiting(database, tenant_id) == [("pending", "pending")] * 2

    await journal.append(tenant_id, session, epoch, [b"reset"], expect_seq=2, turn=again, beside=beside)
    renewed = await sessions.get(tenant_id, "r2")
    assert (renewed.session_id, renewed.status, renewed.end_reason) == (session, "active", "")
    assert (renewed.ended_at, renewed.pin, renewed.trace_count) == (None, {"a": 2}, 1)
    assert (renewed.turn_count, renewed.agent_name, renewed.execution_state) == (1, "Desk", "idle")
    assert await MemoryStores(database).names(tenant_id, session) == []
    assert await waiting(database, tenant_id) == [("cancelled", "cancelled")] * 2


async def test_work_for_a_callback_goes_with_it(
    database: Database, journal: Journal, tenant_id: str, epoch: int, session: str
) -> None:
    await waits(database, tenant_id, session)
    jobs = Jobs(database)
    for name in (f"cb 0 {tenant_id}", f"cb 1 {tenant_id}", "cb of another session"):
        await jobs.enqueue(tenant_id, WORK_JOB, name, {})
    await close_waits(database, tenant_id, session, epoch, PLACES[0], TaskStatus.CANCELLED)
    assert await database.value(JOBS, tenant_id=tenant_id) == 2
    await journal.append(
        tenant_id, session, epoch, [b"end"], expect_seq=0, turn=TurnEnd(turn=0), beside=Beside(closes_waits=True)
    )
    assert await database.value(JOBS, tenant_id=tenant_id) == 1


async def test_a_host_that_owns_the_session_no_longer_changes_nothing_beside_the_journal(
    database: Database, journal: Journal, leases: Leases, tenant_id: str, epoch: int, session: str
) -> None:
    beside = Beside(stores={"cart": {"of": "owner"}})
    await waits(database, tenant_id, session)
    other = await successor(leases, tenant_id, session, epoch)
    await journal.append(tenant_id, session, other, [b"x"], expect_seq=0, beside=beside)

    jobs, late = Jobs(database), (tenant_id, session, epoch)
    refused: dict[str, Callable[[], Awaitable[object]]] = {
        "stores": lambda: journal.append(*late, [b"x"], expect_seq=1, beside=Beside(stores={"cart": {"of": "late"}})),
        "reset": lambda: journal.append(
            *late, [b"x"], expect_seq=1, turn=TurnEnd(turn=0), beside=Beside(closes_waits=True, revived="r2")
        ),
        "waits": lambda: close_waits(database, *late, None, TaskStatus.CANCELLED),
        "one wait": lambda: close_waits(database, *late, PLACES[0], TaskStatus.EXPIRED),
        "timer": lambda: jobs.enqueue_held(*late, "session.timer", "t", {}, delay_s=1.0),
        "contact": lambda: Sessions(database).link_contact(*late, "ct_late"),
    }
    for name, act in refused.items():
        with pytest.raises(StaleEpoch):
            await act()
        assert await database.value(JOBS, tenant_id=tenant_id) == 0, name
        assert await MemoryStores(database).read(tenant_id, session, "cart") == {"of": "owner"}, name
        assert await waiting(database, tenant_id) == [("pending", "pending")] * 2, name
        row = await Sessions(database).get(tenant_id, session)
        assert (row.runtime_session_id, row.contact_id) == ("r1", ""), name

    mine = (tenant_id, session, other)
    assert len(await close_waits(database, *mine, PLACES[0], TaskStatus.EXPIRED)) == 1
    assert await waiting(database, tenant_id) == [("cancelled", "expired"), ("pending", "pending")]
    assert await close_waits(database, *mine, PLACES[0], TaskStatus.EXPIRED) == []
    for _ in range(2):
        await jobs.enqueue_held(*mine, "session.timer", "t", {}, delay_s=1.0)
    assert await database.value(JOBS, tenant_id=tenant_id) == 1
    await Sessions(database).link_contact(*mine, "ct_1")
    assert (await Sessions(database).get(tenant_id, session)).contact_id == "ct_1"


async def test_who_claims_a_session_waits_for_what_its_host_writes_beside_the_journal(
    database: Database, journal: Journal, leases: Leases, tenant_id: str, epoch: int, session: str
) -> None:
    await waits(database, tenant_id, session)
    other = await leases.register_host(f"successor of {tenant_id}", "unix:there")
    async with database.transaction() as connection:
        await close_waits(connection, tenant_id, session, epoch, None, TaskStatus.CANCELLED)
        assert await journal.append(tenant_id, session, epoch, [b"x"], expect_seq=0) == 1, "its own appends do not wait"
        await leases.release_host(epoch)
        claiming = asyncio.create_task(claim(leases, tenant_id, session, other))

        async def is_held_up() -> bool:
            return bool(await database.value(WAITING, claim="%set_config%"))

        await until(is_held_up)
        assert not claiming.done()
    assert await claiming == 1
    with pytest.raises(StaleEpoch):
        await close_waits(database, tenant_id, session, epoch, None, TaskStatus.CANCELLED)


class CutJournal(Journal):
    """Loses its connection before the first answer; `meanwhile` happens before it tries again."""

    meanwhile: Callable[[], Awaitable[None]]

    async def _send(self, batch: list[Append], *, is_repeated: bool) -> None:
        if not is_repeated:
            await self.meanwhile()
            raise ConnectionLost("cut")
        await super()._send(batch, is_repeated=is_repeated)


async def test_the_same_facts_of_another_host_are_not_taken_for_ones_own(
    database: Database, journal: Journal, leases: Leases, tenant_id: str, epoch: int, session: str
) -> None:
    cut = CutJournal(database)

    async def taken_over() -> None:
        other = await successor(leases, tenant_id, session, epoch)
        await journal.append(tenant_id, session, other, [b"attempt 2"], expect_seq=0)

    cut.meanwhile = taken_over
    with pytest.raises(StaleEpoch):
        await cut.append(tenant_id, session, epoch, [b"attempt 2"], expect_seq=0)
    await cut.close()


async def test_ones_own_facts_are_known_again_after_a_cut(
    database: Database, journal: Journal, tenant_id: str, epoch: int, session: str
) -> None:
    cut = CutJournal(database)
    beside = Beside(stores={"cart": {"n": 1}})

    async def written() -> None:
        await journal.append(tenant_id, session, epoch, [b"attempt 2"], expect_seq=0, beside=beside)

    cut.meanwhile = written
    assert await cut.append(tenant_id, session, epoch, [b"attempt 2"], expect_seq=0, beside=beside) == 1
    assert await MemoryStores(database).read(tenant_id, session, "cart") == {"n": 1}
    await cut.close()
