"""Human tasks: opened once per suspension, and each changed only by whoever holds its row.

What changes a task is in `domain.human_tasks`; the job that has its session go on is written with the change.
Spec: platform-api 3.4, 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from domain.human_tasks import OPEN, PRIORITIES, HumanTask, TaskStatus
from storage.database import Connection, Database, Row
from storage.repositories.jobs import ENQUEUE
from storage.statements import Statement

RESUME_JOB: Final = "task.resume"

TASK_COLUMNS = """
    task_id, project_id, session_id, place, source_kind, agent_name, type, status, priority, title, description,
    context, fields, options, tags, assigned_to, assigned_to_team, assigned_at, claimed_by, claimed_at, due_at,
    escalation_chain, current_escalation_level, resolution, cancel_reason, created_at, updated_at, created_by
"""
IS_OPEN = f"status IN ({', '.join(repr(str(one)) for one in OPEN)})"

CREATE = Statement(f"""
    INSERT INTO human_tasks (tenant_id, {TASK_COLUMNS}) VALUES (
        :tenant_id, :task_id, :project_id, :session_id, :place, :source_kind, :agent_name, :type, :status, :priority,
        :title, :description, :context, :fields, :options, :tags, :assigned_to, :assigned_to_team, :assigned_at,
        :claimed_by, :claimed_at, :due_at, :escalation_chain, :current_escalation_level, :resolution, :cancel_reason,
        :created_at, :updated_at, :created_by
    )
    ON CONFLICT (tenant_id, task_id) DO NOTHING
""")
FIND = Statement(f"SELECT {TASK_COLUMNS} FROM human_tasks WHERE tenant_id = :tenant_id AND task_id = :task_id")
LOCK = Statement(
    f"SELECT {TASK_COLUMNS} FROM human_tasks WHERE tenant_id = :tenant_id AND task_id = :task_id FOR UPDATE"
)
REPLACE = Statement("""
    UPDATE human_tasks SET
        status = :status, assigned_to = :assigned_to, assigned_to_team = :assigned_to_team, assigned_at = :assigned_at,
        claimed_by = :claimed_by, claimed_at = :claimed_at, due_at = :due_at,
        current_escalation_level = :current_escalation_level, resolution = :resolution,
        cancel_reason = :cancel_reason, updated_at = :updated_at
    WHERE tenant_id = :tenant_id AND task_id = :task_id
""")
CLOSE_ALL = Statement(f"""
    UPDATE human_tasks SET status = :status, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND (:place::text IS NULL OR place = :place) AND {IS_OPEN}
    RETURNING {TASK_COLUMNS}
""")
DUE = Statement(f"""
    SELECT tenant_id, {TASK_COLUMNS} FROM human_tasks WHERE due_at <= :now AND {IS_OPEN}
    ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED
""")
_FILTER = """
    WHERE tenant_id = :tenant_id AND project_id = :project_id
      AND (:statuses::text[] IS NULL OR status = ANY(:statuses))
      AND (:type::text IS NULL OR type = :type) AND (:priority::text IS NULL OR priority = :priority)
      AND (:assignees::text[] IS NULL OR assigned_to = ANY(:assignees))
      AND (:team::text IS NULL OR assigned_to_team = :team)
      AND (:session_id::text IS NULL OR session_id = :session_id)
"""
LIST = Statement(f"""
    SELECT {TASK_COLUMNS} FROM human_tasks {_FILTER}
    ORDER BY array_position(ARRAY[{", ".join(map(repr, PRIORITIES))}], priority), created_at, task_id
    LIMIT :limit OFFSET :offset
""")
FORGET_CLOSED = Statement("""
    DELETE FROM human_tasks WHERE ctid IN (
        SELECT ctid FROM human_tasks
        WHERE status IN ('completed', 'expired', 'cancelled') AND updated_at < :before LIMIT :limit
    )
