"""What the store needs again and again: new weeks, old rows gone, quiet sessions ended. Each is one recurring job.

A piece of work is bounded: what is left over is done at its next time, which comes soon. What deletes or ends something
because its time is over goes by the database's clock, and waits while that cannot be believed: decision 0048.
Spec: platform-api 3.1, 15.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from msgspec import Struct

from actors.clocks import RandomIds
from actors.draining import Draining
from actors.files import StoredFiles
from actors.human_tasks import TaskDesk
from actors.messages import EndSession, Failed
from actors.otel_export import TURNS_AT_ONCE, SpanExport
from actors.project_removal import ProjectRemoval
from actors.raising import LASTING
from actors.session.delivery import AskHost
from domain.clock import Clock, iso_ms
from domain.limits import ANALYTICS_KEPT_DAYS, AUDIT_KEPT_DAYS, SESSION_IDLE_S, TRACES_KEPT_DAYS, USAGE_KEPT_DAYS
from storage.database import Database
from storage.partitions import drop_older, ensure_partitions, forget_blobs, placed
from storage.repositories.a2a_tasks import A2aTasks
from storage.repositories.accepted import AcceptedMessages
from storage.repositories.analytics_counting import HOURS_AT_ONCE, Counting
from storage.repositories.audit import AuditLog
from storage.repositories.budgets import Budgets
from storage.repositories.callbacks import Callbacks
from storage.repositories.conversations import Conversations
from storage.repositories.done_requests import DoneRequests
from storage.repositories.human_tasks import HumanTasks
from storage.repositories.jobs import Job, Jobs
from storage.repositories.memory import Memory
from storage.repositories.replies import Replies
from storage.repositories.sessions import Sessions
from storage.repositories.traces import Traces
from storage.repositories.turns import Turns
from storage.repositories.users import Users
from storage.repositories.webhooks import Webhooks
from storage.steadiness import Steadiness

log = logging.getLogger(__name__)
EVERYWHERE = ""
"""The tenant of work that is for all of them."""
PREFIX = "upkeep."
MINUTE_S, HOUR_S = 60.0, 3_600.0
DRAIN_LOOK_S = 5.0
COUNT_EVERY_S = 2.0
"""How far analytics may be behind, beside the time that counting takes."""
ACCOUNTS_KEPT_DAYS = 90
CLOSED_TASKS_KEPT_DAYS = 365
SOON_S = 1.0
"""When work is gone on with that did not end within its bound."""
A2A_TASKS_KEPT_DAYS = 90
HEADS_KEPT_DAYS = 30
DELETED_SESSIONS_KEPT_DAYS = 90
"""How long nothing opens a deleted session anew: much longer than a request is under way or a page stays away."""
"""How long a client that names no session finds its conversation again; a session itself is kept for longer."""
ROWS_MAX = 5_000
BLOBS_MAX = 200
FILES_MAX = 200
SESSIONS_MAX = 100
TASKS_MAX = 200
ENDS_STEADY_S = 600.0
"""How long after a leap of the clock nothing is ended or deleted because its time is over."""
DROPS_STEADY_S = 86_400.0
"""How long after one no week is dropped."""
A_WEEK = timedelta(weeks=1)
"""A week of the journal goes as a whole, so its last day may be this much older than the retention."""


class Retention(Struct, frozen=True):
    """How long what has happened is kept, and how long a session may be quiet.

    Attributes:
        idle_s: For sessions whose agent says nothing else.
    """

    trace_days: float = TRACES_KEPT_DAYS
    journal_days: float = 365.0
    idle_s: float = SESSION_IDLE_S
    audit_days: float = AUDIT_KEPT_DAYS
    analytics_days: float = ANALYTICS_KEPT_DAYS


class _Chore(Struct, frozen=True):
    """One kind of upkeep: `act` returns how much it did, `most` is how much it does at once.

    Attributes:
        steady_s: For how long the clock must have gone on steadily; 0 for what deletes and ends nothing.
    """

    every_s: float
    most: int
    act: Callable[[], Awaitable[int]]
    steady_s: float = ENDS_STEADY_S


class Upkeep:
    """All recurring work. Satisfies `actors.jobs.Recurring`."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ask: AskHost,
        retention: Retention,
        files: StoredFiles | None = None,
        removal: ProjectRemoval | None = None,
        draining: Draining | None = None,
        spans: SpanExport | None = None,
        steadiness: Steadiness | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._ask = ask
        self._retention = retention
        self._steadiness = steadiness or Steadiness(database)
        self._now = clock.now()
        self._doubt = ""
        self._sessions = Sessions(database)
        self._budgets = Budgets(database)
        self._tasks = HumanTasks(database)
        self._traces = Traces(database)
        self._counting = Counting(database)
        self._audit = AuditLog(database, clock, RandomIds())
        turns, memory, callbacks, replies = Turns(database), Memory(database), Callbacks(database), Replies(database)
        done = DoneRequests(database)
        users, webhooks, heads, a2a = Users(database), Webhooks(database), Conversations(database), A2aTasks(database)
        tasks, accepted = TaskDesk(database, clock), AcceptedMessages(database)
        self._chores = {
            f"{PREFIX}partitions": _Chore(HOUR_S, ROWS_MAX, lambda: ensure_partitions(database), 0.0),
            f"{PREFIX}weeks": _Chore(HOUR_S, ROWS_MAX, self._drop_weeks, DROPS_STEADY_S),
            f"{PREFIX}turns": _Chore(HOUR_S, ROWS_MAX, lambda: turns.forget_old(ROWS_MAX)),
            f"{PREFIX}deleted": _Chore(
                HOUR_S, ROWS_MAX, lambda: self._sessions.forget_deleted(DELETED_SESSIONS_KEPT_DAYS, ROWS_MAX)
            ),
            f"{PREFIX}replies": _Chore(HOUR_S, ROWS_MAX, lambda: replies.forget_old(ROWS_MAX)),
            f"{PREFIX}done_requests": _Chore(HOUR_S, ROWS_MAX, lambda: done.forget_old(ROWS_MAX)),
            f"{PREFIX}blobs": _Chore(HOUR_S, BLOBS_MAX, self._blobs, DROPS_STEADY_S),
            f"{PREFIX}memory": _Chore(HOUR_S, ROWS_MAX, lambda: memory.forget_expired(ROWS_MAX)),
            f"{PREFIX}effects": _Chore(HOUR_S, ROWS_MAX, lambda: memory.forget_effects(ROWS_MAX)),
            f"{PREFIX}callbacks": _Chore(HOUR_S, ROWS_MAX, lambda: callbacks.forget_closed(ROWS_MAX)),
            f"{PREFIX}logins": _Chore(HOUR_S, ROWS_MAX, lambda: users.forget_families(ROWS_MAX)),
            f"{PREFIX}webhooks": _Chore(HOUR_S, ROWS_MAX, lambda: webhooks.forget_old(ROWS_MAX)),
            f"{PREFIX}heads": _Chore(HOUR_S, ROWS_MAX, lambda: heads.forget_old(HEADS_KEPT_DAYS, ROWS_MAX)),
            f"{PREFIX}a2a": _Chore(HOUR_S, ROWS_MAX, lambda: a2a.forget_old(A2A_TASKS_KEPT_DAYS, ROWS_MAX)),
            f"{PREFIX}refused": _Chore(HOUR_S, ROWS_MAX, lambda: accepted.forget_refused(ROWS_MAX)),
            f"{PREFIX}traces": _Chore(HOUR_S, ROWS_MAX, self._forget_traces),
            f"{PREFIX}audit": _Chore(HOUR_S, ROWS_MAX, self._forget_audit),
            f"{PREFIX}accounts": _Chore(HOUR_S, ROWS_MAX, self._forget_accounts),
            f"{PREFIX}closed_tasks": _Chore(HOUR_S, ROWS_MAX, self._forget_tasks),
            f"{PREFIX}budgets": _Chore(MINUTE_S, ROWS_MAX, self._charge_expired),
            f"{PREFIX}tasks": _Chore(MINUTE_S, TASKS_MAX, lambda: tasks.move_overdue(TASKS_MAX)),
            f"{PREFIX}idle": _Chore(MINUTE_S, SESSIONS_MAX, self._end_idle),
            f"{PREFIX}analytics": _Chore(COUNT_EVERY_S, ROWS_MAX, self._count, 0.0),
            f"{PREFIX}durations": _Chore(MINUTE_S, HOURS_AT_ONCE, lambda: self._counting.seal(self._now)),
            f"{PREFIX}figures": _Chore(HOUR_S, ROWS_MAX, self._forget_figures),
        }
        if spans is not None:
            self._chores[f"{PREFIX}spans"] = _Chore(COUNT_EVERY_S, TURNS_AT_ONCE, spans.go_on, 0.0)
        if files is not None:
            self._chores[f"{PREFIX}files"] = _Chore(HOUR_S, FILES_MAX, lambda: files.forget_unused(FILES_MAX))
        if removal is not None:
            self._chores[f"{PREFIX}projects"] = _Chore(MINUTE_S, 1, removal.carry_on_all, 0.0)
        if draining is not None:
            self._chores[f"{PREFIX}draining"] = _Chore(DRAIN_LOOK_S, 1, draining.look, 0.0)

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of jobs it is."""
        return tuple(self._chores)

    async def schedule(self, jobs: Jobs) -> None:
        """Ask for all of it; to be asked again now and then, for what a clock that had leapt has put off."""
        await jobs.back_from_the_future()
        for kind, chore in self._chores.items():
            if not await jobs.enqueue(EVERYWHERE, kind, kind):
                await jobs.within(EVERYWHERE, kind, kind, chore.every_s)

    async def carry_out(self, job: Job) -> float:
        """Do one piece; return in how many seconds to do it again."""
        chore = self._chores[job.kind]
        if chore.steady_s and not await self._is_believed(chore.steady_s):
            return min(chore.every_s, MINUTE_S)
        done = await chore.act()
        return SOON_S if done >= chore.most else chore.every_s

    async def believes_the_clock(self) -> bool:
        """Return whether work may be done now whose time has come."""
        return await self._is_believed(ENDS_STEADY_S)

    async def _is_believed(self, steady_s: float) -> bool:
        """Look at the clocks; say so once when they are not believed."""
        look = await self._steadiness.look(self._clock.now)
        self._now = look.now
        doubt = look.doubt(steady_s)
        if bool(doubt) != bool(self._doubt):
            log.warning("nothing is deleted or ended by its time: %s", doubt) if doubt else log.info("clock is steady")
        self._doubt = doubt
        return not doubt

    async def _drop_weeks(self) -> int:
        """Drop the weeks that are past their retention, by the database's clock and by the newest row."""
        dropped = 0
        for table, days in (
            ("traces", self._retention.trace_days),
            ("journal", self._retention.journal_days),
            ("analytics_events", self._retention.analytics_days),
        ):
            dropped += len(await drop_older(self._database, table, timedelta(days=days), self._now))
        return dropped

    async def _count(self) -> int:
        """Count what has happened since the last time."""
        counted = 0
        while counted < ROWS_MAX and (more := await placed(self._database, self._count_piece)):
            counted += more
        return counted

    async def _count_piece(self) -> int:
        return await self._counting.go_on(self._clock.now())

    async def _forget_figures(self) -> int:
        """Remove sums of events that are past their retention; the events themselves are gone before."""
        kept = max(timedelta(days=USAGE_KEPT_DAYS), timedelta(days=self._retention.analytics_days) + 2 * A_WEEK)
        return await self._counting.forget_old(self._now - kept, ROWS_MAX)

    async def _blobs(self) -> int:
        """Remove large facts of weeks that are gone."""
        before = self._now - timedelta(days=self._retention.journal_days) - A_WEEK
        return await forget_blobs(self._database, before, BLOBS_MAX)

    async def _forget_audit(self) -> int:
        """Remove entries of the audit log that are past their retention."""
        before = self._now - timedelta(days=self._retention.audit_days)
        return await self._audit.prune(before, limit=ROWS_MAX)

    async def _forget_traces(self) -> int:
        """Delete traces of projects that want them kept shorter; those of all others go by the week."""
        return await self._traces.forget_of_projects(self._now, self._retention.trace_days, ROWS_MAX)

    async def _forget_accounts(self) -> int:
        """Delete what was spent of budgets in periods long gone."""
        return await self._budgets.forget_old(self._now - timedelta(days=ACCOUNTS_KEPT_DAYS), ROWS_MAX)

    async def _forget_tasks(self) -> int:
        """Delete tasks that were closed long ago."""
        return await self._tasks.forget_closed(self._now - timedelta(days=CLOSED_TASKS_KEPT_DAYS), ROWS_MAX)

    async def _charge_expired(self) -> int:
        """Count what was held for model calls that never ended as used."""
        return await self._budgets.charge_expired(self._now, ROWS_MAX)

    async def _end_idle(self) -> int:
        """End sessions that have been quiet for too long; their hosts have the last word."""
        quiet = await self._sessions.idle_everywhere(self._retention.idle_s, SESSIONS_MAX)
        since = iso_ms(min(self._now, self._clock.now()))
        ended = 0
        for tenant_id, project_id, session_id in quiet:
            message = EndSession(
                tenant_id=tenant_id,
                project_id=project_id,
                session_id=session_id,
                reason="idle_timeout",
                quiet_since=since,
            )
            answer = await self._ask(message)
            if isinstance(answer, Failed) and answer.kind == LASTING:  # nobody can read it, and it is not to come again
                await self._sessions.end(tenant_id, session_id, message.reason)
            ended += not isinstance(answer, Failed)
        return ended
