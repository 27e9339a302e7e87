"""A database as it was before turns became narrow (migrations 1 to 4) is opened: what was said and done is still there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from storage.activation import Activations
from storage.database import Database
from storage.frames import pack, squeeze
from storage.journal import Journal
from storage.leases import Leases
from storage.migrate import known_migrations, migrate
from storage.partitions import ensure_partitions, week_of
from storage.repositories.transcripts import Transcripts
from storage.statements import Statement
from storage.turn_end import MessageRow, TurnEnd
from tests.support.servers import Servers, an_empty_database

pytestmark = pytest.mark.anyio

BEFORE = 4
SESSION = Statement("""
    INSERT INTO sessions (tenant_id, session_id, project_id, runtime_session_id, pin)
    VALUES ('ten', 's', 'c', 'r', '{"a": 1}')
""")
HEAD = Statement("INSERT INTO session_heads (tenant_id, session_id, last_seq, owner_epoch) VALUES ('ten', 's', 3, 7)")
FACTS = Statement("""
    INSERT INTO journal (tenant_id, session_id, seq, at, epoch, count, facts)
    VALUES ('ten', 's', :seq, :at, 7, :count, :facts)
""")
STATE = Statement("INSERT INTO snapshots (tenant_id, session_id, seq, at, state) VALUES ('ten', 's', 2, :at, :state)")
LINE = Statement("""
    INSERT INTO transcripts (tenant_id, session_id, seq, message_id, role, agent_name, turn, at, content)
    VALUES ('ten', 's', :seq, :message_id, :role, :agent_name, 1, :at, :content)
""")


@pytest.fixture
async def old(servers: Servers) -> AsyncIterator[Database]:
    async with an_empty_database(servers, "before") as database:
        yield database


async def test_sessions_of_the_wide_tables_are_found_in_the_narrow_ones(old: Database) -> None:
    await migrate(old, known_migrations()[:BEFORE])
    at = datetime.now(UTC).replace(microsecond=0)
    weeks = [week_of(at) - timedelta(weeks=1), week_of(at)]
    async with old.connection() as connection:
        for week in weeks:
            end = week + timedelta(weeks=1)
            await connection.script(
                f"CREATE TABLE journal_{week:%Y%m%d} PARTITION OF journal FOR VALUES FROM ('{week}') TO ('{end}')"
            )
        await connection.execute(SESSION)
        await connection.execute(HEAD)
        await connection.execute(FACTS, seq=1, at=weeks[0], count=2, facts=pack([b"one", b"two"]))
        await connection.execute(FACTS, seq=3, at=at, count=1, facts=pack([b"three"]))
        await connection.execute(STATE, at=at, state=squeeze(b"state"))
        lines = [(4, "m1", "user", "", "Hello"), (5, "m2", "assistant", "Desk", "Good day")]
        for seq, message_id, role, agent_name, content in lines:
            await connection.execute(
                LINE, seq=seq, message_id=message_id, role=role, agent_name=agent_name, content=content, at=at
            )

    assert await migrate(old) == len(known_migrations()) - BEFORE
    await ensure_partitions(old)

    epoch = await Leases(old).register_host("h", "unix:h")
    found = await Activations(old).activate("ten", "s", epoch)
    assert (found.pin, found.last_seq, found.is_taken_over) == ({"a": 1}, 3, True)
    assert found.snapshot is not None
    assert (found.snapshot.seq, found.snapshot.state) == (2, b"state")
    assert found.facts == ((3, b"three"),)
    assert await Journal(old).read("ten", "s") == [(1, b"one"), (2, b"two"), (3, b"three")]
    rows, total = await Transcripts(old).list("ten", "s", limit=10)
    assert [(row.seq, row.message_id, row.role, row.agent_name, row.content, row.at) for row in rows] == [
        (*line, at) for line in lines
    ]
    assert total == len(lines)

    spoke = MessageRow(seq=6, message_id="m3", role="user", content="Again", turn=2, at=at)
    journal = Journal(old)
    assert await journal.append("ten", "s", epoch, [b"four"], expect_seq=3, turn=TurnEnd(turn=2, spoke=spoke)) == 4
    rows, _ = await Transcripts(old).list("ten", "s", limit=10)
    assert [row.seq for row in rows] == [4, 5, 6]
    await journal.close()
