"""Calls of models of agents are listed as long as their session is there; what they used stays counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.analytics import EventQuery
from storage.database import Database
from storage.repositories.analytics import Analytics
from storage.repositories.analytics_catching_up import CatchingUp
from storage.repositories.model_calls import CallQuery, ModelCall, ModelCalls
from storage.repositories.sessions import NewSession, Sessions
from storage.statements import Statement
from storage.turn_end import TraceRow
from storage.turn_frames import pack_events

pytestmark = pytest.mark.anyio
PROJECT, ROOT, CHILD = "c" + "p" * 24, "sess_root", "sess_child"
DAY = timedelta(days=1)
WRITE = Statement("""
    INSERT INTO traces (at, session_key, seq, events)
    VALUES (now(), session_key(:tenant_id, :session_id), :seq, :events)
""")
KINDS = Statement("SELECT count(*) FROM analytics_kinds WHERE tenant_id = :tenant_id AND category = 'llm'")


class Calls:
    """A session and one that works for it, whose turns are written by hand."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        self.database = database
        self.tenant_id = tenant_id

    async def open(self) -> None:
        child = {"parent_session_id": ROOT, "pin": {"root_session_id": ROOT}}
        for session_id, more in ((ROOT, {}), (CHILD, child)):
            new: dict[str, Any] = {"project_id": PROJECT, "runtime_session_id": f"run_{session_id}", **more}
            await Sessions(self.database).create(
                self.tenant_id, NewSession(session_id=session_id, entry_agent_name="Desk", **new)
            )

    async def write(self, session_id: str, seq: int, **data: Any) -> None:
        said = {
            "model": "m", "provider": "p", "operationType": "reasoning", "latencyMs": 30, "finishReason": "stop",
            "usage": {"inputTokens": 3, "outputTokens": 2}, "promptMessages": 4, "systemPromptHash": "abc", **data,
        }  # fmt: skip
        row = TraceRow(
            seq=seq, turn=1, type="llm_call", at=datetime.now(UTC).isoformat(), agent_name="Desk", span_id="1.1",
            data=said,
        )  # fmt: skip
        given = {"tenant_id": self.tenant_id, "session_id": session_id, "seq": seq, "events": pack_events([row])}
        await self.database.execute(WRITE, **given)

    async def listed(self, **wanted: Any) -> list[ModelCall]:
        """Return all calls at once after they were made, the newest first."""
        now = datetime.now(UTC)
        await CatchingUp(self.database).catch_up(self.tenant_id, PROJECT, now)
        query = CallQuery(since=now - DAY, until=now + DAY, **wanted)
        calls, total = await ModelCalls(self.database).list(self.tenant_id, PROJECT, query, limit=10, offset=0)
        assert total == len(calls)
        return list(calls)

    async def used(self) -> tuple[int, int, float, int]:
        """Return how many calls there were, their tokens and cost, and how many had a price."""
        now = datetime.now(UTC)
        wanted = EventQuery(since=now - DAY, until=now + DAY)
        rows = await Analytics(self.database).costs(self.tenant_id, PROJECT, wanted)
        return (
            sum(row.calls for row in rows),
            sum(row.tokens_in + row.tokens_out for row in rows),
            sum(row.cost for row in rows),
            sum(row.priced for row in rows),
        )


@pytest.fixture
async def calls(database: Database, tenant_id: str) -> Calls:
    found = Calls(database, tenant_id)
    await found.open()
    return found


async def test_a_call_is_listed_with_all_that_its_trace_says(calls: Calls) -> None:
    await calls.write(ROOT, 1, timeToFirstTokenMs=11, promptCharacters=99, estimatedCost=0.25)
    (call,) = await calls.listed()
    shown = {name: getattr(call, name) for name in call.__struct_fields__ if name != "at"}
    assert shown == {
        "seq": 1, "session_id": ROOT, "turn": 1, "span_id": "1.1", "agent_name": "Desk", "model": "m", "provider": "p",
        "operation": "reasoning", "latency_ms": 30, "first_token_ms": 11, "input_tokens": 3, "output_tokens": 2,
        "estimated_cost": 0.25, "finish_reason": "stop", "success": True, "prompt_messages": 4,
        "prompt_characters": 99, "system_prompt_hash": "abc",
    }  # fmt: skip


async def test_calls_are_told_apart_and_say_one_kind_once(calls: Calls, database: Database) -> None:
    for seq in range(1, 4):
        await calls.write(ROOT, seq)
    await calls.write(ROOT, 4, model="other", finishReason="error")
    assert [call.seq for call in await calls.listed()] == [4, 3, 2, 1]
    (failed,) = await calls.listed(model="other")
    assert (failed.success, failed.finish_reason, failed.estimated_cost) == (False, "error", None)
    assert await calls.listed(agent_name="Nobody") == []
    assert await database.value(KINDS, tenant_id=calls.tenant_id) == 2


async def test_a_delegated_call_has_the_name_of_its_own_session(calls: Calls) -> None:
    await calls.write(ROOT, 1)
    await calls.write(CHILD, 2)
    assert [call.session_id for call in await calls.listed()] == [CHILD, ROOT]
    assert [call.seq for call in await calls.listed(session_id=ROOT)] == [1]
    assert [call.seq for call in await calls.listed(session_id=CHILD)] == [2]
    assert await calls.listed(session_id="sess_other") == []


async def test_calls_of_a_deleted_session_are_used_and_listed_no_more(calls: Calls, database: Database) -> None:
    await calls.write(ROOT, 1, estimatedCost=0.25)
    assert len(await calls.listed()) == 1
    await calls.write(CHILD, 2)
    await calls.write(ROOT, 3)  # not counted before the session is deleted
    for session_id in (CHILD, ROOT):
        assert await Sessions(database).delete(calls.tenant_id, session_id)
    assert await calls.listed() == []
    assert await calls.used() == (3, 15, 0.25, 1)


async def test_calls_of_a_deleted_delegated_session_are_listed_no_more(calls: Calls, database: Database) -> None:
    await calls.write(ROOT, 1)
    await calls.write(CHILD, 2)
    assert len(await calls.listed()) == 2
    await calls.write(CHILD, 3)  # not counted before the session is deleted
    assert await Sessions(database).delete(calls.tenant_id, CHILD)
    assert [call.session_id for call in await calls.listed()] == [ROOT]
    assert (await calls.used())[0] == 3
