"""Who asks for what was just used waits for what had ended before, not for ever, and takes nothing from turns."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from time import monotonic

import pytest

from storage.database import POOL_MAX, Database
from storage.repositories.analytics_catching_up import STUCK_FOR_S, CatchingUp
from storage.repositories.analytics_counting import READER, Counting
from storage.repositories.sessions import NewSession, Sessions
from storage.repositories.turn_readers import WAITING_AT_ONCE, TurnReader
from storage.statements import Statement
from storage.turn_end import TraceRow
from storage.turn_frames import pack_events
from tests.support.servers import own_database

pytestmark = pytest.mark.anyio
database = own_database
PROJECT, OTHER = "c" + "p" * 24, "c" + "q" * 24
WRITE = Statement("""
    INSERT INTO traces (at, session_key, seq, events)
    VALUES (now(), session_key(:tenant_id, :session_id), :seq, :events)
""")
TAKE_NUMBER = Statement("SELECT pg_current_xact_id()::text")
ANSWER = Statement("SELECT 1")
CALLS = Statement("SELECT count(*) FROM analytics_told WHERE tenant_id = :tenant_id AND category = 'llm'")
BEFORE = Statement("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")


class Asked:
    """A project whose turns are written by hand, and one who asks what they used."""

    def __init__(self, database: Database, tenant_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.database = database
        self.tenant_id = tenant_id
        self.catching_up = CatchingUp(database)
        self.pieces = 0
        self.writes_on = False
        self.seq = 0
        try_to_go_on = Counting.try_to_go_on

        async def noticed(counting: Counting, now: datetime) -> int:
            self.pieces += 1
            counted = await try_to_go_on(counting, now)
            if self.writes_on:
                await self.write()
            return counted

        monkeypatch.setattr(Counting, "try_to_go_on", noticed)

    async def open(self) -> None:
        for project_id in (PROJECT, OTHER):
            new = NewSession(
                session_id=project_id,
                project_id=project_id,
                runtime_session_id=f"r{project_id}",
                entry_agent_name="D",
            )
            await Sessions(self.database).create(self.tenant_id, new)
        while await Counting(self.database).go_on(datetime.now(UTC)):
            pass

    async def write(self, project_id: str = PROJECT) -> None:
        self.seq += 1
        at = datetime.now(UTC).isoformat()
        row = TraceRow(seq=self.seq, turn=1, type="llm_call", at=at, agent_name="D", span_id="1", data={"model": "m"})
        given = {"tenant_id": self.tenant_id, "session_id": project_id, "seq": self.seq, "events": pack_events([row])}
        await self.database.execute(WRITE, **given)

    async def ask(self) -> int:
        """Return how many calls are counted when the answer is given."""
        await self.catching_up.catch_up(self.tenant_id, PROJECT, datetime.now(UTC))
        return int(await self.database.value(CALLS, tenant_id=self.tenant_id))


@pytest.fixture
async def asked(database: Database, tenant_id: str, monkeypatch: pytest.MonkeyPatch) -> Asked:
    found = Asked(database, tenant_id, monkeypatch)
    await found.open()
    return found


async def test_what_waits_for_another_transaction_is_waited_for_but_not_for_ever(
    asked: Asked, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked.database.transaction() as slow:
        await slow.value(TAKE_NUMBER)
        await asked.write()
        start = monotonic()
        assert await asked.ask() == 0
        assert monotonic() - start >= STUCK_FOR_S
        assert asked.pieces < 25
        assert "before all of it is counted" in caplog.text
        waiting = asyncio.create_task(asked.ask())
        await asyncio.wait([waiting], timeout=STUCK_FOR_S / 5)
    assert await waiting == 1


async def test_what_ends_meanwhile_is_not_waited_for(asked: Asked) -> None:
    await asked.write()
    asked.writes_on = True
    assert await asked.ask() >= 1
    assert asked.pieces < 5


async def test_those_who_wait_take_no_connection_from_others(asked: Asked) -> None:
    holder = await asked.database.own_connection()
    try:
        async with holder.transaction():
            await TurnReader(asked.database, READER).lock(holder)
            await asked.write()
            waiting = [asyncio.create_task(asked.ask()) for _ in range(2 * POOL_MAX)]
            await asyncio.wait(waiting, timeout=STUCK_FOR_S / 5)
            assert await asked.database.value(ANSWER) == 1
            assert not any(one.done() for one in waiting)
        assert await asyncio.gather(*waiting) == [1] * len(waiting)
    finally:
        await holder.close()


async def test_what_others_did_is_no_reason_to_wait(asked: Asked) -> None:
    await asked.write(OTHER)
    assert await asked.ask() == 0
    assert asked.pieces == 0
    place, before = await TurnReader(asked.database, READER).seen(), await asked.database.value(BEFORE)
    reader, of = TurnReader(asked.database, READER), {"tenant_id": asked.tenant_id}
    assert await reader.is_waiting(place, before, project_id=OTHER, **of)
    async with asked.database.transaction() as connection:
        for seq in range(WAITING_AT_ONCE):
            given = {**of, "session_id": OTHER, "seq": 1_000 + seq, "events": pack_events([])}
            await connection.execute(WRITE, **given)
    assert await reader.is_waiting(place, await asked.database.value(BEFORE), project_id=PROJECT, **of)
    assert await asked.ask() == 1
