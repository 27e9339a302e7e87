"""Work whose runner was killed in the middle of it is done by another one within seconds, and settled once."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator

import pytest

from actors.jobs import JobRunner
from actors.messages import Done, HostAnswer, HostMessage
from actors.stored_sessions import TIMER_JOB, WORK_JOB
from storage.database import Database
from storage.repositories.jobs import Jobs
from tests.support.servers import Servers, servers, start_program, until
from tests.unit.actors.test_jobs import GIVEN_OUT_WITHIN_S, Desk, a_timer, some_work

__all__ = ["servers"]

RUNNER = """
import asyncio, sys
from actors.jobs import JobRunner
from storage.database import Database
from storage.repositories.jobs import Jobs

async def run():
    database = await Database.open(sys.argv[1])
    async def stands_still(message):
        print(type(message).__name__, flush=True)
        await asyncio.Event().wait()
    runner = JobRunner(Jobs(database), None, stands_still)
    runner.start()
    await asyncio.Event().wait()

asyncio.run(run())
"""


@pytest.fixture
def doomed(servers: Servers) -> Iterator[subprocess.Popen[str]]:
    with start_program(RUNNER, servers.database_url) as program:
        yield program
        program.kill()


def test_work_of_a_runner_that_was_killed_is_done_by_another_one(
    servers: Servers, doomed: subprocess.Popen[str]
) -> None:
    asked: list[str] = []

    async def answers(message: HostMessage) -> HostAnswer:
        asked.append(type(message).__name__)
        return Done()

    async def story() -> None:
        database = await Database.open(servers.database_url)
        jobs = Jobs(database)
        for job in (a_timer("t"), some_work("child")):
            assert await jobs.enqueue(job.tenant_id, job.kind, job.name, job.payload)
        assert doomed.stdout is not None
        begun = [await asyncio.to_thread(doomed.stdout.readline) for _ in range(2)]
        assert sorted(begun) == ["DelegateTask\n", "TimerDue\n"]
        doomed.kill()
        await asyncio.to_thread(doomed.wait)
        runs_for_s = await jobs.next_due_s([TIMER_JOB, WORK_JOB])
        assert runs_for_s is not None
        assert runs_for_s < GIVEN_OUT_WITHIN_S, "by the clock of the database: nobody else gets it before"
        runner = JobRunner(jobs, Desk(), answers)  # type: ignore[arg-type]
        runner.start()

        async def nothing_is_left() -> bool:
            return await jobs.next_due_s([TIMER_JOB, WORK_JOB]) is None

        try:
            await until(nothing_is_left)
        finally:
            await runner.stop()
            await database.close()

    asyncio.run(story())
    assert sorted(asked) == ["DelegateTask", "SuspensionDue", "TimerDue"], "once each; the child's parent is told"
