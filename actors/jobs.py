"""Durable work that is due: sessions whose callback, person or timer has come, and the upkeep of the store.

Claimed with SKIP LOCKED, so that each piece is done in one place at a time wherever runners are; what its runner does
not finish is given out again. A runner whose session host does not answer tries again later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

import msgspec

from actors.callbacks import EXPIRE_JOB, CallbackDesk
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
from actors.session.children import PASSING, AskHost
from actors.stored_sessions import TIMER_JOB, WORK_JOB
from domain.errors import AppError, Unavailable
from storage.repositories.callbacks import RESUME_JOB
from storage.repositories.human_tasks import RESUME_JOB as TASK_JOB
from storage.repositories.jobs import CLAIM_S, Job, Jobs

log = logging.getLogger(__name__)

KINDS = (RESUME_JOB, EXPIRE_JOB, TASK_JOB, TIMER_JOB, WORK_JOB)
DONE = frozenset({"completed", "idle"})
"""How a child's turn ends that has done its work."""
AT_ONCE = 32
LOOK_EVERY_S = 1.0
JOB_S = CLAIM_S - 5.0
"""How long one piece of work may take; then its claim runs out and it is given out again."""


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


class JobRunner:
    """Runs what is due, a few at once, until it is stopped."""

    def __init__(self, jobs: Jobs, desk: CallbackDesk, ask: AskHost, upkeep: Recurring | None = None) -> None:
        self._jobs = jobs
        self._desk = desk
        self._ask = ask
        self._upkeep = upkeep
        self._kinds = (*KINDS, *(upkeep.kinds if upkeep is not None else ()))
        self._scheduled = upkeep is None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for work."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Look for no more work; what was claimed and not finished is given out again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def run_due(self) -> int:
        """Do what is due now, as much as is claimed at once; return how much that was."""
        if not self._scheduled and self._upkeep is not None:
            await self._upkeep.schedule(self._jobs)
            self._scheduled = True
        claimed = await self._jobs.claim(self._kinds, AT_ONCE)
        await asyncio.gather(*(self._do(job) for job in claimed))
        return len(claimed)

    async def _run(self) -> None:
        while True:
            try:
                done = await self.run_due()
            except Unavailable:
                done = 0
                log.warning("work cannot be claimed: the store does not answer")
            if done < AT_ONCE:
                await asyncio.sleep(LOOK_EVERY_S)

    async def _do(self, job: Job) -> None:
        try:
            async with asyncio.timeout(JOB_S):
                if self._upkeep is not None and job.kind in self._upkeep.kinds:
                    await self._jobs.again(job, await self._upkeep.carry_out(job))
                    return
                answer = await self._carry_out(job)
        except AppError as error:
            answer = Failed(kind=type(error).__name__, message=error.message)
        except TimeoutError:
            answer = Failed(kind="Unavailable", message=f"Not done within {JOB_S} s")
        if isinstance(answer, Failed) and answer.kind != "NotFound":
            await self._jobs.fail(job, answer.message)
        else:
            await self._jobs.finish(job)

    async def _have_work_done(self, job: Job, callback_id: str) -> HostAnswer | None:
        """Ask a child and answer the suspension of its parent; a child that cannot do it lets the suspension expire."""
        work = msgspec.convert(job.payload["work"], DelegateTask)
        answer = await self._ask(work)
        if isinstance(answer, Failed) and answer.kind in PASSING:
            return answer
        if isinstance(answer, Replied) and answer.reply.status in DONE:
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
