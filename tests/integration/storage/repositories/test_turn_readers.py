"""Ended turns are handed out once each, in order, whichever transaction ends first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from storage.database import Connection, Database
from storage.repositories.analytics_counting import Counting
from storage.repositories.sessions import NewSession, Sessions
from storage.repositories.turn_readers import ReadTurn, TurnReader
from storage.statements import Statement
from storage.turn_end import TraceRow
from storage.turn_frames import pack_events

pytestmark = pytest.mark.anyio
SESSION = "sess_reader"
WRITE = Statement("""
    INSERT INTO traces (at, session_key, seq, events)
    VALUES (now(), session_key(:tenant_id, :session_id), :seq, :events)
""")
EVENTS = Statement("SELECT count(*) FROM analytics_told WHERE tenant_id = :tenant_id")
KEPT = Statement("""
    SELECT event_type, e.tokens, duration_ms, e.cost, error, session_id, seq FROM analytics_told e
    LEFT JOIN analytics_sessions s USING (session_key)
    WHERE e.tenant_id = :tenant_id ORDER BY number
""")
BEYOND = Statement("UPDATE analytics_progress SET xact = '18446744073709551000' WHERE name = :name")


class Written:
    """A session whose turns are written by hand, and a reader of them."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        self.database = database
        self.tenant_id = tenant_id
        self.name = f"reader of {tenant_id}"
        self.reader = TurnReader(database, self.name)

    async def begin(self) -> None:
        new = NewSession(session_id=SESSION, project_id="c", runtime_session_id="r", entry_agent_name="Desk")
        await Sessions(self.database).create(self.tenant_id, new)
        await self.reader.begin()

    async def write(self, connection: Connection, seq: int, events: bytes | None = None) -> None:
        row = TraceRow(seq=seq, turn=seq, type="response", at="2026-03-02T09:00:00Z", agent_name="Desk", span_id="1")
        packed = events if events is not None else pack_events([row])
        await connection.execute(WRITE, tenant_id=self.tenant_id, session_id=SESSION, seq=seq, events=packed)

    async def take(self, limit: int = 10) -> list[int]:
        """Return the numbers of the next turns, and go on behind them."""
        return [one.row["seq"] for one in await self.take_turns(limit)]

    async def take_turns(self, limit: int = 10) -> list[ReadTurn]:
        async with self.database.transaction() as connection:
            found = await self.reader.next(connection, await self.reader.lock(connection), limit)
            await self.reader.move(connection, found)
        return found

    async def count(self) -> None:
        """Count all there is."""
        while await Counting(self.database).go_on(datetime.now(UTC) + timedelta(minutes=1)):
            pass


def a_call(seq: int = 1, agent: str = "Desk", **data: Any) -> bytes:
    """Return the traces of a turn with one call of a model."""
    at = datetime.now(UTC).isoformat()
    return pack_events([TraceRow(seq=seq, turn=1, type="llm_call", at=at, agent_name=agent, span_id="1", data=data)])


@pytest.fixture
async def written(database: Database, tenant_id: str) -> Written:
    found = Written(database, tenant_id)
    await found.begin()
    return found


async def test_a_turn_whose_transaction_ends_late_is_not_missed(written: Written) -> None:
    database = written.database
    async with database.transaction() as slow:
        await written.write(slow, 1)
        async with database.transaction() as fast:
            await written.write(fast, 2)
        assert await written.take() == []  # an earlier transaction is still open
    assert await written.take() == [1, 2]
    assert await written.take() == []


async def test_what_is_given_up_is_not_handed_out(written: Written) -> None:
    async def give_up() -> None:
        async with written.database.transaction() as connection:
            await written.write(connection, 1)
            raise RuntimeError("given up")

    with pytest.raises(RuntimeError, match="given up"):
        await give_up()
    async with written.database.transaction() as connection:
        await written.write(connection, 2)
    assert await written.take() == [2]


async def test_pages_may_end_within_a_transaction(written: Written) -> None:
    async with written.database.transaction() as connection:
        for seq in range(1, 8):
            await written.write(connection, seq)
    pages = [await written.take(3) for _ in range(4)]
    assert pages == [[1, 2, 3], [4, 5, 6], [7], []]


async def test_a_reader_that_fails_reads_the_same_again(written: Written) -> None:
    async with written.database.transaction() as connection:
        await written.write(connection, 1)

    async def crash() -> None:
        async with written.database.transaction() as connection:
            found = await written.reader.next(connection, await written.reader.lock(connection), 10)
            await written.reader.move(connection, found)
            raise RuntimeError("crash")

    with pytest.raises(RuntimeError, match="crash"):
        await crash()
    assert await written.take() == [1]


