"""A clock that leaps costs nothing that is kept. Spec: platform-api 3.1, 15. Decision: 0048."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from actors.clocks import SystemClock
from actors.jobs import JobRunner
from actors.messages import Done, HostAnswer, HostMessage
from actors.session.stream import never_shown
from actors.stored_sessions import TIMER_JOB
from actors.upkeep import EVERYWHERE, Retention, Upkeep
from actors.wiring import _callback_desk
from domain.clock import Clock, FixedClock
from storage.leases import Leases
from storage.partitions import PARTITIONED, ensure_partitions
from storage.repositories.jobs import Job, Jobs
from storage.steadiness import Steadiness
from tests.flows.test_urgent import at_work, begun
from tests.flows.test_waiting import COURIER, said, signed
from tests.support.echo import an_echo
from tests.support.stories import Story, a_story, a_workshop

ECHO = an_echo("heard")
KEPT = {"session_idle_s": 1e8, "trace_days": 3_000.0, "journal_days": 3_000.0, "analytics_days": 3_000.0}
"""What the runtime's own upkeep goes by, so that it ends nothing of what a test lets its own one look at."""
A_LEAP_S = 400 * 86_400.0
WEEKS = "SELECT count(*) AS found FROM pg_inherits WHERE inhparent = CAST(:parent AS text)::regclass"
LONG_QUIET = "UPDATE sessions SET last_activity_at = now() - interval '31 minutes' WHERE session_id = :session"


class Passing:
    """Seconds as they pass for a process; a test leaps the other clock by setting these back."""

    def __init__(self) -> None:
        self.back_s = 0.0

    def __call__(self) -> float:
        return asyncio.get_running_loop().time() - self.back_s


def upkeep_of(told: Story, clock: Clock, passing: Passing | None = None) -> Upkeep:
    steadiness = Steadiness(told.running.database, passing) if passing else None
    kept = Retention(trace_days=30.0, journal_days=30.0)
    return Upkeep(told.running.database, clock, told.running.runtime.ask, kept, steadiness=steadiness)


async def do(upkeep: Upkeep, kind: str) -> float:
    return await upkeep.carry_out(Job(EVERYWHERE, f"upkeep.{kind}", f"upkeep.{kind}", {}, 1, 1))


async def weeks(told: Story) -> list[int]:
    return [int((await told.rows(WEEKS, parent=parent))[0]["found"]) for parent in PARTITIONED]


async def status(told: Story, session: str) -> str:
    return (await told.running.runtime.session(told.ref(session))).status


@pytest.fixture
def quiet_log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.WARNING):
        yield caplog


async def nothing_is_lost(told: Story, upkeep: Upkeep, session: str) -> None:
    """See that neither weeks nor sessions end."""
    before = await weeks(told)
    for kind in ("weeks", "blobs", "idle", "turns", "memory", "audit"):
        assert 0.0 < await do(upkeep, kind) <= 60.0
    assert await weeks(told) == before
    assert await status(told, session) == "active"


def test_the_clock_of_the_runtime_leaps(data_dir: str, quiet_log: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, **KEPT) as told:
            session = (await told.say("one")).session_id
            await told.run(LONG_QUIET, session=session)
            await ensure_partitions(told.running.database, since=datetime.now(UTC) - timedelta(days=60))
            leapt = FixedClock(datetime.now(UTC) + timedelta(seconds=A_LEAP_S))
            await nothing_is_lost(told, upkeep_of(told, leapt), session)
            assert "s apart (at most 60); set both right" in quiet_log.text
            assert (await told.say("two", session)).response == "heard two"
            await told.run(LONG_QUIET, session=session)
            before, right = await weeks(told), upkeep_of(told, SystemClock())
            assert await do(right, "idle") == 60.0
            assert await status(told, session) == "ended"
            await do(right, "weeks")
            assert (await weeks(told))[0] < before[0]

    asyncio.run(story())


def test_the_clock_of_the_database_leaps(data_dir: str, quiet_log: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, **KEPT) as told:
            session = (await told.say("one")).session_id
            await told.run(LONG_QUIET, session=session)
            await ensure_partitions(told.running.database, since=datetime.now(UTC) - timedelta(days=60))
            passing = Passing()
            upkeep = upkeep_of(told, SystemClock(), passing)
            await do(upkeep, "partitions")
            await upkeep.believes_the_clock()
            passing.back_s = A_LEAP_S
            await nothing_is_lost(told, upkeep, session)
            assert "the clock has leapt or stood unseen for long" in quiet_log.text
            await nothing_is_lost(told, upkeep_of(told, SystemClock()), session)  # another process knows it too
            await told.run("UPDATE clock_looks SET steady_since = now() - interval '20 minutes' WHERE :all", all=True)
            before = await weeks(told)
            await do(upkeep, "weeks")
            assert await weeks(told) == before, "weeks wait for a day"
            await do(upkeep, "idle")
            assert await status(told, session) == "ended"
            await told.run("UPDATE clock_looks SET steady_since = now() - interval '25 hours' WHERE :all", all=True)
            await do(upkeep, "weeks")
            assert (await weeks(told))[0] < before[0]

    asyncio.run(story())


