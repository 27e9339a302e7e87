"""Tells clients of Agent2Agent when their tasks rest: one job for each task that somebody wants to hear of.

At least once: what was sent before that could be written is sent again. Addresses are judged as those of webhooks are.
Decision: 0054.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from actors.a2a_desk import SUSPENDED, WORKING, StandingTask, StoredA2a
from actors.a2a_forms import notification
from actors.jobs import Outbound
from domain.errors import NotFound
from domain.limits import WEBHOOK_TIMEOUT_S
from domain.webhooks import retry_after_s
from providers.failures import CallFailed
from providers.http import HttpCall, HttpClient, Timeouts
from storage.repositories.a2a_tasks import PUSH_JOB, Push
from storage.repositories.jobs import Job, Jobs

LOOK_EVERY_S: Final = 1.0
AT_ONCE: Final = 64
TIMEOUTS: Final = Timeouts(total_s=WEBHOOK_TIMEOUT_S, connect_s=5.0, idle_s=WEBHOOK_TIMEOUT_S)
TOKEN_HEADER: Final = "X-A2A-Notification-Token"
log = logging.getLogger(__name__)


class A2aPusher:
    """Sends notifications. Satisfies `actors.jobs.Outbound`."""

    def __init__(self, jobs: Jobs, desk: StoredA2a, client: HttpClient) -> None:
        self._jobs = jobs
        self._desk = desk
        self._client = client

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of jobs it does."""
        return (PUSH_JOB,)

    async def claim(self, under_way: Sequence[Job]) -> Sequence[Job]:
        """Return the tasks to look at now."""
        room = AT_ONCE - sum(job.kind == PUSH_JOB for job in under_way)
        return await self._jobs.claim(self.kinds, room, beside=under_way) if room > 0 else ()

    async def carry_out(self, job: Job) -> float | None:
        """Tell of one task if it rests; return in how many seconds to look again, None when all were told."""
        try:
            standing = await self._desk.look(job.tenant_id, job.name, "")
        except NotFound:
            return None
        waiting = standing.task.state == WORKING and not standing.reply_id
        told_as = f"{standing.task.state}:{standing.reply_id or standing.task.turn_key}"
        pushes = [one for one in await self._desk.tasks.pushes(job.tenant_id, job.name) if one.told != told_as]
        if waiting or not pushes:
            return LOOK_EVERY_S if waiting else None
        pauses_s = [await self._tell(job, standing, one, told_as) for one in pushes]
        again_s = [one for one in pauses_s if one is not None]
        if not again_s and standing.task.state == SUSPENDED:
            return LOOK_EVERY_S
        return min(again_s, default=None)

    async def _tell(self, job: Job, standing: StandingTask, push: Push, told_as: str) -> float | None:
        """Tell one address; return in how many seconds to try again, None when it was told or given up."""
        if await self._send(job, standing, push):
            await self._desk.tasks.told(job.tenant_id, push, told_as)
            return None
        pause_s = retry_after_s(push.failures + 1)
        if pause_s is None:
            log.warning("a client of task %s is told no more: it could not be told", push.task_id)
            await self._desk.tasks.told(job.tenant_id, push, told_as)
        else:
            await self._desk.tasks.told(job.tenant_id, push, push.told, failures=push.failures + 1)
        return pause_s

    async def _send(self, job: Job, standing: StandingTask, push: Push) -> bool:
        config = await self._desk.opened(job.tenant_id, push)
        headers = {"Content-Type": "application/json"}
        if config.token:
            headers[TOKEN_HEADER] = config.token
        if config.credentials:
            headers["Authorization"] = f"{config.scheme or 'Bearer'} {config.credentials}"
        body = msgspec.json.encode(notification(standing, config.dialect))
        try:
            answer = await self._client.open(HttpCall("POST", config.url, headers, body, TIMEOUTS))
        except CallFailed as failure:
            log.info("a client of task %s could not be told: %s", push.task_id, failure.message)
            return False
        answer.close()  # what it says beside its status is not read
        return 200 <= answer.status < 300


class Together:
    """Several kinds of work for somebody outside as one. Satisfies `actors.jobs.Outbound`."""

    def __init__(self, *parts: Outbound) -> None:
        self._parts = parts

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of jobs of all."""
        return tuple(kind for part in self._parts for kind in part.kinds)

    async def claim(self, under_way: Sequence[Job]) -> Sequence[Job]:
        """Return what each has room for beside its own."""
        claimed: list[Job] = []
        for part in self._parts:
            claimed += await part.claim([job for job in under_way if job.kind in part.kinds])
        return claimed

    async def carry_out(self, job: Job) -> float | None:
        """Have it done by the part whose kind it is."""
        part = next(one for one in self._parts if job.kind in one.kinds)
        return await part.carry_out(job)
