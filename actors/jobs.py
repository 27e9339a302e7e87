"""Durable work that is due: sessions whose callback, person or timer has come, and the upkeep of the store.

Claimed with SKIP LOCKED, so that each piece is done in one place at a time wherever runners are. A runner that stops
gives back at once what it has not finished. One that was killed says no more that it has its work, which is given out
again within `CLAIM_S`. A runner whose session host does not answer tries again later. Decision: 0072.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence, Set
from time import monotonic
from typing import Protocol

import msgspec

from actors.callbacks import EXPIRE_JOB, CallbackDesk
from actors.looping import again_and_again
from actors.messages import (
    CallbackReady,
    DelegateTask,
    Failed,
    HostAnswer,
    Replied,
    SuspensionDue,
    TaskClosed,
    TimerDue,
)
from actors.session.children import PASSING
from actors.session.delivery import UNAVAILABLE, AskHost, may_be_asked_again
from actors.session.replies import refusal
from actors.stored_sessions import TIMER_JOB
from domain.errors import AppError
from domain.limits import TURN_DEADLINE_S
from engine.changing import UNKNOWN
from storage.repositories.callbacks import RESUME_JOB, WORK_JOB
from storage.repositories.human_tasks import RESUME_JOB as TASK_JOB
from storage.repositories.jobs import CLAIM_S, Job, Jobs

log = logging.getLogger(__name__)

BY_TIME = frozenset({EXPIRE_JOB, TIMER_JOB})
"""Work that is there because time has passed: it waits while the clock is not believed."""
KINDS = (RESUME_JOB, EXPIRE_JOB, TASK_JOB, TIMER_JOB, WORK_JOB)
DONE = frozenset({"completed", "idle"})
"""How a child's turn ends that has done its work."""
AT_ONCE = 32
"""Pieces of work under way, of those that are short and of those that last."""
LOOK_EVERY_S = 1.0
ASK_EVERY_S = 60.0
"""How often recurring work is asked for anew: what a clock that had leapt has put off is done in time."""
GATHER_S = 0.02
GIVE_BACK_S = 2.0
"""How long the end of a process may wait for claims that are being made, and again for claims to be given back."""
JOB_S = 55.0
"""How long one piece of work may take; then it has failed and is tried again later."""
LASTING = frozenset({WORK_JOB})
"""Work that takes longer: the turn of a child."""
LASTING_S = TURN_DEADLINE_S + JOB_S
HOLD_EVERY_S = CLAIM_S / 5
"""How often a runner says that it has what is under way: several times may fail before it is given out again."""


UnderWay = dict[asyncio.Task[None], Job]
DeliverTask = Callable[[DelegateTask], Awaitable[HostAnswer]]
BEGUN_ALREADY = Failed(kind="outcome_unknown", message="It was begun, and nobody knows how far it came")
"""Of work for an agent elsewhere that does not know a repeated message as such."""


class Recurring(Protocol):
    """Work that is done again and again."""

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of jobs it is."""
        ...

    async def schedule(self, jobs: Jobs) -> None:
        """Ask for all of it; asking again changes nothing."""
        ...

    async def carry_out(self, job: Job) -> float:
        """Do one piece; return in how many seconds to do it again."""
        ...

    async def believes_the_clock(self) -> bool:
        """Return whether work may be done now whose time has come."""
        ...


class Outbound(Protocol):
    """Work that waits for somebody outside, and so has places of its own."""

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of jobs it is."""
        ...

    async def claim(self, under_way: Sequence[Job]) -> Sequence[Job]:
        """Claim what there is room for beside what is under way."""
        ...

    async def carry_out(self, job: Job) -> float | None:
        """Do one piece; return in how many seconds to try it again, None when it is done with."""
        ...