""")
COUNT = Statement(f"SELECT count(*) FROM human_tasks {_FILTER}")
_CHANGING = tuple(name for name in REPLACE.names if name not in ("tenant_id", "task_id"))


class TaskQuery(Struct, frozen=True, kw_only=True):
    """Which tasks; empty means any.

    Attributes:
        assignees: All names of one person.
    """

    statuses: tuple[str, ...] = ()
    type: str = ""
    priority: str = ""
    assignees: tuple[str, ...] = ()
    team: str = ""
    session_id: str = ""
    limit: int = 50
    offset: int = 0


class DueTask(NamedTuple):
    """A task whose time is over, and whose it is."""

    tenant_id: str
    task: HumanTask


class HumanTasks:
    """The tasks of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, connection: Connection, tenant_id: str, task: HumanTask) -> bool:
        """Keep a task; return False when it was there already."""
        values = asdict(task)
        stored = {name: msgspec.to_builtins(values[name]) for name in ("fields", "escalation_chain", "context")}
        lists = {name: list(values[name]) for name in ("options", "tags")}
        return bool(await connection.execute(CREATE, tenant_id=tenant_id, **{**values, **stored, **lists}))

    async def find(self, tenant_id: str, task_id: str) -> HumanTask | None:
        """Return a task."""
        row = await self._database.row(FIND, tenant_id=tenant_id, task_id=task_id)
        return task_of(row) if row else None

    async def locked(self, connection: Connection, tenant_id: str, task_id: str) -> HumanTask | None:
        """Return a task that nobody else changes until the transaction ends."""
        row = await connection.row(LOCK, tenant_id=tenant_id, task_id=task_id)
        return task_of(row) if row else None

    async def replace(self, connection: Connection, tenant_id: str, task: HumanTask) -> None:
        """Keep what a task has become."""
        changed = {name: getattr(task, name) for name in _CHANGING}
        await connection.execute(REPLACE, tenant_id=tenant_id, task_id=task.task_id, **changed)

    async def resume(self, connection: Connection, tenant_id: str, task: HumanTask) -> None:
        """Have the session that waits for a task go on when the transaction is committed."""
        if task.place:
            payload = {"task_id": task.task_id, "session_id": task.session_id}
            await connection.execute(
                ENQUEUE, tenant_id=tenant_id, kind=RESUME_JOB, name=task.task_id, payload=payload, delay_s=0.0
            )

    async def list(self, tenant_id: str, project_id: str, wanted: TaskQuery) -> tuple[Sequence[HumanTask], int]:
        """Return one page by priority and then age, and how many there are in all."""
        conditions = {
            "statuses": list(wanted.statuses) or None,
            "type": wanted.type or None,
            "priority": wanted.priority or None,
            "assignees": list(wanted.assignees) or None,
            "team": wanted.team or None,
            "session_id": wanted.session_id or None,
        }
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, limit=wanted.limit, offset=wanted.offset, **conditions
        )
        total = await self._database.value(COUNT, tenant_id=tenant_id, project_id=project_id, **conditions)
        return [task_of(row) for row in rows], int(total)

    async def close_all(
        self, connection: Connection, tenant_id: str, session_id: str, place: str | None, status: TaskStatus
    ) -> Sequence[HumanTask]:
        """Close the open tasks of one suspension or of a whole session without a word to it; return them."""
        rows = await connection.rows(CLOSE_ALL, tenant_id=tenant_id, session_id=session_id, place=place, status=status)
        return [task_of(row) for row in rows]

    async def due(self, connection: Connection, now: datetime, limit: int) -> Sequence[DueTask]:
        """Return tasks of all tenants whose time is over; nobody else gets them until the transaction ends."""
        rows = await connection.rows(DUE, now=now, limit=limit)
        return [DueTask(row["tenant_id"], task_of(row)) for row in rows]

    async def forget_closed(self, before: datetime, limit: int) -> int:
        """Delete tasks that were closed before a moment; return how many."""
        return await self._database.execute(FORGET_CLOSED, before=before, limit=limit)


def task_of(row: Row) -> HumanTask:
    """Return the task in a row of `TASK_COLUMNS`."""
    return msgspec.convert(dict(row), HumanTask)
