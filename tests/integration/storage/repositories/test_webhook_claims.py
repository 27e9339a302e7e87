"""Which deliveries are given out: of each tenant and hook no more than there is room for, the oldest first."""

from __future__ import annotations

from collections import Counter

import pytest

from storage.database import Database
from storage.repositories.jobs import Job, Jobs
from storage.repositories.webhook_claims import Room, WebhookClaims
from storage.repositories.webhooks import DELIVER_JOB
from storage.statements import Statement

pytestmark = pytest.mark.anyio
RUN_OUT = Statement("UPDATE jobs SET due_at = clock_timestamp() - interval '1 s' WHERE kind = :kind")
CLEAR = Statement("DELETE FROM jobs WHERE kind = :kind")


async def put(database: Database, tenant_id: str, webhook_id: str, count: int, *, delay_s: float = 0.0) -> None:
    for number in range(count):
        payload = {"webhook_id": webhook_id, "event_id": f"evt_{number:03}"}
        name = f"{webhook_id}/evt_{number:03}"
        assert await Jobs(database).enqueue(tenant_id, DELIVER_JOB, name, payload, delay_s=delay_s - 10)


def by_hook(jobs: list[Job]) -> Counter[tuple[str, str]]:
    return Counter((job.tenant_id, str(job.payload["webhook_id"])) for job in jobs)


async def test_each_hook_is_named_once_however_much_it_has(database: Database) -> None:
    await database.execute(CLEAR, kind=DELIVER_JOB)
    await put(database, "ten_a", "wh_1", 30)
    await put(database, "ten_a", "wh_2", 1, delay_s=3_600)
    await put(database, "ten_b", "wh_0", 2)
    claims = WebhookClaims(database)
    assert [tuple(one) for one in await claims.waiting(("", ""), 10)] == [
        ("ten_a", "wh_1", True), ("ten_a", "wh_2", False), ("ten_b", "wh_0", True),
    ]  # fmt: skip
    assert [one.webhook_id for one in await claims.waiting(("ten_a", "wh_1"), 1)] == ["wh_2"]
    await database.execute(CLEAR, kind=DELIVER_JOB)
    assert await claims.waiting(("", ""), 10) == []


async def test_nobody_gets_more_than_its_room_and_tenants_have_their_turns(database: Database) -> None:
    await database.execute(CLEAR, kind=DELIVER_JOB)
    for hook in ("wh_1", "wh_2", "wh_3"):
        await put(database, "ten_a", hook, 20)
    await put(database, "ten_b", "wh_0", 20)
    claims = WebhookClaims(database)
    rooms = [Room("ten_a", hook, 4, 6) for hook in ("wh_1", "wh_2", "wh_3")] + [Room("ten_b", "wh_0", 4, 6)]
    given = await claims.claim(rooms, 100)
    assert by_hook(given) == {("ten_a", f"wh_{number}"): 2 for number in (1, 2, 3)} | {("ten_b", "wh_0"): 4}
    assert {job.name for job in given if job.tenant_id == "ten_b"} == {f"wh_0/evt_{number:03}" for number in range(4)}
    again = await claims.claim(rooms, 5)
    assert (len(again), by_hook(again)["ten_b", "wh_0"]) == (5, 2), "few places are shared between tenants"
    assert not {job.name for job in given} & {job.name for job in again}
    await database.execute(RUN_OUT, kind=DELIVER_JOB)
    beside = await claims.claim([Room("ten_b", "wh_0", 20, 20)], 100, beside=given)
    assert not {job.name for job in given} & {job.name for job in beside}, "what is under way here is not sent again"
    assert len(beside) == 20 - 4
    await database.execute(CLEAR, kind=DELIVER_JOB)
