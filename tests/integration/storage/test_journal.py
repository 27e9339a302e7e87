"""The journal on a real PostgreSQL: what is acknowledged is there, and nobody else writes."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from domain.errors import InvalidInput, NotFound, Unavailable
from storage.database import Database
from storage.embedded import PostgresServer
from storage.errors import SequenceConflict, StaleEpoch, TurnRepeated
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import migrate
from storage.partitions import ensure_partitions
from storage.repositories.sessions import NewSession, Sessions
from storage.repositories.traces import Traces
from storage.repositories.transcripts import Transcripts
from storage.repositories.turns import StoredTurn, Turns
from storage.statements import Statement
from storage.turn_end import Activity, KeyedReply, MessageRow, TraceRow, TurnEnd
from tests.support.claims import claim
from tests.support.servers import Servers, start_program, until

pytestmark = pytest.mark.anyio

AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
LATER = AT + timedelta(milliseconds=1_234)
EPOCHS = Statement("""
    SELECT epoch FROM journal WHERE session_key = session_key(:tenant_id, :session_id) ORDER BY seq
""")


@pytest.fixture
async def epoch(leases: Leases, tenant_id: str) -> int:
    return await leases.register_host(f"host of {tenant_id}", "unix:here")


def a_turn(number: int = 1, *, key: str = "", reply: bytes = b"reply") -> TurnEnd:
    return TurnEnd(turn=number, keyed=KeyedReply(key, "hash", reply) if key else None)


async def test_facts_are_numbered_and_read_back(journal: Journal, tenant_id: str, epoch: int) -> None:
    await journal.open_session(tenant_id, "s", epoch)
    assert await journal.append(tenant_id, "s", epoch, [b"one", b"two"], expect_seq=0) == 2
    assert await journal.append(tenant_id, "s", epoch, [b"three"], expect_seq=2) == 3
    assert await journal.read(tenant_id, "s") == [(1, b"one"), (2, b"two"), (3, b"three")]
    assert await journal.read(tenant_id, "s", 1) == [(2, b"two"), (3, b"three")]
    assert await journal.read(tenant_id, "s", 3) == []


async def test_appends_of_many_sessions_go_together(journal: Journal, tenant_id: str, epoch: int) -> None:
    names = [f"s{number}" for number in range(100)]
    for name in names:
        await journal.open_session(tenant_id, name, epoch)
    ends = await asyncio.gather(
        *(journal.append(tenant_id, name, epoch, [name.encode()], expect_seq=0) for name in names)
    )
    assert ends == [1] * 100
    assert journal.batches <= 2
    assert await journal.read(tenant_id, "s42") == [(1, b"s42")]


async def test_one_refused_append_does_not_hold_back_the_others(journal: Journal, tenant_id: str, epoch: int) -> None:
    for name in ("good", "moved"):
        await journal.open_session(tenant_id, name, epoch)
    outcomes = await asyncio.gather(
        journal.append(tenant_id, "good", epoch, [b"x"], expect_seq=0),
        journal.append(tenant_id, "moved", epoch + 1_000, [b"x"], expect_seq=0),
        journal.append(tenant_id, "unknown", epoch, [b"x"], expect_seq=0),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [int, StaleEpoch, NotFound]


async def test_of_two_writers_one_is_told_where_the_journal_ends(
    journal: Journal, database: Database, tenant_id: str, epoch: int
) -> None:
    await journal.open_session(tenant_id, "s", epoch)
    other = Journal(database)
    outcomes = await asyncio.gather(
        journal.append(tenant_id, "s", epoch, [b"mine", b"too"], expect_seq=0),
        other.append(tenant_id, "s", epoch, [b"yours", b"too"], expect_seq=0),
        journal.append(tenant_id, "s", epoch, [b"again"], expect_seq=0),
        return_exceptions=True,
    )
    await other.close()
    refused = [outcome for outcome in outcomes if isinstance(outcome, SequenceConflict)]
    assert [outcome for outcome in outcomes if isinstance(outcome, int)] == [2]
    assert [one.last_seq for one in refused] == [2, 2]
    assert len(await journal.read(tenant_id, "s")) == 2


async def test_the_end_of_a_turn_is_written_with_its_facts_or_not_at_all(
    journal: Journal, database: Database, tenant_id: str, epoch: int
) -> None:
    sessions = Sessions(database)
    await sessions.create(
        tenant_id,
        NewSession(session_id="s", project_id="c", runtime_session_id="r", entry_agent_name="Desk"),
        epoch=epoch,
    )
    spoke = MessageRow(seq=1, message_id="msg_1", role="user", content="hi", turn=1, at=AT, extra=b'{"a":1}')
    answered = MessageRow(
        seq=2, message_id="msg_2", role="assistant", content="ho", turn=1, at=LATER, agent_name="Desk", extra=b"{}"
    )
    trace = TraceRow(
        seq=1, turn=1, type="decision", at="t", agent_name="Desk", span_id="sp", duration_ms=3, data={"matched": True}
    )
    end = TurnEnd(
        turn=1,
        keyed=KeyedReply("key", "hash", b"reply"),
        snapshot=b"state",
        spoke=spoke,
        answered=answered,
        traces=(trace,),
        activity=Activity(agent_name="Clerk", execution_state="idle", input_tokens=3, output_tokens=4, handoffs=1),
    )
    with pytest.raises(SequenceConflict):
        await journal.append(tenant_id, "s", epoch, [b"fact"], expect_seq=7, turn=end)
    assert await Turns(database).find(tenant_id, "s", "key") is None
    assert await journal.snapshot(tenant_id, "s") is None

    assert await journal.append(tenant_id, "s", epoch, [b"fact", b"end"], expect_seq=0, turn=end) == 2
    stored = await Turns(database).find(tenant_id, "s", "key")
    assert stored is not None
    assert stored == StoredTurn("hash", 1, b"reply")
    head = await journal.head(tenant_id, "s")
    assert head is not None
    assert head.snapshot is not None
    assert (head.last_seq, head.snapshot.seq, head.snapshot.state) == (2, 2, b"state")
    assert await Transcripts(database).list(tenant_id, "s", limit=10) == ((spoke, answered), 2)
    assert await Traces(database).list(tenant_id, "s") == ((trace,), 1)
    row = await sessions.get(tenant_id, "r")
    assert (row.agent_name, row.turn_count, row.message_count, row.trace_count) == ("Clerk", 1, 2, 1)
    assert (row.input_tokens, row.output_tokens, row.handoff_count, row.status) == (3, 4, 1, "active")


async def test_a_session_costs_what_is_known_of_its_turns_and_nothing_is_known_of_none(
    journal: Journal, database: Database, tenant_id: str, epoch: int
) -> None:
    sessions = Sessions(database)
    new = NewSession(session_id="s", project_id="c", runtime_session_id="r", entry_agent_name="Desk")
    await sessions.create(tenant_id, new, epoch=epoch)
    found = [(await sessions.get(tenant_id, "s")).estimated_cost]
    for turn, cost in enumerate((None, 0.25, None, 0.5)):
        end = TurnEnd(turn=turn + 1, activity=Activity(estimated_cost=cost))
        await journal.append(tenant_id, "s", epoch, [b"fact"], expect_seq=turn, turn=end)
        found.append((await sessions.get(tenant_id, "s")).estimated_cost)
    assert found == [None, None, 0.25, 0.25, 0.75]


async def test_a_turn_that_ends_the_session_says_why(
    journal: Journal, database: Database, tenant_id: str, epoch: int
) -> None:
    sessions = Sessions(database)
    await sessions.create(
        tenant_id,
        NewSession(session_id="s", project_id="c", runtime_session_id="r", entry_agent_name="Desk"),
        epoch=epoch,
    )
    end = TurnEnd(turn=1, activity=Activity(end_reason="human_completed", last_error="model away", errors=1))
    await journal.append(tenant_id, "s", epoch, [b"fact"], expect_seq=0, turn=end)
    row = await sessions.get(tenant_id, "s")
    assert (row.status, row.end_reason, row.last_error, row.error_count) == (
        "ended",
        "human_completed",
        "model away",
        1,
    )
    assert row.ended_at is not None


async def test_a_turn_under_a_known_key_is_not_written_again(journal: Journal, tenant_id: str, epoch: int) -> None:
    await journal.open_session(tenant_id, "s", epoch)
    await journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=0, turn=a_turn(key="k"))
    with pytest.raises(TurnRepeated):
        await journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=1, turn=a_turn(2, key="k"))
    assert len(await journal.read(tenant_id, "s")) == 1


async def test_a_value_that_cannot_be_stored_harms_only_its_own_append(
    journal: Journal, tenant_id: str, epoch: int
) -> None:
    names = [f"s{number}" for number in range(9)]
    for name in names:
        await journal.open_session(tenant_id, name, epoch)
    message = MessageRow(seq=1, message_id="zero \0", role="user", content="m", turn=1, at=AT)
    outcomes = await asyncio.gather(
        *(journal.append(tenant_id, name, epoch, [b"x"], expect_seq=0) for name in names[:-1]),
        journal.append(tenant_id, names[-1], epoch, [b"x"], expect_seq=0, turn=TurnEnd(turn=1, spoke=message)),
        return_exceptions=True,
    )
    assert outcomes[:-1] == [1] * 8
    assert isinstance(outcomes[-1], InvalidInput)
    assert await journal.read(tenant_id, names[-1]) == []


async def test_a_caller_that_leaves_does_not_stop_its_append(journal: Journal, tenant_id: str, epoch: int) -> None:
    await journal.open_session(tenant_id, "s", epoch)
    leaving = asyncio.create_task(journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=0))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)

    async def is_written() -> bool:
        return await journal.read(tenant_id, "s") == [(1, b"x")]

    await until(is_written)


async def test_a_closed_journal_has_written_what_waited_and_takes_no_more(
    database: Database, tenant_id: str, epoch: int
) -> None:
    journal = Journal(database)
    await journal.open_session(tenant_id, "s", epoch)
    last = asyncio.create_task(journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=0))
    await asyncio.sleep(0)
    await journal.close()
    assert await last == 1
    with pytest.raises(Unavailable, match="closed"):
        await journal.append(tenant_id, "s", epoch, [b"x"], expect_seq=1)


@pytest.mark.parametrize("facts", [[], [b"x"] * 1_001])
async def test_an_append_has_a_bounded_number_of_facts(journal: Journal, facts: list[bytes]) -> None:
    with pytest.raises(ValueError, match="1 to 1000 facts"):
        await journal.append("t", "s", 1, facts, expect_seq=0)


# -- a database that is killed


@pytest.fixture
async def own_server(folder: Path) -> AsyncIterator[PostgresServer]:
    server = PostgresServer(folder)
    await server.start()
    yield server
    await server.stop()


async def test_no_acknowledged_append_is_lost_when_the_database_is_killed(own_server: PostgresServer) -> None:
    database = await Database.open(own_server.url)
    await migrate(database)
    await ensure_partitions(database)
    journal = Journal(database)
    epoch = await Leases(database).register_host("h", "unix:here")
    names = [f"s{number}" for number in range(20)]
    acknowledged = dict.fromkeys(names, 0)
    done = asyncio.Event()

    async def talk(name: str) -> None:
        while not done.is_set():
            seq = acknowledged[name]
            facts = [f"{name} {seq + 1}".encode(), f"{name} {seq + 2}".encode()]
            turn = a_turn(seq, key=f"k{seq}")
            acknowledged[name] = await journal.append("t", name, epoch, facts, expect_seq=seq, turn=turn)

    for name in names:
        await journal.open_session("t", name, epoch)
    talks = [asyncio.create_task(talk(name)) for name in names]
    for kills in range(1, 4):
        before = sum(acknowledged.values())

        async def has_moved(before: int = before) -> bool:
            return sum(acknowledged.values()) > before + 200

        await until(has_moved)
        assert own_server.pid is not None
        os.kill(own_server.pid, signal.SIGKILL)

        async def is_restarted(kills: int = kills) -> bool:
            return own_server.restarts >= kills and own_server.pid is not None

        await until(is_restarted)
    done.set()
    await asyncio.gather(*talks)
    for name in names:
        facts = await journal.read("t", name)
        assert facts == [(seq, f"{name} {seq}".encode()) for seq in range(1, acknowledged[name] + 1)]
    await journal.close()
    await database.close()


# -- hosts that are stopped

HOST = """
import asyncio, sys
from storage.database import Database
from storage.errors import StaleEpoch
from storage.journal import Journal
from storage.leases import Leases

