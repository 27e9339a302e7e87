"""The runner of durable work: nothing holds up anything else, and nothing ends it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import msgspec
import pytest

import actors.jobs
from actors.jobs import AT_ONCE, JobRunner
from actors.messages import DelegateTask, Done, Failed, HostAnswer, HostMessage, TimerDue
from actors.stored_sessions import TIMER_JOB, WORK_JOB
from domain.errors import Overloaded, Unavailable
from domain.json_values import JsonObject
from storage.repositories.jobs import CLAIM_S, Job
from tests.support.until import until


@dataclass
class JobList:
    """Jobs in a list. Satisfies what the runner needs of `Jobs`; `fails` is raised by the next claims."""

    waiting: list[Job] = field(default_factory=list)
    ended: list[tuple[str, str]] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    fails: list[Exception] = field(default_factory=list)

    async def claim(self, kinds: Sequence[str], limit: int, *, beside: Sequence[Job] = ()) -> list[Job]:
        if self.fails:
            raise self.fails.pop()
        due = [job for job in self.waiting if job.kind in kinds][:limit]
        self.waiting = [job for job in self.waiting if job not in due]
        return due

    async def finish(self, job: Job) -> bool:
        self.ended.append((job.name, "done"))
        return True

    async def fail(self, job: Job, error: str) -> bool:
        self.ended.append((job.name, error))
        return True

    async def again(self, job: Job, delay_s: float) -> bool:
        self.ended.append((job.name, f"again in {delay_s:g} s"))
        return True

    async def give_back(self, job: Job) -> bool:
        self.ended.append((job.name, "given back"))
        return True

    async def renew(self, held: Sequence[Job]) -> int:
        self.renewed.extend(job.name for job in held)
        return len(held)


GIVEN_OUT_WITHIN_S = 15.0
"""How long after the death of its runner work may wait, at the most."""
HELD_S = GIVEN_OUT_WITHIN_S / 2


def a_timer(name: str) -> Job:
    payload: JsonObject = {"session_id": name, "runtime_session_id": "c1", "effect_id": "1.1"}
    return Job("ten_a", TIMER_JOB, name, payload, 1, 1)


def some_work(name: str) -> Job:
    work = {
        "tenant_id": "ten_a",
        "project_id": "p",
        "parent_session_id": "sess_1",
        "session_id": name,
        "agent": "A",
        "task": "t",
        "context": {},
        "effect_key": "k",
    }
    return Job("ten_a", WORK_JOB, name, {"session_id": name, "callback_id": "cb_1", "work": work}, 1, 1)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actors.jobs, "LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(actors.jobs, "HOLD_EVERY_S", 0.0)


def with_runner(
    jobs: JobList, ask: Callable[[HostMessage], Awaitable[HostAnswer]], story: Callable[[], Awaitable[None]]
) -> None:
    async def run() -> None:
        runner = JobRunner(jobs, None, ask)  # type: ignore[arg-type]
        runner.start()
        try:
            await story()
        finally:
            await runner.stop()

    asyncio.run(run())


def test_slow_work_holds_up_no_other_and_keeps_its_claim() -> None:
    jobs = JobList([some_work(f"child-{number}") for number in range(AT_ONCE + 1)])
    never = asyncio.Event

    async def ask(message: HostMessage) -> HostAnswer:
        if isinstance(message, DelegateTask):
            await never().wait()
        return Done()

    async def story() -> None:
        await until(lambda: "child-0" in jobs.renewed)
        jobs.waiting.extend(a_timer(f"timer-{number}") for number in range(3 * AT_ONCE))
        await until(lambda: len(jobs.ended) == 3 * AT_ONCE)
        assert [job.kind for job in jobs.waiting] == [WORK_JOB]

    with_runner(jobs, ask, story)
    assert {how for name, how in jobs.ended if name.startswith("timer")} == {"done"}


def test_one_slow_piece_holds_up_no_other_of_its_kind() -> None:
    jobs = JobList([a_timer("slow"), a_timer("first")])

    async def ask(message: HostMessage) -> HostAnswer:
        if isinstance(message, TimerDue) and message.session_id == "slow":
            await asyncio.Event().wait()
        return Done()

    async def story() -> None:
        await until(lambda: ("first", "done") in jobs.ended)
        jobs.waiting.append(a_timer("second"))
        await until(lambda: ("second", "done") in jobs.ended)

    with_runner(jobs, ask, story)
    assert ("slow", "done") not in jobs.ended


class Sweeping:
    """Recurring work that is never through. Satisfies `actors.jobs.Recurring`."""

    kinds = ("sweep",)

    def __init__(self) -> None:
        self.began = asyncio.Event()

    async def schedule(self, jobs: object) -> None:
        """It is there already."""

    async def carry_out(self, job: Job) -> float:
        self.began.set()
        await asyncio.Event().wait()
        return 1.0

    async def believes_the_clock(self) -> bool:
        return True


def test_work_that_is_broken_off_may_go_on_elsewhere_at_once() -> None:
    jobs = JobList([Job("", "sweep", "all", {}, 1, 1), a_timer("slow"), some_work("child")])

    async def ask(message: HostMessage) -> HostAnswer:
        await asyncio.Event().wait()
        return Done()

    async def run() -> None:
        sweeping = Sweeping()
        runner = JobRunner(jobs, None, ask, sweeping)  # type: ignore[arg-type]
        runner.start()
        await asyncio.wait_for(sweeping.began.wait(), 5)
        await runner.stop()

    asyncio.run(run())
    assert sorted(jobs.ended) == [("all", "given back"), ("child", "given back"), ("slow", "given back")]


class SlowList(JobList):
    """Jobs whose claim is on its way when the runner is told to stop."""

    claiming: asyncio.Event
    stopping: asyncio.Event

    async def claim(self, kinds: Sequence[str], limit: int, *, beside: Sequence[Job] = ()) -> list[Job]:
        due = await super().claim(kinds, limit, beside=beside)
        if due:
            self.claiming.set()
            await self.stopping.wait()
        return due


def test_work_that_was_being_claimed_when_the_runner_stopped_may_go_on_elsewhere_at_once() -> None:
    async def ask(message: HostMessage) -> HostAnswer:
        await asyncio.Event().wait()
        return Done()

    async def run() -> JobList:
        jobs = SlowList([a_timer("late")])
        jobs.claiming, jobs.stopping = asyncio.Event(), asyncio.Event()
        runner = JobRunner(jobs, None, ask)  # type: ignore[arg-type]
        runner.start()
        await asyncio.wait_for(jobs.claiming.wait(), 5)
        stopped = asyncio.create_task(runner.stop())
        await asyncio.sleep(0)
        jobs.stopping.set()
        await stopped
        return jobs

    assert asyncio.run(run()).ended == [("late", "given back")]


class TimedList(JobList):
    """Jobs whose claims run out by a clock that is moved by hand. Satisfies what runners need of `Jobs`."""

    def __init__(self, *jobs: Job) -> None:
        super().__init__()
        self.now_s = 0.0
        self.rows = {job.name: [job, 0.0] for job in jobs}

    async def claim(self, kinds: Sequence[str], limit: int, *, beside: Sequence[Job] = ()) -> list[Job]:
        names = {job.name for job in beside}
        due = [
            name
            for name, (job, due_s) in self.rows.items()
            if job.kind in kinds and due_s <= self.now_s and name not in names
        ][:limit]
        for name in due:
            job = self.rows[name][0]
            again = msgspec.structs.replace(job, claim=job.claim + 1, attempts=job.attempts + 1)
            self.rows[name] = [again, self.now_s + CLAIM_S]
        return [self.rows[name][0] for name in due]

    async def renew(self, held: Sequence[Job]) -> int:
        mine = [job for job in held if job.name in self.rows and self.rows[job.name][0].claim == job.claim]
        for job in mine:
            self.rows[job.name][1] = self.now_s + CLAIM_S
        return len(mine)

    async def finish(self, job: Job) -> bool:
        if job.name not in self.rows or self.rows[job.name][0].claim != job.claim:
            return False
        del self.rows[job.name]
        return await super().finish(job)


def test_work_of_a_runner_that_was_killed_is_done_elsewhere_within_seconds_and_settled_once() -> None:
    """A runner that was killed holds nothing any more; the one that froze, and wakes, settles nothing."""

    async def run() -> None:
        jobs, woken, begun = TimedList(a_timer("t"), some_work("child")), asyncio.Event(), asyncio.Event()

        async def stands_still(message: HostMessage) -> HostAnswer:
            begun.set()
            await woken.wait()
            return Done()

        async def answers(message: HostMessage) -> HostAnswer:
            return Done()

        killed = JobRunner(jobs, Desk(), stands_still)  # type: ignore[arg-type]
        other = JobRunner(jobs, Desk(), answers)  # type: ignore[arg-type]
        under_way = asyncio.create_task(killed.run_due())
        await asyncio.wait_for(begun.wait(), 5)
        for _ in range(10):  # for as long as it lives nobody else gets its work, however long that takes
            jobs.now_s += HELD_S
            await killed.hold()
            assert await other.run_due() == 0
        jobs.now_s += GIVEN_OUT_WITHIN_S  # it was killed: it holds no more
        assert await other.run_due() == 2
        assert jobs.ended == [("t", "done"), ("child", "done")]
        woken.set()
        await under_way
        assert jobs.ended == [("t", "done"), ("child", "done")]

    asyncio.run(run())


def test_a_runner_that_was_late_to_hold_its_work_does_not_begin_it_a_second_time() -> None:
    async def run() -> None:
        jobs, asked = TimedList(a_timer("t"), some_work("child")), []

        async def stands_still(message: HostMessage) -> HostAnswer:
            asked.append(message)
            await asyncio.Event().wait()
            return Done()

        runner = JobRunner(jobs, Desk(), stands_still)  # type: ignore[arg-type]
        runner.start()
        await until(lambda: len(asked) == 2)
        jobs.now_s += 10 * CLAIM_S
        jobs.rows["sign"] = [a_timer("sign"), jobs.now_s]
        await until(lambda: any(one.session_id == "sign" for one in asked))
        await runner.stop()
        assert [one.session_id for one in asked] == ["t", "child", "sign"]

    asyncio.run(run())


def test_nothing_that_a_claim_meets_ends_the_runner() -> None:
    jobs = JobList(
        [a_timer("t")], fails=[Unavailable("away"), Overloaded("full", retry_after_ms=1), RuntimeError("a fault")]
    )

    async def ask(message: HostMessage) -> HostAnswer:
        return Done()

    async def story() -> None:
        await until(lambda: jobs.ended == [("t", "done")])

    with_runner(jobs, ask, story)


def test_a_fault_and_a_refusal_are_given_back_and_an_unknown_session_is_done_with() -> None:
    jobs = JobList([a_timer("fault"), a_timer("refused"), a_timer("unknown")])

    async def ask(message: HostMessage) -> HostAnswer:
        assert isinstance(message, TimerDue)
        match message.session_id:
            case "fault":
                raise RuntimeError("a fault")
            case "refused":
                return Failed(kind="Unavailable", message="later")
        return Failed(kind="NotFound", message="Session not found")

    async def story() -> None:
        await until(lambda: len(jobs.ended) == 3)

    with_runner(jobs, ask, story)
    assert sorted(jobs.ended) == [("fault", "RuntimeError: a fault"), ("refused", "later"), ("unknown", "done")]


@dataclass
class Desk:
    """What the runner needs of `CallbackDesk`."""

    answers: list[JsonObject] = field(default_factory=list)
    expired: list[str] = field(default_factory=list)

    async def answer(self, tenant_id: str, callback_id: str, session_id: str, payload: JsonObject) -> None:
        self.answers.append(payload)

    async def expire(self, tenant_id: str, callback_id: str) -> bool:
        self.expired.append(callback_id)
        return True


def remote_work(protocol: str, attempts: int) -> Job:
    job = some_work("child")
    work = {**job.payload["work"], "remote": {"endpoint": "https://agents.example", "protocol": protocol}}
    return Job(job.tenant_id, job.kind, job.name, {**job.payload, "work": work}, attempts, 1)


UNTAKEN = Failed(kind="unavailable", message="it took nothing")
LOST = Failed(kind="outcome_unknown", message="cut off")


@pytest.mark.parametrize(
    ("protocol", "attempts", "answer", "asked", "ended"),
    [
        ("a2a", 1, LOST, 1, "done"),
        ("a2a", 1, UNTAKEN, 1, "done"),
        ("a2a", 2, UNTAKEN, 0, "done"),
        ("rest", 2, LOST, 1, "done"),
        ("rest", 2, UNTAKEN, 1, "it took nothing"),
    ],
)
def test_work_for_an_agent_elsewhere_is_begun_again_only_where_that_is_known_as_a_repetition(
    protocol: str, attempts: int, answer: HostAnswer, asked: int, ended: str
) -> None:
    jobs, desk, delivered, told = JobList([remote_work(protocol, attempts)]), Desk(), [], []

    async def deliver(work: DelegateTask) -> HostAnswer:
        delivered.append(work)
        return answer

    async def ask(message: HostMessage) -> HostAnswer:
        told.append(type(message).__name__)
        return Done()

    async def story() -> None:
        runner = JobRunner(jobs, desk, ask, deliver=deliver)  # type: ignore[arg-type]
        assert await runner.run_due() == 1

    asyncio.run(story())
    assert (len(delivered), jobs.ended) == (asked, [("child", ended)])
    assert (desk.expired, told) == ((["cb_1"], ["SuspensionDue"]) if ended == "done" else ([], []))
