"""Memory, memory stores, callbacks and jobs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from storage.database import Database
from storage.repositories.callbacks import RESUME_JOB, Callbacks, NewCallback
from storage.repositories.jobs import Jobs
from storage.repositories.memory import Memory, MemoryValue
from storage.statements import Statement
from tests.support.servers import until

pytestmark = pytest.mark.anyio

CLOCK = Statement("SELECT clock_timestamp()")
DUE_AT = Statement("SELECT due_at FROM jobs WHERE kind = :kind")


def soon() -> datetime:
    return datetime.now(UTC) + timedelta(hours=1)


def past() -> datetime:
    return datetime.now(UTC) - timedelta(hours=1)


async def test_memory_is_kept_by_scope_subject_and_path(database: Database, tenant_id: str) -> None:
    memory = Memory(database)
    await memory.write(
        tenant_id,
        "c",
        [
            MemoryValue(scope="user", subject="ct_1", path="user.name", value="Ada"),
            MemoryValue(scope="user", subject="ct_1", path="user.visits", value={"count": 2}, expires_at=soon()),
            MemoryValue(scope="user", subject="ct_1", path="user.old", value=1, expires_at=past()),
            MemoryValue(scope="project", subject="c", path="project.hours", value=[9, 17]),
        ],
    )

    async def read(subject: str = "ct_1") -> dict[str, object]:
        return await memory.read(tenant_id, "c", "user", subject, ["user.name", "user.visits", "user.old"])

    assert await read() == {"user.name": "Ada", "user.visits": {"count": 2}}
    assert await read("ct_2") == {}
    assert await memory.read(tenant_id, "c", "project", "c", ["project.hours"]) == {"project.hours": [9, 17]}
    assert await memory.read(f"{tenant_id} other", "c", "project", "c", ["project.hours"]) == {}
    await memory.write(tenant_id, "c", [MemoryValue(scope="user", subject="ct_1", path="user.name")])
    assert await read() == {"user.visits": {"count": 2}}
    assert await memory.forget_expired() >= 1
    assert await memory.forget_subject(tenant_id, "c", "user", "ct_1") == 1


def a_callback(callback_id: str, lasts_s: float, suspension_id: str = "1.2") -> NewCallback:
    return NewCallback(
        callback_id=callback_id,
        project_id="c",
        session_id="s",
        suspension_id=suspension_id,
        lasts_s=lasts_s,
        tool_name="ship",
        secret="hush",
    )


async def test_a_suspension_has_one_callback_however_often_it_is_asked_for(database: Database, tenant_id: str) -> None:
    callbacks = Callbacks(database)
    first = await callbacks.issue(tenant_id, a_callback(f"cb_1 {tenant_id}", 3_600.0))
    again = await callbacks.issue(tenant_id, a_callback(f"cb_2 {tenant_id}", 3_600.0))
    assert again == first
    assert await callbacks.find_by_id(first.callback_id) == first
    assert await callbacks.find_by_id(f"cb_2 {tenant_id}") is None


async def test_of_many_deliveries_one_is_taken_and_enqueued(database: Database, tenant_id: str) -> None:
    callbacks, jobs = Callbacks(database), Jobs(database)
    issued = await callbacks.issue(tenant_id, a_callback(f"cb {tenant_id}", 3_600.0))
    taken = await asyncio.gather(
        *(callbacks.claim(tenant_id, issued.callback_id, "s", b'{"n":%d}' % number) for number in range(10))
    )
    assert taken.count(True) == 1
    found = await callbacks.find_by_id(issued.callback_id)
    assert found is not None
    assert found.status == "processed"
    assert found.payload == b'{"n":%d}' % taken.index(True)
    assert not await jobs.enqueue(tenant_id, RESUME_JOB, issued.callback_id)
    assert await jobs.cancel(tenant_id, RESUME_JOB, issued.callback_id)


async def test_a_callback_past_its_time_is_not_taken(database: Database, tenant_id: str) -> None:
    callbacks = Callbacks(database)
    late = await callbacks.issue(tenant_id, a_callback(f"cb {tenant_id}", -1.0))
    assert not await callbacks.claim(tenant_id, late.callback_id, "s", b"{}")
    assert await callbacks.expire(tenant_id, late.callback_id)
    assert not await callbacks.expire(tenant_id, late.callback_id)


async def test_work_that_is_given_back_is_due_at_once_and_counts_its_attempts(
    database: Database, tenant_id: str
) -> None:
    jobs, kind = Jobs(database), f"kind of {tenant_id}"
    await jobs.enqueue(tenant_id, kind, "work")
    (first,) = await jobs.claim([kind], 10)
    assert await jobs.claim([kind], 10) == []
    assert await jobs.give_back(first)
    (second,) = await jobs.claim([kind], 10)
    assert second.attempts == 2
    assert not await jobs.give_back(first)
    assert await jobs.claim([kind], 10) == []
    assert await jobs.finish(second)


async def test_a_job_is_given_to_one_worker_and_only_when_it_is_due(database: Database, tenant_id: str) -> None:
    jobs, kind = Jobs(database), f"kind of {tenant_id}"
    assert await jobs.enqueue(tenant_id, kind, "now", {"a": 1})
    assert not await jobs.enqueue(tenant_id, kind, "now", {"a": 2})
    assert await jobs.enqueue(tenant_id, kind, "later", delay_s=3_600)
    claims = await asyncio.gather(*(jobs.claim([kind], 10) for _ in range(5)))
    claimed = [job for claim in claims for job in claim]
    assert [(job.name, job.payload, job.attempts) for job in claimed] == [("now", {"a": 1}, 1)]
    assert await jobs.finish(claimed[0])
    assert not await jobs.finish(claimed[0])
    left_s = await jobs.next_due_s([kind])
    assert left_s is not None
    assert 3_500 < left_s <= 3_600
    assert await jobs.next_due_s([f"no {kind}"]) is None


async def test_a_job_whose_worker_vanished_is_given_out_again(database: Database, tenant_id: str) -> None:
    jobs, kind = Jobs(database), f"kind of {tenant_id}"
    await jobs.enqueue(tenant_id, kind, "name")
    (first,) = await jobs.claim([kind], 1, claim_s=0.01)
    second: list[object] = []

    async def is_claimed_again() -> bool:
        second.extend(await jobs.claim([kind], 1))
        return bool(second)

    await until(is_claimed_again)
    assert not await jobs.finish(first)
    assert not await jobs.fail(first, "too late")
    assert await jobs.finish(second[0])


async def test_work_that_lasts_holds_its_claim_until_somebody_else_has_it(database: Database, tenant_id: str) -> None:
    jobs, kind = Jobs(database), f"kind of {tenant_id}"
    await jobs.enqueue(tenant_id, kind, "name")
    (first,) = await jobs.claim([kind], 1)
    assert await jobs.renew([first], claim_s=600.0) == 1
    left_s = await jobs.next_due_s([kind])
    assert left_s is not None
    assert 590 < left_s <= 600
    assert await jobs.renew([first], claim_s=0.0) == 1
    (second,) = await jobs.claim([kind], 1)
    assert await jobs.renew([first]) == 0
    assert await jobs.renew([first, second]) == 1


async def test_nothing_that_is_under_way_here_is_claimed_again_though_its_claim_has_run_out(
    database: Database, tenant_id: str
) -> None:
    jobs, kind = Jobs(database), f"kind of {tenant_id}"
    await jobs.enqueue(tenant_id, kind, "mine")
    (mine,) = await jobs.claim([kind], 10, claim_s=0.0)
    await jobs.enqueue(tenant_id, kind, "next")
    (other,) = await jobs.claim([kind], 10, beside=[mine])
    assert other.name == "next"
    (again,) = await jobs.claim([kind], 10)
    assert again.name == "mine", "another runner gets it"


@pytest.mark.parametrize("settle", ["fail", "again", "give_back"])
async def test_who_has_settled_his_work_holds_it_no_more(settle: str, database: Database, tenant_id: str) -> None:
    """A renewal that was on its way when the work was settled would put it off, or bring it back."""
    jobs, kind = Jobs(database), f"kind of {tenant_id}"
    await jobs.enqueue(tenant_id, kind, "name")
    (job,) = await jobs.claim([kind], 1)
    if settle == "fail":
        assert await jobs.fail(job, "no answer")
    elif settle == "again":
        assert await jobs.again(job, 3_600.0)
    else:
        assert await jobs.give_back(job)
    assert await jobs.renew([job]) == 0


async def test_a_failed_job_is_tried_again_after_a_while(database: Database, tenant_id: str) -> None:
    jobs, kind = Jobs(database), f"kind of {tenant_id}"
    await jobs.enqueue(tenant_id, kind, "name")
    (job,) = await jobs.claim([kind], 1)
    before = await database.value(CLOCK)
    assert await jobs.fail(job, "no answer")
    due, after = await database.value(DUE_AT, kind=kind), await database.value(CLOCK)
    assert before < due - timedelta(seconds=1) < after
