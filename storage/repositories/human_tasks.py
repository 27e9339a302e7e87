"""Human tasks: opened once per suspension, closed once. Closing and the job that resumes the session go together.

Spec: platform-api 3.4, 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct, field

from domain.json_values import JsonObject
from storage.database import Connection, Database, Row
from storage.repositories.jobs import ENQUEUE
from storage.statements import Statement

RESUME_JOB = "task.resume"
OPEN = ("pending", "assigned", "in_progress")

_COLUMNS = """
    task_id, project_id, session_id, place, type, status, priority, title, agent_name, context, tags, assigned_to,
    assigned_to_team, resolution, created_at, updated_at, due_at
"""

CREATE = Statement("""
    INSERT INTO human_tasks (
        tenant_id, task_id, project_id, session_id, place, type, priority, title, agent_name, context, tags,
        assigned_to, assigned_to_team, due_at, status
    ) VALUES (
        :tenant_id, :task_id, :project_id, :session_id, :place, :type, :priority, :title, :agent_name, :context, :tags,
        :assigned_to::text, :assigned_to_team::text, :due_at,
        CASE WHEN coalesce(:assigned_to::text, :assigned_to_team::text) IS NULL THEN 'pending' ELSE 'assigned' END
    )
    ON CONFLICT (tenant_id, task_id) DO NOTHING
""")
FIND = Statement(f"SELECT {_COLUMNS} FROM human_tasks WHERE tenant_id = :tenant_id AND task_id = :task_id")
CLOSE = Statement("""
    UPDATE human_tasks SET status = :status, resolution = :resolution, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND task_id = :task_id AND status IN ('pending', 'assigned', 'in_progress')
    RETURNING session_id
""")
CANCEL = Statement("""
    UPDATE human_tasks SET status = :status, updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND session_id = :session_id AND (:place::text IS NULL OR place = :place)
      AND status IN ('pending', 'assigned', 'in_progress')
""")
_FILTER = """
    WHERE tenant_id = :tenant_id AND project_id = :project_id
      AND (:statuses::text[] IS NULL OR status = ANY(:statuses))
      AND (:session_id::text IS NULL OR session_id = :session_id)
"""
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM human_tasks {_FILTER}
    ORDER BY array_position(ARRAY['critical', 'high', 'medium', 'low'], priority), created_at, task_id
    LIMIT :limit OFFSET :offset
""")
COUNT = Statement(f"SELECT count(*) FROM human_tasks {_FILTER}")


class NewTask(Struct, frozen=True, kw_only=True):
    """A task for a person."""

    task_id: str
    project_id: str
    type: str
    title: str
    session_id: str = ""
    place: str = ""
    priority: str = "medium"
    agent_name: str = ""
    context: JsonObject = field(default_factory=dict)
    tags: Sequence[str] = ()
    assigned_to: str | None = None
    assigned_to_team: str | None = None
    due_at: datetime | None = None


class TaskRecord(NewTask, frozen=True, kw_only=True):
    """A task as it stands."""

    status: str
    resolution: JsonObject | None
    created_at: datetime
    updated_at: datetime


class HumanTasks:
    """The tasks of all projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, tenant_id: str, task: NewTask) -> bool:
        """Open a task; return False when it was there already."""
        values = {name: getattr(task, name) for name in task.__struct_fields__}
        return bool(await self._database.execute(CREATE, tenant_id=tenant_id, **{**values, "tags": list(task.tags)}))

    async def find(self, tenant_id: str, task_id: str) -> TaskRecord | None:
        """Return a task."""
        row = await self._database.row(FIND, tenant_id=tenant_id, task_id=task_id)
        return _record(row) if row else None

    async def list(
        self,
        tenant_id: str,
        project_id: str,
        *,
        statuses: Sequence[str] = (),
        session_id: str = "",
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[Sequence[TaskRecord], int]:
        """Return one page by priority and then age, and how many there are in all."""
        wanted = {"statuses": list(statuses) or None, "session_id": session_id or None}
        rows = await self._database.rows(
            LIST, tenant_id=tenant_id, project_id=project_id, limit=limit, offset=offset, **wanted
        )
        total = await self._database.value(COUNT, tenant_id=tenant_id, project_id=project_id, **wanted)
        return [_record(row) for row in rows], int(total)

    async def close(self, tenant_id: str, task_id: str, status: str, resolution: JsonObject) -> bool:
        """Close a task that is open, and have its session go on; return False unless it was open."""
        async with self._database.transaction() as connection:
            row = await connection.row(
                CLOSE, tenant_id=tenant_id, task_id=task_id, status=status, resolution=resolution
            )
            if row is None:
                return False
            if row["session_id"]:
                await _resume(connection, tenant_id, task_id, row["session_id"])
        return True

    async def close_all(self, tenant_id: str, session_id: str, place: str | None, status: str) -> int:
        """Close the open tasks of one suspension or of a whole session without a word to it; return how many."""
        return await self._database.execute(
            CANCEL, tenant_id=tenant_id, session_id=session_id, place=place, status=status
        )


async def _resume(connection: Connection, tenant_id: str, task_id: str, session_id: str) -> None:
    payload = {"task_id": task_id, "session_id": session_id}
    await connection.execute(ENQUEUE, tenant_id=tenant_id, kind=RESUME_JOB, name=task_id, payload=payload, delay_s=0.0)


def _record(row: Row) -> TaskRecord:
    return TaskRecord(**dict(row))
