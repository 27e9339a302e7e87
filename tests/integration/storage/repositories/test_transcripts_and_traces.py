from __future__ import annotations

from datetime import UTC, datetime

import pytest

from actors.clocks import SystemClock
from actors.insight import StoredInsight
from actors.runtime import SessionRef
from storage.database import Database
from storage.journal import Journal
from storage.leases import Leases
from storage.repositories import traces as traces_module
from storage.repositories.sessions import NewSession, Sessions
from storage.repositories.traces import Traces
from storage.repositories.transcripts import Transcripts
from storage.turn_end import MessageRow, TraceRow, TurnEnd
from storage.turn_frames import unpack_events

pytestmark = pytest.mark.anyio

AT = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
async def spoken(journal: Journal, leases: Leases, tenant_id: str) -> str:
    epoch = await leases.register_host(f"h {tenant_id}", "unix:h")
    await journal.open_session(tenant_id, "s", epoch)
    for turn in (1, 2):
        spoke, answered = (
            MessageRow(seq=2 * turn + n, message_id=f"m{2 * turn + n}", role=role, content=role, turn=turn, at=AT)
            for n, role in enumerate(("user", "assistant"), -1)
        )
        common = {"turn": turn, "at": "2026-11-21T00:00:00.000Z", "agent_name": "Desk"}
        traces = (
            TraceRow(seq=2 * turn - 1, type="llm_call", span_id=f"span {turn}", duration_ms=5, **common),
            TraceRow(
                seq=2 * turn,
                type="decision",
                span_id="inner",
                parent_span_id=f"span {turn}",
                data={"decisionKind": "routing"},
                **common,
            ),
        )
        await journal.append(
            tenant_id,
            "s",
            epoch,
            [b"x"],
            expect_seq=turn - 1,
            turn=TurnEnd(turn=turn, spoke=spoke, answered=answered, traces=traces),
        )
    return tenant_id


async def test_messages_are_paged_both_ways(spoken: str, database: Database) -> None:
    transcripts = Transcripts(database)
    rows, total = await transcripts.list(spoken, "s", limit=3, offset=1)
    assert ([row.seq for row in rows], total) == ([2, 3, 4], 4)
    assert [row.seq for row in await transcripts.after(spoken, "s", 2, 10)] == [3, 4]
    assert [row.seq for row in await transcripts.before(spoken, "s", None, 2)] == [4, 3]
    assert [row.seq for row in await transcripts.before(spoken, "s", 3, 10)] == [2, 1]


async def test_a_message_is_found_by_its_id_in_its_own_session(spoken: str, database: Database) -> None:
    transcripts = Transcripts(database)
    found = await transcripts.find(spoken, "s", "m2")
    assert found is not None
    assert (found.role, found.turn, found.at) == ("assistant", 1, AT)
    assert await transcripts.find(spoken, "s", "m9") is None
    assert await transcripts.find(f"{spoken} other", "s", "m2") is None


async def test_a_page_reads_no_more_turns_than_it_needs(
    journal: Journal, leases: Leases, spoken: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    epoch = await leases.register_host(f"later {spoken}", "unix:h")
    await journal.open_session(spoken, "long", epoch)
    for turn in range(1, 13):
        row = TraceRow(seq=turn, turn=turn, type="response", span_id="1", at="t", agent_name="Desk")
        await journal.append(spoken, "long", epoch, [b"x"], expect_seq=turn - 1, turn=TurnEnd(turn=turn, traces=(row,)))
    monkeypatch.setattr(traces_module, "TURNS_PER_PAGE", 3)
    unpacked: list[int] = []

    def counted(packed: bytes) -> tuple[TraceRow, ...]:
        found = unpack_events(packed)
        unpacked.extend(row.seq for row in found)
        return found

    monkeypatch.setattr(traces_module, "unpack_events", counted)
    traces = Traces(database)
    for descending, expected in ((False, [3, 4]), (True, [10, 9])):
        unpacked.clear()
        rows, total = await traces.list(spoken, "long", limit=2, offset=2, descending=descending)
        assert ([row.seq for row in rows], total) == (expected, 12)
        assert len(unpacked) <= 7
    rows, total = await traces.list(spoken, "long", types=["response"], limit=2, offset=11)
    assert ([row.seq for row in rows], total) == ([12], 12)
    assert await traces.list(spoken, "nothing") == ((), 0)


async def test_figures_of_a_session_with_too_many_events_are_of_the_first_and_say_so(
    spoken: str, database: Database
) -> None:
    new = NewSession(session_id="s", project_id="c", runtime_session_id="r", entry_agent_name="Desk")
    await Sessions(database).create(spoken, new)
    session = SessionRef(spoken, "", "s")
    whole, cut = (StoredInsight(database, SystemClock(), events_max=most) for most in (4, 3))
    for insight, is_truncated, calls in ((whole, False, 2), (cut, True, 1)):
        metrics = await insight.metrics(session)
        assert (metrics.is_truncated, metrics.llm_call_count) == (is_truncated, calls)
        assert (await insight.analysis(session)).is_truncated is is_truncated


async def test_events_are_filtered_and_counted(spoken: str, database: Database) -> None:
    traces = Traces(database)

    async def seqs(**wanted: object) -> tuple[list[int], int]:
        rows, total = await traces.list(spoken, "s", **wanted)
        return [row.seq for row in rows], total

    assert await seqs() == ([1, 2, 3, 4], 4)
    assert await seqs(descending=True, limit=1) == ([4], 4)
    assert await seqs(limit=2, offset=1) == ([2, 3], 4)
    assert await seqs(types=["llm_call"]) == ([1, 3], 2)
    assert await seqs(types=["llm_call", "decision"], decision_kind="routing") == ([2, 4], 2)
    assert await seqs(span_id="span 2") == ([3], 1)
    assert await seqs(parent_span_id="span 2") == ([4], 1)