@pytest.mark.parametrize("seen", ["now() - interval '5 days'", "now() + interval '400 days'"])
def test_nobody_saw_the_clock_leap(data_dir: str, seen: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, **KEPT) as told:
            session = (await told.say("one")).session_id
            await told.run(LONG_QUIET, session=session)
            await told.run(f"UPDATE clock_looks SET seen_at = {seen}, steady_since = 'epoch' WHERE :all", all=True)
            await nothing_is_lost(told, upkeep_of(told, SystemClock()), session)
            await told.run("UPDATE clock_looks SET steady_since = 'epoch' WHERE :all", all=True)

    asyncio.run(story())


def test_a_week_that_is_missing_is_made_when_a_row_needs_it(data_dir: str, quiet_log: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, **KEPT) as told:
            session = (await told.say("one")).session_id
            for parent in PARTITIONED:
                names = (
                    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = (:p::text)::regclass"
                )
                for row in await told.rows(names, p=parent):
                    async with told.running.database.connection() as connection:
                        await connection.script(f"DROP TABLE {row['name']}")
            assert (await told.say("two", session)).response == "heard two"
            assert "there was no partition for rows of" in quiet_log.text
            assert await told.lines(session) == [
                ("user", "one"),
                ("assistant", "heard one"),
                ("user", "two"),
                ("assistant", "heard two"),
            ]
            assert all(found >= 1 for found in (await weeks(told))[:2])
            await do(upkeep_of(told, SystemClock()), "analytics")
            await ensure_partitions(told.running.database)

    asyncio.run(story())


def test_work_that_a_leapt_clock_put_off_is_done_in_time(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, **KEPT) as told:
            database = told.running.database
            jobs, upkeep = Jobs(database), upkeep_of(told, SystemClock())
            asked: list[HostMessage] = []

            async def ask(message: HostMessage) -> HostAnswer:
                asked.append(message)
                return Done()

            runner = JobRunner(jobs, _callback_desk(told.running.settings, database), ask, upkeep)
            await jobs.enqueue("t", "later", "asked for in the future", delay_s=100)
            await jobs.enqueue("t", "later", "tried in the future")
            await jobs.enqueue("t", "later", "far off, as it was asked for", delay_s=500 * 86_400)
            leap = "due_at = due_at + interval '400 days'"
            await told.run(f"UPDATE jobs SET {leap} WHERE kind = :kind", kind="upkeep.idle")
            at = "WHERE kind = 'later' AND name = :name"
            await told.run(
                f"UPDATE jobs SET {leap}, created_at = created_at + interval '400 days' {at}",
                name="asked for in the future",
            )
            await told.run(f"UPDATE jobs SET {leap}, attempts = 1 {at}", name="tried in the future")
            await runner.run_due()
            rows = await told.rows(
                "SELECT name, extract(epoch FROM due_at - clock_timestamp())::float8 AS in_s FROM jobs "
                "WHERE kind IN ('later', 'upkeep.idle') AND :all",
                all=True,
            )
            due = {row["name"]: row["in_s"] for row in rows}
            assert due["upkeep.idle"] <= 60.0
            assert 0.0 < due["asked for in the future"] <= 100.0
            assert due["tried in the future"] <= 0.0
            assert due["far off, as it was asked for"] > 499 * 86_400
            await told.run("DELETE FROM jobs WHERE kind = :kind", kind="later")

    asyncio.run(story())


def test_a_timer_waits_while_the_clock_is_not_believed(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, **KEPT) as told:
            database = told.running.database
            leapt = upkeep_of(told, FixedClock(datetime.now(UTC) + timedelta(seconds=A_LEAP_S)))
            asked: list[HostMessage] = []

            async def ask(message: HostMessage) -> HostAnswer:
                asked.append(message)
                return Done()

            runner = JobRunner(Jobs(database), _callback_desk(told.running.settings, database), ask, leapt)
            job = Job("t", TIMER_JOB, "x", {"session_id": "s", "runtime_session_id": "r", "effect_id": "e"}, 1, 1)
            assert await runner._outcome(job) == 60.0
            assert not asked
            right = JobRunner(
                Jobs(database),
                _callback_desk(told.running.settings, database),
                ask,
                upkeep_of(told, SystemClock()),
            )
            await right._outcome(job)
            assert len(asked) == 1

    asyncio.run(story())


