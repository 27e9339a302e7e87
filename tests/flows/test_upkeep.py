"""The upkeep of the store as recurring jobs: each bounded, each in one place at a time, with its time moved."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from actors.callback_secrets import CallbackSecrets
from actors.callbacks import CallbackDesk
from actors.clocks import RandomIds, SystemClock
from actors.files import StoredFiles
from actors.jobs import JobRunner
from actors.projects import put_project
from actors.upkeep import EVERYWHERE, Retention, Upkeep
from domain.audit import SYSTEM, AuditCategory, AuditEntry, Resource
from domain.clock import FixedClock
from storage.blobs.database import DatabaseBlobs
from storage.partitions import WEEK, WEEKS_AHEAD, ensure_partitions, week_of
from storage.repositories.audit import AuditLog
from storage.repositories.jobs import Job, Jobs
from storage.repositories.memory import Memory, MemoryValue
from storage.repositories.sessions import Sessions
from storage.vault import Vault
from tests.support.echo import an_echo
from tests.support.stories import Story, a_story, eventually

ECHO = an_echo("heard")
WEEKS = """
    SELECT child.relname AS name FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = CAST(:parent AS text)::regclass
"""
SHORT = ECHO.replace('GOAL: "Say it again"\n', 'GOAL: "Say it again"\n\nEXECUTION:\n  session_idle_timeout: 60000\n')


def upkeep_of(told: Story, clock: FixedClock | SystemClock, **kept: float) -> Upkeep:
    files = StoredFiles(told.running.database, DatabaseBlobs(told.running.database), RandomIds())
    return Upkeep(told.running.database, clock, told.running.runtime.ask, Retention(**kept), files)


def a_job(kind: str) -> Job:
    return Job(EVERYWHERE, f"upkeep.{kind}", f"upkeep.{kind}", {}, 1, 1)


async def count(told: Story, table: str) -> int:
    rows = await told.rows(f"SELECT count(*) AS found FROM {table} WHERE :all", all=True)
    return int(rows[0]["found"])


def test_every_chore_is_one_job_that_comes_again(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:

            async def all_have_run() -> bool:
                moved = await told.rows(
                    "SELECT kind FROM jobs WHERE kind LIKE 'upkeep.%' AND due_at > created_at AND :x", x=True
                )
                return {row["kind"] for row in moved} >= set(upkeep_of(told, SystemClock()).kinds)

            await eventually(all_have_run)

    asyncio.run(story())


def test_two_runners_never_do_the_same_chore_at_the_same_time(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            under_way = most = done = 0

            class Slow:
                kinds = ("upkeep.slow",)

                async def schedule(self, jobs: Jobs) -> None:
                    await jobs.enqueue(EVERYWHERE, "upkeep.slow", "upkeep.slow")

                async def carry_out(self, job: Job) -> float:
                    nonlocal under_way, most, done
                    under_way += 1
                    most = max(most, under_way)
                    await asyncio.sleep(0.05)
                    under_way -= 1
                    done += 1
                    return 0.0

            database = told.running.database
            desk = CallbackDesk(
                database, SystemClock(), CallbackSecrets(Vault(database, None)), public_url="", ttl_s=1.0
            )
            runners = [JobRunner(Jobs(database), desk, told.running.runtime.ask, Slow()) for _ in range(3)]
            for _ in range(4):
                await asyncio.gather(*(runner.run_due() for runner in runners))
            assert most == 1
            assert 4 <= done <= 12
            await told.run("DELETE FROM jobs WHERE kind = :kind", kind="upkeep.slow")

    asyncio.run(story())


def test_quiet_sessions_are_ended_and_those_in_use_are_not(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            quiet = (await told.say("one")).session_id
            busy = (await told.say("two")).session_id
            back = "UPDATE sessions SET last_activity_at = now() - interval '31 minutes' WHERE session_id = :session"
            await told.run(back, session=quiet)
            upkeep = upkeep_of(told, SystemClock())
            assert await upkeep.carry_out(a_job("idle")) == 60.0
            rows = await told.rows("SELECT session_id, status, end_reason FROM sessions WHERE :all", all=True)
            found = {row["session_id"]: (row["status"], row["end_reason"]) for row in rows}
            assert found[quiet] == ("ended", "idle_timeout")
            assert found[busy] == ("active", "")

    asyncio.run(story())


def test_a_quiet_session_that_nobody_can_read_is_ended_too(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "lost", {"a.abl": ECHO}) as told:
            seeded = await put_project(told.running.database, "lost", {"a.abl": ECHO}, tenant_id="ten_lost")
            session = (await Story(told.running, "ten_lost", seeded.project_id).say("one")).session_id
            await told.run("DELETE FROM tenant_keys WHERE tenant_id = :tenant", tenant="ten_lost")
            back = "UPDATE sessions SET last_activity_at = now() - interval '31 minutes' WHERE session_id = :session"
            await told.run(back, session=session)
        async with a_story(data_dir, "lost", {"a.abl": ECHO}) as told:
            await upkeep_of(told, SystemClock()).carry_out(a_job("idle"))
            (row,) = await told.rows("SELECT end_reason FROM sessions WHERE session_id = :session", session=session)
            assert row["end_reason"] == "idle_timeout"
            assert await Sessions(told.running.database).idle_everywhere(1_800.0, 10) == []

    asyncio.run(story())


def test_an_agent_says_how_long_its_sessions_may_be_quiet(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "short", {"a.abl": SHORT}) as told:
            session = (await told.say("one")).session_id
            back = "UPDATE sessions SET last_activity_at = now() - interval '2 minutes' WHERE session_id = :session"
            await told.run(back, session=session)
            await upkeep_of(told, SystemClock()).carry_out(a_job("idle"))
            assert (await told.running.runtime.session(told.ref(session))).end_reason == "idle_timeout"

    asyncio.run(story())


def test_a_session_that_has_spoken_since_it_was_found_quiet_goes_on(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            session = (await told.say("one")).session_id
            back = "UPDATE sessions SET last_activity_at = now() - interval '31 minutes' WHERE session_id = :session"
            await told.run(back, session=session)
            before = FixedClock(datetime.now(UTC) - timedelta(seconds=30))
            await upkeep_of(told, before).carry_out(a_job("idle"))
            assert (await told.running.runtime.session(told.ref(session))).status == "active"

    asyncio.run(story())


def test_what_is_past_its_time_is_removed_piece_by_piece(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            upkeep = upkeep_of(told, SystemClock())
            await told.say("one", idempotency_key="k1")
            await told.say("two", idempotency_key="k2")
            await told.run("UPDATE turns SET at = at - interval '25 hours' WHERE turn = :turn", turn=1)
            before = await count(told, "turns")
            assert before >= 2
            await upkeep.carry_out(a_job("turns"))
            assert await count(told, "turns") == 0
            memory = Memory(told.running.database)
            value = MemoryValue(scope="user", subject="usr_1", path="user.x", value=1, expires_at=datetime.now(UTC))
            lasting = MemoryValue(scope="user", subject="usr_1", path="user.y", value=1)
            await memory.write(told.tenant, told.project, [value, lasting], written_by="effect-1")
            await upkeep.carry_out(a_job("memory"))
            assert await count(told, "memory") == 1
            await told.run("UPDATE memory_effects SET at = at - interval '25 hours' WHERE :all", all=True)
            await upkeep.carry_out(a_job("effects"))
            assert await count(told, "memory_effects") == 0

    asyncio.run(story())


def test_large_facts_go_with_their_weeks(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            await told.run(
                """
                INSERT INTO journal_blobs (tenant_id, blob_hash, written_at, content)
                VALUES (:tenant, 'old', now() - interval '40 days', 'x'), (:tenant, 'new', now(), 'y')
                """,
                tenant=told.tenant,
            )
            await upkeep_of(told, SystemClock(), journal_days=30.0).carry_out(a_job("blobs"))
            rows = await told.rows("SELECT blob_hash FROM journal_blobs WHERE :all", all=True)
            assert [row["blob_hash"] for row in rows] == [b"new"]

    asyncio.run(story())


def test_weeks_past_their_retention_are_dropped_and_the_weeks_to_come_are_there(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}, trace_days=3_000.0, analytics_days=3_000.0) as told:
            await told.say("one")

            async def weeks(parent: str) -> set[datetime]:
                rows = await told.rows(WEEKS, parent=parent)
                return {datetime.strptime(row["name"][-8:], "%Y%m%d").replace(tzinfo=UTC) for row in rows}

            now = datetime.now(UTC)
            upkeep = upkeep_of(told, FixedClock(now), trace_days=30.0, journal_days=365.0)
            await upkeep.carry_out(a_job("partitions"))
            to_come = {week_of(now) + number * WEEK for number in range(1, WEEKS_AHEAD + 1)}
            assert await weeks("traces") & await weeks("journal") >= to_come
            await ensure_partitions(told.running.database, since=now - timedelta(days=60))
            assert week_of(now - timedelta(days=60)) in await weeks("traces") & await weeks("journal")
            await upkeep.carry_out(a_job("weeks"))
            assert min(await weeks("traces")) == week_of(now - timedelta(days=30))
            assert await weeks("traces") >= to_come
            assert week_of(now - timedelta(days=60)) in await weeks("journal")

    asyncio.run(story())


def test_a_project_may_keep_its_traces_shorter_than_the_installation(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "short-traces", {"a.abl": ECHO}) as told:
            await told.say("one")
            upkeep = upkeep_of(told, SystemClock())
            await ensure_partitions(told.running.database, since=datetime.now(UTC) - timedelta(days=8))
            await told.run("UPDATE traces SET at = at - interval '8 days' WHERE :all", all=True)
            await told.run("UPDATE sessions SET created_at = created_at - interval '8 days' WHERE :all", all=True)
            kept = await count(told, "traces")
            assert kept
            await upkeep.carry_out(a_job("traces"))
            assert await count(told, "traces") == kept
            await told.run(
                "UPDATE projects SET settings = settings || '{\"traceRetentionDays\": 7}' WHERE project_id = :project",
                project=told.project,
            )
            await upkeep.carry_out(a_job("traces"))
            assert await count(told, "traces") < kept
            assert (await told.lines((await told.say("two")).session_id))[-1] == ("assistant", "heard two")

    asyncio.run(story())


def test_entries_of_the_audit_log_go_when_their_year_is_over(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "echo", {"a.abl": ECHO}) as told:
            database = told.running.database
            entry = AuditEntry(by=SYSTEM, action="a.b", category=AuditCategory.SYSTEM, resource=Resource("a", "1"))
            for days, left in ((364, 1), (366, 0)):
                long_ago = FixedClock(datetime.now(UTC) - timedelta(days=days))
                await AuditLog(database, long_ago, RandomIds()).note(f"ten_{days}", entry)
                await upkeep_of(told, SystemClock()).carry_out(a_job("audit"))
                rows = await told.rows("SELECT number FROM audit_log WHERE tenant_id = :tenant", tenant=f"ten_{days}")
                assert len(rows) == left

    asyncio.run(story())