async def main():
    url, tenant_id, lease_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
    database = await Database.open(url)
    leases, journal = Leases(database, lease_s=lease_s), Journal(database)
    epoch = await leases.register_host("stopped " + tenant_id, "unix:there")
    seqs = {"claimed": 0, "left": 0}
    for name in seqs:
        await journal.open_session(tenant_id, name, epoch)
    print(epoch, flush=True)
    while True:
        for name, seq in list(seqs.items()):
            try:
                seqs[name] = await journal.append(tenant_id, name, epoch, [b"stopped"], expect_seq=seq)
            except StaleEpoch:
                print("refused", name, seq, flush=True)
                del seqs[name]
        if not seqs:
            break
        try:
            await leases.renew(epoch)
        except StaleEpoch:
            print("renewal refused", flush=True)
    await journal.close()
    await database.close()

asyncio.run(main())
"""
SHORT_LEASE_S = 0.5


async def epochs(database: Database, tenant_id: str, session_id: str) -> Sequence[int]:
    return [row["epoch"] for row in await database.rows(EPOCHS, tenant_id=tenant_id, session_id=session_id)]


async def test_a_host_that_was_stopped_longer_than_its_lease_is_refused(
    servers: Servers, database: Database, journal: Journal, leases: Leases, tenant_id: str
) -> None:
    host = start_program(HOST, servers.database_url, tenant_id, str(SHORT_LEASE_S))
    assert host.stdout is not None
    stopped_epoch = int(await asyncio.to_thread(host.stdout.readline))

    async def has_written() -> bool:
        return all([len(await epochs(database, tenant_id, name)) > 5 for name in ("claimed", "left")])

    await until(has_written)
    host.send_signal(signal.SIGSTOP)

    async def is_over() -> bool:
        return stopped_epoch not in {one.epoch for one in await leases.hosts()}

    await until(is_over)
    epoch = await leases.register_host(f"successor of {tenant_id}", "unix:here")
    seq = await claim(leases, tenant_id, "claimed", epoch)
    await journal.append(tenant_id, "claimed", epoch, [b"successor"], expect_seq=seq)
    left = await epochs(database, tenant_id, "left")
    host.send_signal(signal.SIGCONT)
    output, _ = await asyncio.to_thread(host.communicate, None, 20)

    assert host.returncode == 0
    assert "refused claimed" in output
    assert "refused left" in output  # the whole lease is over, not only the session that was claimed
    found = await epochs(database, tenant_id, "claimed")
    assert found == [stopped_epoch] * (len(found) - 1) + [epoch]
    after = await epochs(database, tenant_id, "left")
    assert set(after) == {stopped_epoch}
    assert len(after) - len(left) <= 1  # what the database had already been sent