async def test_a_reader_begins_with_what_ends_after_it(written: Written) -> None:
    async with written.database.transaction() as connection:
        await written.write(connection, 1)
    later = Written(written.database, written.tenant_id)
    later.name += " later"
    later.reader = TurnReader(written.database, later.name)
    await later.reader.begin()
    async with written.database.transaction() as connection:
        await written.write(connection, 2)
    await later.reader.begin()
    assert await later.take() == [2]
    assert await written.take() == [1, 2]


async def test_a_store_that_was_copied_to_another_server_goes_on_with_new_turns(written: Written) -> None:
    await written.database.execute(BEYOND, name=written.name)  # as its transactions were counted where it came from
    assert await written.take() == []
    async with written.database.transaction() as connection:
        await written.write(connection, 1)
    assert await written.take() == [1]


async def test_a_turn_that_cannot_be_read_holds_up_no_other(written: Written, caplog: pytest.LogCaptureFixture) -> None:
    async with written.database.transaction() as connection:
        await written.write(connection, 1, b"\x00not json")
        await written.write(connection, 2, b"\x63of a newer version")
        await written.write(connection, 3)
    found = await written.take_turns()
    assert [one.turn is not None for one in found] == [False, False, True]
    assert "cannot be read" in caplog.text
    counting, now = Counting(written.database), datetime.now(UTC) + timedelta(minutes=1)
    while await counting.go_on(now):
        pass
    assert await written.database.value(EVENTS, tenant_id=written.tenant_id) >= 1


@pytest.mark.parametrize("odd", [3_000_000_000, -5, 1e300, 10**30, "many"])
async def test_an_odd_figure_is_brought_within_what_can_be_counted(written: Written, odd: Any) -> None:
    data = {"usage": {"inputTokens": odd, "outputTokens": odd}, "latencyMs": odd, "estimatedCost": odd, "model": "m"}
    async with written.database.transaction() as connection:
        await written.write(connection, 1, a_call(**data))
        await written.write(connection, 2, a_call(2, usage={"inputTokens": 3}))
    await written.count()
    calls = [
        row for row in await written.database.rows(KEPT, tenant_id=written.tenant_id) if row["event_type"] == "llm_call"
    ]
    assert len(calls) == 2
    assert calls[-1]["tokens"] == 3
    first = min(calls, key=lambda row: row["tokens"] == 3)
    most = 0 if odd in (-5, "many") else 2**31 - 1
    assert (first["tokens"], first["duration_ms"]) == (most, most)
    assert first["cost"] == min(most and float(odd), 1e9)


async def test_a_turn_that_the_store_refuses_is_named_and_holds_up_no_other(
    written: Written, caplog: pytest.LogCaptureFixture
) -> None:
    async with written.database.transaction() as connection:
        for seq in range(1, 8):
            await written.write(connection, seq, a_call(seq, "No\0one" if seq == 5 else "Desk"))
    await written.count()
    kept = await written.database.rows(KEPT, tenant_id=written.tenant_id)
    assert [row["event_type"] for row in kept].count("llm_call") == 6
    own = f" of {SESSION} of {written.tenant_id} is left out of analytics"  # other tests leave turns of their own
    (refused,) = [one.getMessage() for one in caplog.records if own in one.getMessage()]
    assert f".5{own}" in refused
    assert not await Counting(written.database).go_on(datetime.now(UTC))


async def test_turns_of_a_deleted_session_are_counted_once_and_keep_its_id_alone(written: Written) -> None:
    async with written.database.transaction() as connection:
        await written.write(connection, 1, a_call(1, usage={"inputTokens": 3}))
    await written.count()
    async with written.database.transaction() as connection:
        await written.write(connection, 2, a_call(2, usage={"inputTokens": 4}, finishReason="error"))
        await written.write(connection, 3, a_call(3, usage={"inputTokens": 5}))
    assert await Sessions(written.database).delete(written.tenant_id, SESSION)
    await written.count()
    kept = await written.database.rows(KEPT, tenant_id=written.tenant_id)
    calls = [row for row in kept if row["event_type"] == "llm_call"]
    assert sorted(row["tokens"] for row in calls) == [3, 4, 5]
    assert {row["session_id"] for row in kept} == {SESSION}
    assert [row["error"] for row in kept if row["error"] is not None] == [""]
    assert "session_deleted" in {row["event_type"] for row in kept}
