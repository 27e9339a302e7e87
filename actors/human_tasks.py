"""Human tasks as sessions and the clock see them: opened once for each suspension, closed with it, or overdue.

What people do with tasks is in `actors.task_desk`. Spec: platform-api 3.4, 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from actors import webhooks
from actors.session.store import ClosedTask, SessionMoved, SessionPin, StoreLost, WantedTask
from actors.suspensions import BETWEEN, id_at, place_of, task_id_of
from domain.clock import Clock, iso_ms, parse_iso
from domain.errors import Overloaded, Unavailable
from domain.human_tasks import OPEN, HumanTask, Priority, TaskField, TaskStatus, TaskType, opened, overdue
from domain.json_values import JsonObject
from domain.webhooks import WebhookEvent
from storage.database import Connection, Database
from storage.errors import StaleEpoch
from storage.repositories.human_tasks import HumanTasks, TaskQuery
from storage.repositories.users import Users
from storage.repositories.waits import close_waits

AWAY = (Unavailable, Overloaded)


class TaskDesk:
    """Where sessions open tasks and close them, and where overdue ones move on."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._tasks = HumanTasks(database)
        self._users = Users(database)
        self._clock = clock

    async def open(self, pin: SessionPin, wanted: WantedTask) -> str:
        """Return the id of the task of a suspension, made when first asked for."""
        try:
            async with self._database.transaction() as connection:
                task = _task_of(pin, wanted, await self._assignment(connection, pin.tenant_id, wanted), self._clock)
                if await self._tasks.create(connection, pin.tenant_id, task):
                    await tell(connection, pin.tenant_id, task, WebhookEvent.HUMAN_TASK_CREATED)
        except AWAY as error:
            raise StoreLost from error
        return task.task_id

    async def _assignment(self, connection: Connection, tenant_id: str, wanted: WantedTask) -> _Assignment:
        """Return whose a task is: an agent names a user by id or email, and else a team. Spec: platform-api 3.4."""
        if not wanted.assignee or wanted.team:
            return _Assignment(wanted.assignee or None, wanted.team or None)
        user = await self._users.named(connection, tenant_id, wanted.assignee)
        return _Assignment(None, wanted.assignee) if user is None else _Assignment(user.known_as(wanted.assignee), None)

    async def closed(self, pin: SessionPin, task_id: str) -> ClosedTask | None:
        """Return a task that is closed; None when it is open or not there."""
        try:
            task = await self._tasks.find(pin.tenant_id, task_id)
        except AWAY as error:
            raise StoreLost from error
        if task is None or task.is_open:
            return None
        runtime_session_id, _, suspension_id = task.place.rpartition(BETWEEN)
        return ClosedTask(runtime_session_id, suspension_id, task.type, task.status, task.resolution or {})

    async def close_waits(self, pin: SessionPin, epoch: int, suspension_id: str, *, expired: bool) -> None:
        """Close the open callback and task of one suspension, or all of a session's, without a word to it.

        Raises:
            SessionMoved: The session is not this epoch's; nothing has changed.
        """
        place = place_of(pin, suspension_id) if suspension_id else None
        named = (pin.tenant_id, pin.session_id, epoch, place)
        try:
            if not expired:
                await close_waits(self._database, *named, TaskStatus.CANCELLED)
                return
            async with self._database.transaction() as connection:
                for task in await close_waits(connection, *named, TaskStatus.EXPIRED):
                    await tell(connection, pin.tenant_id, task, WebhookEvent.HUMAN_TASK_EXPIRED)
        except StaleEpoch as error:
            raise SessionMoved from error
        except AWAY as error:
            raise StoreLost from error

    async def close_all(self, tenant_id: str, session_id: str, place: str | None, *, expired: bool) -> None:
        """Close the open tasks of a session, or of one suspension of it; webhooks hear of those that expire."""
        status = TaskStatus.EXPIRED if expired else TaskStatus.CANCELLED
        async with self._database.transaction() as connection:
            for task in await self._tasks.close_all(connection, tenant_id, session_id, place, status):
                if expired:
                    await tell(connection, tenant_id, task, WebhookEvent.HUMAN_TASK_EXPIRED)

    async def move_overdue(self, limit: int) -> int:
        """Give overdue tasks to the next level of their escalation chains, or let them expire; return how many.

        A session that waits for one that expires goes on.
        """
        now = self._clock.now()
        async with self._database.transaction() as connection:
            due = await self._tasks.due(connection, now, limit)
            for tenant_id, task in due:
                moved = overdue(task, now)
                await self._tasks.replace(connection, tenant_id, moved)
                if moved.status == TaskStatus.EXPIRED:
                    await self._tasks.resume(connection, tenant_id, moved)
                    await tell(connection, tenant_id, moved, WebhookEvent.HUMAN_TASK_EXPIRED)
        return len(due)

    async def open_of(self, tenant_id: str, project_id: str, session_id: str) -> Sequence[HumanTask]:
        """Return the open tasks of a session, the most urgent first."""
        rows, _ = await self._tasks.list(tenant_id, project_id, TaskQuery(statuses=OPEN, session_id=session_id))
        return rows