class JobRunner:
    """Runs what is due until it is stopped; a slow piece of work holds up no other one."""

    def __init__(
        self,
        jobs: Jobs,
        desk: CallbackDesk,
        ask: AskHost,
        upkeep: Recurring | None = None,
        *,
        deliver: DeliverTask | None = None,
        outbound: Outbound | None = None,
    ) -> None:
        """`deliver` takes work to agents wherever they live; without it only those in sessions are reached."""
        self._jobs = jobs
        self._desk = desk
        self._ask = ask
        self._deliver: DeliverTask = deliver or ask
        self._upkeep = upkeep
        self._outbound = outbound
        short = (*(kind for kind in KINDS if kind not in LASTING), *(upkeep.kinds if upkeep is not None else ()))
        self._running: dict[tuple[str, ...], UnderWay] = {short: {}, tuple(LASTING): {}}
        self._sent: UnderWay = {}
        self._ask_at_s = 0.0
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._holding: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for work."""
        create_task = asyncio.get_running_loop().create_task
        self._task = create_task(self._run())
        self._holding = create_task(again_and_again("claims on work cannot be renewed", HOLD_EVERY_S, self.hold))

    async def stop(self) -> None:
        """Look for no more work, and give back what was claimed and is not finished."""
        self._stopping.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=GIVE_BACK_S)  # work that is being claimed would wait for long
            self._task.cancel()
        if self._holding is not None:
            self._holding.cancel()
            await asyncio.wait([self._holding])
        under_way = self._under_way()
        for task in under_way:
            task.cancel()
        if under_way:
            await asyncio.wait(under_way)
        await asyncio.gather(*(self._give_back(job) for task, job in under_way.items() if task.cancelled()))

    def _under_way(self) -> UnderWay:
        return {task: job for some in (*self._running.values(), self._sent) for task, job in some.items()}

    async def hold(self) -> None:
        """Say that what is under way here is, which keeps others from it for `CLAIM_S`. Raises AppError: not told."""
        held = list(self._under_way().values())
        if held:
            await self._jobs.renew(held)

    async def run_due(self) -> int:
        """Do what is due now, as much as there is room for, to its end; return how much that was."""
        begun = await self._begin_due()
        if begun:
            await asyncio.wait(begun)
        return len(begun)

    async def _run(self) -> None:
        while not self._stopping.is_set():
            begun: set[asyncio.Task[None]] = set()
            try:
                begun = await self._begin_due()
            except AppError as error:
                log.warning("work cannot be claimed: %s", error.message)
            except Exception:
                log.exception("work cannot be claimed")
            full = set().union(*(running for running in self._running.values() if len(running) >= AT_ONCE))
            awaited = full | self._sent.keys()  # there may be more of what was begun than there was room for
            if begun & awaited:
                await self._first_of(awaited, LOOK_EVERY_S)
                await self._first_of(set(), GATHER_S)  # what ends together makes one look
            else:
                await self._first_of(set(), LOOK_EVERY_S)

    async def _first_of(self, awaited: Set[asyncio.Task[None]], most_s: float) -> None:
        """Wait until one of these ends, or the runner is stopped, or the time is over."""
        stopping = asyncio.get_running_loop().create_task(self._stopping.wait())
        try:
            await asyncio.wait({*awaited, stopping}, timeout=most_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()

    async def _begin_due(self) -> set[asyncio.Task[None]]:
        """Claim as much as there is room for and begin it."""
        if self._upkeep is not None and monotonic() >= self._ask_at_s:
            await self._upkeep.schedule(self._jobs)
            self._ask_at_s = monotonic() + ASK_EVERY_S
        begun: set[asyncio.Task[None]] = set()
        for kinds, running in self._running.items():
            room = AT_ONCE - len(running)
            claimed = await self._jobs.claim(kinds, room, beside=list(running.values())) if room else ()
            for job in claimed:
                begun.add(self._begin(job, running))
        return begun | await self._begin_outbound()

    async def _begin_outbound(self) -> set[asyncio.Task[None]]:
        begun: set[asyncio.Task[None]] = set()
        for job in await self._outbound.claim(list(self._sent.values())) if self._outbound is not None else ():
            begun.add(self._begin(job, self._sent))
        return begun

    def _begin(self, job: Job, under_way: UnderWay) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(self._do(job))
        under_way[task] = job
        task.add_done_callback(lambda done: under_way.pop(done, None))
        return task

    async def _do(self, job: Job) -> None:
        """Do one piece of work and say what came of it; when even that fails, its claim runs out."""
        try:
            await self._settle(job, await self._outcome(job))
        except AppError as error:
            log.warning("what came of %s %s cannot be written: %s", job.kind, job.name, error.message)
        except Exception:
            log.exception("what came of %s %s cannot be written", job.kind, job.name)

    async def _give_back(self, job: Job) -> None:
        """Let work that is broken off go on elsewhere at once; where the store cannot be told, its claim runs out."""
        try:
            async with asyncio.timeout(GIVE_BACK_S):
                await self._jobs.give_back(job)
        except (AppError, TimeoutError) as error:
            log.info("the claim on %s %s runs out by itself: %s", job.kind, job.name, error)

    async def _settle(self, job: Job, outcome: HostAnswer | float | None) -> None:
        if isinstance(outcome, float):
            await self._jobs.again(job, outcome)
        elif isinstance(outcome, Failed) and outcome.kind != "NotFound":
            await self._jobs.fail(job, outcome.message)
        else:
            await self._jobs.finish(job)

    async def _outcome(self, job: Job) -> HostAnswer | float | None:
        """Return what comes of a piece of work; of a recurring one, in how many seconds to do it again."""
        most_s = LASTING_S if job.kind in LASTING else JOB_S
        try:
            async with asyncio.timeout(most_s):
                if self._upkeep is not None and job.kind in self._upkeep.kinds:
                    return await self._upkeep.carry_out(job)
                if self._outbound is not None and job.kind in self._outbound.kinds:
                    return await self._outbound.carry_out(job)
                if job.kind in BY_TIME and self._upkeep is not None and not await self._upkeep.believes_the_clock():
                    return ASK_EVERY_S
                return await self._carry_out(job)
        except AppError as error:
            return refusal(error)
        except TimeoutError:
            return Failed(kind="Unavailable", message=f"Not done within {most_s} s")
        except Exception as error:
            log.exception("%s %s has failed", job.kind, job.name)
            return Failed(kind="AppError", message=f"{type(error).__name__}: {error}")

    async def _have_work_done(self, job: Job, callback_id: str) -> HostAnswer | None:
        """Ask a child and answer the suspension of its parent; a child that cannot do it lets the suspension expire.

        So does one of which nobody can tell whether it has done it: the parent says so of an agent that can change
        something.
        """
        work = msgspec.convert(job.payload["work"], DelegateTask)
        repeats = may_be_asked_again(work.remote)
        answer = await self._deliver(work) if repeats or job.attempts == 1 else BEGUN_ALREADY
        if isinstance(answer, Failed) and (answer.kind in PASSING or (repeats and answer.kind == UNAVAILABLE)):
            return answer
        if isinstance(answer, Replied) and _is_done(answer):
            values = answer.reply.outcome.get("values", {})
            payload = {"values": values, "text": answer.reply.response}
            await self._desk.answer(job.tenant_id, callback_id, work.parent_session_id, payload)
        elif await self._desk.expire(job.tenant_id, callback_id):
            return await self._ask(
                SuspensionDue(tenant_id=job.tenant_id, session_id=work.parent_session_id, callback_id=callback_id)
            )
        return None

    async def _carry_out(self, job: Job) -> HostAnswer | None:
        tenant_id, session_id = job.tenant_id, str(job.payload["session_id"])
        if job.kind == TASK_JOB:
            task_id = str(job.payload["task_id"])
            return await self._ask(TaskClosed(tenant_id=tenant_id, session_id=session_id, task_id=task_id))
        if job.kind == TIMER_JOB:
            runtime_session_id, effect_id = str(job.payload["runtime_session_id"]), str(job.payload["effect_id"])
            return await self._ask(
                TimerDue(
                    tenant_id=tenant_id,
                    session_id=session_id,
                    runtime_session_id=runtime_session_id,
                    effect_id=effect_id,
                )
            )
        callback_id = str(job.payload["callback_id"])
        if job.kind == WORK_JOB:
            return await self._have_work_done(job, callback_id)
        if job.kind == RESUME_JOB:
            return await self._ask(CallbackReady(tenant_id=tenant_id, session_id=session_id, callback_id=callback_id))
        if not await self._desk.expire(tenant_id, callback_id) and job.attempts == 1:
            return None
        return await self._ask(SuspensionDue(tenant_id=tenant_id, session_id=session_id, callback_id=callback_id))


def _is_done(answer: Replied) -> bool:
    return answer.reply.status in DONE and answer.reply.outcome.get("changes") != UNKNOWN
