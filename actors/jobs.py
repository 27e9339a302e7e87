"""Durable work that is due: sessions whose callback has come or whose wait is over. Claimed, run, finished."""

from __future__ import annotations

import asyncio
import logging

from actors.callbacks import EXPIRE_JOB, CallbackDesk
from actors.messages import CallbackReady, Failed, HostAnswer, SuspensionDue
from actors.session.effects import AskHost
from domain.errors import AppError, Unavailable
from storage.repositories.callbacks import RESUME_JOB
from storage.repositories.jobs import Job, Jobs

log = logging.getLogger(__name__)

KINDS = (RESUME_JOB, EXPIRE_JOB)
AT_ONCE = 32
LOOK_EVERY_S = 1.0


class JobRunner:
    """Runs what is due, a few at once, until it is stopped."""

    def __init__(self, jobs: Jobs, desk: CallbackDesk, ask: AskHost) -> None:
        self._jobs = jobs
        self._desk = desk
        self._ask = ask
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for work."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Look for no more work; what was claimed and not finished is given out again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            try:
                claimed = await self._jobs.claim(KINDS, AT_ONCE)
                await asyncio.gather(*(self._do(job) for job in claimed))
            except Unavailable:
                claimed = ()
                log.warning("work cannot be claimed: the store does not answer")
            if len(claimed) < AT_ONCE:
                await asyncio.sleep(LOOK_EVERY_S)

    async def _do(self, job: Job) -> None:
        try:
            answer = await self._carry_out(job)
        except AppError as error:
            answer = Failed(kind=type(error).__name__, message=error.message)
        if isinstance(answer, Failed) and answer.kind != "NotFound":
            await self._jobs.fail(job, answer.message)
        else:
            await self._jobs.finish(job)

    async def _carry_out(self, job: Job) -> HostAnswer | None:
        callback_id, session_id = str(job.payload["callback_id"]), str(job.payload["session_id"])
        if job.kind == RESUME_JOB:
            return await self._ask(
                CallbackReady(tenant_id=job.tenant_id, session_id=session_id, callback_id=callback_id)
            )
        if not await self._desk.expire(job.tenant_id, callback_id) and job.attempts == 1:
            return None
        return await self._ask(SuspensionDue(tenant_id=job.tenant_id, session_id=session_id, callback_id=callback_id))