def test_a_lease_that_a_leapt_clock_gave_has_run_out(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, **KEPT) as told:
            leases = Leases(told.running.database)
            epoch = await leases.register_host("dead", "unix:dead")
            assert epoch in {host.epoch for host in await leases.hosts()}
            await told.run(
                "UPDATE hosts SET expires_at = expires_at + interval '400 days' WHERE epoch = :epoch", epoch=epoch
            )
            assert epoch not in {host.epoch for host in await leases.hosts()}

    asyncio.run(story())


@pytest.mark.parametrize("leap_s", [A_LEAP_S, -A_LEAP_S])
def test_a_clock_that_leaps_within_a_turn_costs_neither_the_turn_nor_the_end_of_its_session(
    data_dir: str, monkeypatch: pytest.MonkeyPatch, leap_s: float
) -> None:
    async def story() -> None:
        true_now, ahead_s, name = SystemClock.now, 0.0, f"leaper-{leap_s > 0}"
        monkeypatch.setattr(SystemClock, "now", lambda clock: true_now(clock) + timedelta(seconds=ahead_s))
        async with a_workshop(takes_s=1.0) as workshop, a_story(data_dir, name, at_work(workshop), **KEPT) as told:
            working = asyncio.create_task(told.say("work", idempotency_key="k1"))
            await begun(workshop)
            ahead_s = leap_s
            reply = await working
            assert "done" in reply.response
            assert (await told.say("work", idempotency_key="k1")).response == reply.response
            assert len(workshop.keys) == 1, "it was run once"
            other = (await told.say("hello")).session_id
            await do(upkeep_of(told, SystemClock()), "idle")
            for session in (reply.session_id, other):
                assert await status(told, session) == "active", "nothing has been quiet for long: a clock has leapt"
            ahead_s = 0.0
            for session in (reply.session_id, other):  # the other one has begun by a clock that was wrong
                assert "heard hello" in (await told.say("hello", session)).response
                await told.running.runtime.end_session(told.ref(session))
                assert await status(told, session) == "ended"

    asyncio.run(story())


@pytest.mark.parametrize("leap_s", [A_LEAP_S, -A_LEAP_S])
@pytest.mark.parametrize("when", ["issued", "delivered"])
def test_a_callback_is_open_for_as_long_as_the_clock_of_the_database_says(
    data_dir: str, monkeypatch: pytest.MonkeyPatch, leap_s: float, when: str
) -> None:
    async def story() -> None:
        true_now, ahead_s, name = SystemClock.now, 0.0, f"waiter-{when}-{leap_s > 0}"
        monkeypatch.setattr(SystemClock, "now", lambda clock: true_now(clock) + timedelta(seconds=ahead_s))
        async with a_workshop() as workshop:
            text = {"a.abl": COURIER.format(url=workshop.url)}
            async with a_story(data_dir, name, text, **KEPT) as told:
                ahead_s = leap_s if when == "issued" else 0.0
                session = (await told.say("wait")).session_id
                ahead_s = leap_s if when == "delivered" else 0.0
                head = workshop.headers[-1]
                answer = signed(head["X-ABL-Callback-Secret"], head["X-ABL-Callback-Id"], {"number": "P-1"})
                assert await told.running.runtime.deliver_callback(answer) == "accepted"
                await said(told, session, "it has the number P-1")

    asyncio.run(story())


def test_numbers_of_the_output_go_by_the_clock_that_all_hosts_share(
    data_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with a_story(data_dir, "numbers", {"a.abl": ECHO}, **KEPT) as told:
            session = (await told.say("one")).session_id
        true_now = SystemClock.now
        monkeypatch.setattr(SystemClock, "now", lambda clock: true_now(clock) + timedelta(seconds=A_LEAP_S))
        async with a_story(data_dir, "numbers", {"a.abl": ECHO}, **KEPT) as told:
            taken = "UPDATE session_heads SET owner_epoch = 0 WHERE session_key = session_key(:tenant, :session)"
            assert await told.run(taken, tenant=told.tenant, session=session)
            reply = await told.say("two", session)
            before, after = (never_shown(datetime.now(UTC) + timedelta(days=days)) for days in (-1, 1))
            assert before < reply.first_seq < reply.last_seq < after, "a page that has seen it waits for higher ones"

    asyncio.run(story())