async def tell(connection: Connection, tenant_id: str, task: HumanTask, event: WebhookEvent) -> None:
    """Have the webhooks of a project told what has become of a task."""
    await webhooks.emit(connection, tenant_id, task.project_id, event, {"task": wire_task(tenant_id, task)})


def wire_task(tenant_id: str, task: HumanTask) -> JsonObject:
    """Return a task as it goes over the wire. Spec: platform-api 10."""
    return {
        "id": task.task_id,
        "projectId": task.project_id,
        "tenantId": tenant_id,
        "type": task.type,
        "status": str(task.status),
        "priority": task.priority,
        "title": task.title,
        "description": task.description,
        "context": task.context,
        "fields": [_wire_field(one) for one in task.fields],
        "options": list(task.options),
        "tags": list(task.tags),
        "source": _source(task),
        "assignedTo": task.assigned_to,
        "assignedToTeam": task.assigned_to_team,
        "assignedAt": iso_ms(task.assigned_at) if task.assigned_at is not None else None,
        "claimedBy": task.claimed_by,
        "claimedAt": iso_ms(task.claimed_at) if task.claimed_at is not None else None,
        "dueAt": iso_ms(task.due_at) if task.due_at is not None else None,
        "escalationChain": [msgspec.to_builtins(one) for one in task.escalation_chain],
        "currentEscalationLevel": task.current_escalation_level,
        "resolution": task.resolution,
        "cancelReason": task.cancel_reason,
        "createdAt": iso_ms(task.created_at),
        "updatedAt": iso_ms(task.updated_at),
        "createdBy": task.created_by,
    }


class _Assignment(NamedTuple):
    user: str | None
    team: str | None


def _task_of(pin: SessionPin, wanted: WantedTask, whose: _Assignment, clock: Clock) -> HumanTask:
    now = clock.now()
    task = HumanTask(
        task_id=task_id_of(pin, wanted.suspension_id),
        project_id=pin.project_id,
        session_id=pin.session_id,
        place=place_of(pin, wanted.suspension_id),
        type=msgspec.convert(wanted.task_type, TaskType),
        title=wanted.title,
        priority=msgspec.convert(wanted.priority, Priority),
        agent_name=wanted.agent,
        context=wanted.context,
        tags=wanted.tags,
        assigned_to=whose.user,
        assigned_to_team=whose.team,
        due_at=parse_iso(wanted.due_at) if wanted.due_at else None,
        created_at=now,
        updated_at=now,
        created_by=wanted.agent,
    )
    return opened(task)


def _source(task: HumanTask) -> JsonObject:
    source: JsonObject = {"kind": task.source_kind}
    if task.session_id:
        source["sessionId"] = task.session_id
    if task.agent_name:
        source["agentName"] = task.agent_name
    if task.place:
        source["callbackId"] = id_at("callback", task.session_id, task.place)
    return source


def _wire_field(form: TaskField) -> JsonObject:
    written: JsonObject = {"name": form.name, "type": form.type, "label": form.label, "required": form.required}
    return {**written, "options": list(form.options)} if form.options else written
