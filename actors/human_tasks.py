"""Human tasks of suspended sessions: opened once for each suspension, resolved once. Spec: platform-api 3.4, 10."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from actors.callbacks import BETWEEN, place_of
from actors.runtime import JsonObject, Page, TaskFilter, TaskResolution
from actors.session.store import ClosedTask, SessionPin, StoreLost, WantedTask
from domain.clock import iso_ms, parse_iso
from domain.errors import Conflict, InvalidInput, NotFound, Overloaded, Unavailable
from domain.ids import PREFIXES
from storage.database import Database
from storage.repositories.human_tasks import OPEN, HumanTasks, NewTask, TaskRecord

ID_DIGEST_BYTES = 12
COMPLETED, EXPIRED, CANCELLED = "completed", "expired", "cancelled"
DECISIONS: dict[str, frozenset[str]] = {
    "approval": frozenset({"approved", "rejected"}),
    "review": frozenset({"approved", "rejected", "changes_requested"}),
    "data_entry": frozenset({"submitted"}),
    "escalation": frozenset({"resolved", "needs_agent", "rejected"}),
}
"""Type of a task -> what may be decided; a type that is not here takes any word."""
AWAY = (Unavailable, Overloaded)


class TaskDesk:
    """Where human tasks are opened and resolved."""

    def __init__(self, database: Database) -> None:
        self._tasks = HumanTasks(database)

    async def open(self, pin: SessionPin, wanted: WantedTask) -> str:
        """Return the id of the task of a suspension, made when first asked for."""
        place = place_of(pin, wanted.suspension_id)
        task = NewTask(
            task_id=task_id_of(pin, wanted.suspension_id),
            project_id=pin.project_id,
            session_id=pin.session_id,
            place=place,
            type=wanted.task_type,
            title=wanted.title,
            priority=wanted.priority,
            agent_name=wanted.agent,
            context=wanted.context,
            tags=wanted.tags,
            assigned_to=wanted.assignee or None,
            assigned_to_team=wanted.team or None,
            due_at=parse_iso(wanted.due_at) if wanted.due_at else None,
        )
        try:
            await self._tasks.create(pin.tenant_id, task)
        except AWAY as error:
            raise StoreLost from error
        return task.task_id

    async def closed(self, pin: SessionPin, task_id: str) -> ClosedTask | None:
        """Return a task that is closed; None when it is open or not there."""
        try:
            task = await self._tasks.find(pin.tenant_id, task_id)
        except AWAY as error:
            raise StoreLost from error
        if task is None or task.status in OPEN:
            return None
        runtime_session_id, _, suspension_id = task.place.rpartition(BETWEEN)
        return ClosedTask(runtime_session_id, suspension_id, task.type, task.status, task.resolution or {})

    async def close(self, pin: SessionPin, suspension_id: str, *, expired: bool) -> None:
        """Close the open task of one suspension, or all of a session's, without a word to it."""
        place = place_of(pin, suspension_id) if suspension_id else None
        try:
            await self._tasks.close_all(pin.tenant_id, pin.session_id, place, EXPIRED if expired else CANCELLED)
        except AWAY as error:
            raise StoreLost from error

    async def resolve(self, resolution: TaskResolution, at: datetime) -> tuple[JsonObject, str]:
        """Close a task with a decision, once; return it as on the wire, and the session that goes on.

        Raises:
            NotFound: There is no such task in the project.
            InvalidInput: Tasks of its type take other decisions.
            Conflict: It is closed already.
        """
        task = await self._of(resolution.tenant_id, resolution.project_id, resolution.task_id)
        allowed = DECISIONS.get(task.type)
        if allowed is not None and resolution.decision not in allowed:
            raise InvalidInput(f"decision must be one of {', '.join(sorted(allowed))}")
        told: JsonObject = {
            "respondedBy": resolution.responded_by,
            "decision": resolution.decision,
            "fields": resolution.fields,
            "notes": resolution.notes,
            "resolvedAt": iso_ms(at),
        }
        if not await self._tasks.close(resolution.tenant_id, resolution.task_id, COMPLETED, told):
            raise Conflict("The task is closed", details={"reason": "TASK_CLOSED"})
        task = await self._of(resolution.tenant_id, resolution.project_id, resolution.task_id)
        return wire_task(resolution.tenant_id, task), task.session_id

    async def open_of(self, tenant_id: str, project_id: str, session_id: str) -> Sequence[TaskRecord]:
        """Return the open tasks of a session, the most urgent first."""
        rows, _ = await self._tasks.list(tenant_id, project_id, statuses=OPEN, session_id=session_id)
        return rows

    async def page(self, tenant_id: str, project_id: str, wanted: TaskFilter) -> Page:
        """Return tasks by priority and then age."""
        rows, total = await self._tasks.list(
            tenant_id,
            project_id,
            statuses=wanted.statuses,
            session_id=wanted.session_id,
            limit=wanted.limit,
            offset=wanted.offset,
        )
        return Page(rows=tuple(wire_task(tenant_id, row) for row in rows), total=total)

    async def _of(self, tenant_id: str, project_id: str, task_id: str) -> TaskRecord:
        task = await self._tasks.find(tenant_id, task_id)
        if task is None or (project_id and task.project_id != project_id):
            raise NotFound("Task not found")
        return task


def task_id_of(pin: SessionPin, suspension_id: str) -> str:
    """Return the id of the task of a suspension."""
    text = f"{pin.session_id}{BETWEEN}{place_of(pin, suspension_id)}"
    return f"{PREFIXES['human_task']}_c{hashlib.blake2b(text.encode(), digest_size=ID_DIGEST_BYTES).hexdigest()}"


def wire_task(tenant_id: str, task: TaskRecord) -> JsonObject:
    """Return a task as it goes over the wire. Spec: platform-api 10."""
    return {
        "id": task.task_id,
        "projectId": task.project_id,
        "tenantId": tenant_id,
        "type": task.type,
        "status": task.status,
        "priority": task.priority,
        "title": task.title,
        "description": None,
        "context": task.context,
        "fields": [],
        "tags": list(task.tags),
        "source": {"kind": "session", "sessionId": task.session_id, "agentName": task.agent_name},
        "assignedTo": task.assigned_to,
        "assignedToTeam": task.assigned_to_team,
        "dueAt": iso_ms(task.due_at) if task.due_at is not None else None,
        "resolution": task.resolution,
        "createdAt": iso_ms(task.created_at),
        "updatedAt": iso_ms(task.updated_at),
    }
