"""Human tasks as people see them: an inbox, and what is done with what lies in it. Spec: platform-api 3.4, 10.

Each change is one transaction: the task's row is held, `domain.human_tasks` says what becomes of it, and the job that
has its session go on, the webhooks and the audit log are written with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from actors.human_tasks import tell
from actors.people import NO_USER
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import Clock, IdSource
from domain.errors import NotFound
from domain.human_tasks import (
    DECISIONS,
    EscalationLevel,
    HumanTask,
    Person,
    Priority,
    TaskField,
    TaskStatus,
    TaskType,
    assigned,
    cancelled,
    claimed,
    opened,
    resolved,
)
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.permissions import ACTS_EVERYWHERE
from domain.webhooks import WebhookEvent
from storage.database import Connection, Database
from storage.repositories.audit import AuditLog
from storage.repositories.done_requests import DoneRequests
from storage.repositories.human_tasks import HumanTasks, TaskQuery
from storage.repositories.sessions import Sessions
from storage.repositories.users import UserRecord, Users

KIND: Final = "human_task"
NO_TASK: Final = "Task not found"


class NewTask(Struct, frozen=True, kw_only=True):
    """A task that is given from outside; `session_id` only says what it is about."""

    project_id: str
    type: TaskType
    title: str
    priority: Priority = "medium"
    description: str | None = None
    fields: tuple[TaskField, ...] = ()
    context: JsonObject = field(default_factory=dict)
    options: tuple[str, ...] = ()
    due_at: datetime | None = None
    assigned_to: str | None = None
    assigned_to_team: str | None = None
    escalation_chain: tuple[EscalationLevel, ...] = ()
    tags: tuple[str, ...] = ()
    session_id: str = ""


class TaskRef(NamedTuple):
    """A task as a caller names it."""

    tenant_id: str
    project_id: str
    task_id: str


class Decision(Struct, frozen=True, kw_only=True):
    """What somebody decides; `responded_by` is who, when it is not who says so."""

    decision: str
    fields: JsonObject = field(default_factory=dict)
    notes: str = ""
    responded_by: str = ""


class TaskPage(NamedTuple):
    """Some tasks and how many there are."""

    rows: Sequence[HumanTask]
    total: int


class HumanTaskDesk(Protocol):
    """The tasks of projects."""

    async def list(self, tenant_id: str, project_id: str, wanted: TaskQuery) -> TaskPage:
        """Return tasks, the most urgent first, of those the oldest."""
        ...

    async def get(self, ref: TaskRef) -> HumanTask:
        """Return a task. Raises NotFound."""
        ...

    async def create(self, tenant_id: str, wanted: NewTask, by: Initiator) -> HumanTask:
        """Keep a new task. Raises NotFound: the project has no such session, or nobody named sees it."""
        ...

    async def claim(self, ref: TaskRef, person: Person, user_id: str) -> HumanTask:
        """Let somebody work on a task; of many who try at once one does.

        Raises as `domain.human_tasks.claimed`; NotFound: there is no such task, or nobody named sees its project.
        """
        ...

    async def assign(self, ref: TaskRef, *, user: str | None, team: str | None, by: Initiator) -> HumanTask:
        """Give a task to a person or a team. Raises Conflict; NotFound: as for a claim."""
        ...

    async def resolve(self, ref: TaskRef, person: Person, decision: Decision, by: Initiator) -> HumanTask:
        """Close a task with a decision, once; its session goes on.

        Raises as `domain.human_tasks.resolved`; NotFound: as for a claim.
        """
        ...

    async def cancel(self, ref: TaskRef, reason: str, by: Initiator) -> HumanTask:
        """Close a task that nobody has to do any more; its session waits on. Raises NotFound, Conflict."""
        ...


class StoredHumanTasks:
    """Satisfies `HumanTaskDesk`."""

    def __init__(self, database: Database, audit: AuditLog, clock: Clock, ids: IdSource) -> None:
        self._database = database
        self._tasks = HumanTasks(database)
        self._done = DoneRequests(database)
        self._sessions = Sessions(database)
        self._users = Users(database)
        self._audit = audit
        self._clock = clock
        self._ids = ids

    async def list(self, tenant_id: str, project_id: str, wanted: TaskQuery) -> TaskPage:
        """Return tasks, the most urgent first, of those the oldest."""
        return TaskPage(*await self._tasks.list(tenant_id, project_id, wanted))

    async def get(self, ref: TaskRef) -> HumanTask:
        """Return a task."""
        return _of(ref, await self._tasks.find(ref.tenant_id, ref.task_id))

    async def create(self, tenant_id: str, wanted: NewTask, by: Initiator) -> HumanTask:
        """Keep a new task."""
        if known := await self._done.find(tenant_id, by.request_key):
            return await self.get(TaskRef(tenant_id, wanted.project_id, known))
        session_id = ""
        if wanted.session_id:
            session = await self._sessions.find(tenant_id, wanted.session_id)
            if session is None or session.project_id != wanted.project_id:
                raise NotFound("Session not found")
            session_id = session.session_id
        now = self._clock.now()
        given = asdict(wanted)
        task = opened(
            HumanTask(
                task_id=self._ids.new(PREFIXES[KIND]),
                source_kind="api",
                created_at=now,
                updated_at=now,
                created_by=by.actor.id,
                **{**given, "session_id": session_id},
            )
        )
        async with self._database.transaction() as connection:
            task = await self._of_users(connection, tenant_id, task)
            await self._tasks.create(connection, tenant_id, task)
            await self._done.note(connection, tenant_id, by.request_key, task.task_id)
            await tell(connection, tenant_id, task, WebhookEvent.HUMAN_TASK_CREATED)
        return task

    async def claim(self, ref: TaskRef, person: Person, user_id: str) -> HumanTask:
        """Let somebody work on a task; of many who try at once one does."""

        async def change(connection: Connection, task: HumanTask) -> HumanTask:
            claimant = await self._acted_for(connection, ref, person, user_id)
            return claimed(task, person, self._clock.now(), claimant)

        return await self._changed(ref, change)

    async def assign(self, ref: TaskRef, *, user: str | None, team: str | None, by: Initiator) -> HumanTask:
        """Give a task to a person or a team."""
        entry = _Entry(by, "assign", {"assignedTo": user, "assignedToTeam": team})

        async def change(connection: Connection, task: HumanTask) -> HumanTask:
            named = await self._user(connection, ref.tenant_id, ref.project_id, user) if user is not None else None
            whose = named.known_as(user or "") if named is not None else None
            if task.status == TaskStatus.ASSIGNED and (task.assigned_to, task.assigned_to_team) == (whose, team):
                return task
            return assigned(task, self._clock.now(), user=whose, team=team)

        return await self._changed(ref, change, entry)

    async def resolve(self, ref: TaskRef, person: Person, decision: Decision, by: Initiator) -> HumanTask:
        """Close a task with a decision, once; its session goes on."""

        async def change(connection: Connection, task: HumanTask) -> HumanTask:
            return resolved(
                task,
                person,
                self._clock.now(),
                decision=decision.decision,
                fields=decision.fields,
                notes=decision.notes,
                responded_by=await self._acted_for(connection, ref, person, decision.responded_by),
            )

        is_word = any(decision.decision in words for words in DECISIONS.values())  # else it may be anybody's text
        entry = _Entry(by, "resolve", {"decision": decision.decision} if is_word else {})
        return await self._changed(ref, change, entry)

    async def cancel(self, ref: TaskRef, reason: str, by: Initiator) -> HumanTask:
        """Close a task that nobody has to do any more; its session waits on."""
        entry = _Entry(by, "cancel", {"hasReason": bool(reason)})

        async def change(_connection: Connection, task: HumanTask) -> HumanTask:
            return cancelled(task, self._clock.now(), reason)

        return await self._changed(ref, change, entry)

    async def _changed(
        self,
        ref: TaskRef,
        change: Callable[[Connection, HumanTask], Awaitable[HumanTask]],
        entry: _Entry | None = None,
    ) -> HumanTask:
        request_key = entry.by.request_key if entry is not None else ""
        if await self._done.find(ref.tenant_id, request_key) == ref.task_id:
            return await self.get(ref)
        async with self._database.transaction() as connection:
            before = _of(ref, await self._tasks.locked(connection, ref.tenant_id, ref.task_id))
            task = await change(connection, before)
            await self._done.note(connection, ref.tenant_id, request_key, ref.task_id)
            if task is before:
                return task
            await self._tasks.replace(connection, ref.tenant_id, task)
            if task.status == TaskStatus.COMPLETED:
                await self._tasks.resume(connection, ref.tenant_id, task)
                await tell(connection, ref.tenant_id, task, WebhookEvent.HUMAN_TASK_COMPLETED)
            if entry is not None:
                await self._audit.append(connection, ref.tenant_id, entry.of(task))
        return task

    async def _of_users(self, connection: Connection, tenant_id: str, task: HumanTask) -> HumanTask:
        """Return a task with those whom it names as they are written here. Raises NotFound: one is no user of it."""

        async def known(name: str | None) -> str | None:
            if name is None:
                return None
            return (await self._user(connection, tenant_id, task.project_id, name)).known_as(name)

        chain = [replace(level, user_id=await known(level.user_id)) for level in task.escalation_chain]
        return replace(task, assigned_to=await known(task.assigned_to), escalation_chain=tuple(chain))

    async def _acted_for(self, connection: Connection, ref: TaskRef, person: Person, name: str) -> str:
        """Return the id of the user in whose name somebody acts, who may or not: `domain.human_tasks` says."""
        if name in ("", *person.names) or not person.is_admin:
            return name
        return (await self._user(connection, ref.tenant_id, ref.project_id, name)).user_id

    async def _user(self, connection: Connection, tenant_id: str, project_id: str, name: str) -> UserRecord:
        """Return the user of an id or email. Raises NotFound: there is none, or the user sees no such project."""
        user = await self._users.named(connection, tenant_id, name)
        if user is None or not (user.role in ACTS_EVERYWHERE or project_id in user.projects):
            raise NotFound(NO_USER)
        return user


class _Entry(NamedTuple):
    by: Initiator
    verb: str
    details: JsonObject

    def of(self, task: HumanTask) -> AuditEntry:
        """Return what the audit log says of a changed task."""
        return AuditEntry(
            by=self.by,
            action=f"{KIND}.{self.verb}",
            category=AuditCategory.SESSIONS,
            resource=Resource(KIND, task.task_id, task.type),
            project_id=task.project_id,
            details=self.details,
        )


def _of(ref: TaskRef, task: HumanTask | None) -> HumanTask:
    if task is None or task.project_id != ref.project_id:
        raise NotFound(NO_TASK)
    return task
