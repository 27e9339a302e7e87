"""What a session waits for, closed by the host that owns it: callbacks with their work, human tasks; one statement."""

from __future__ import annotations

from collections.abc import Sequence

from domain.human_tasks import HumanTask, TaskStatus
from storage.database import Connection, Database
from storage.leases import HELD, lost
from storage.repositories.callbacks import WORK_JOB
from storage.repositories.human_tasks import IS_OPEN, TASK_COLUMNS, task_of
from storage.statements import Statement

CLOSE = Statement(f"""
    WITH held AS ({HELD}),
    cancelled AS (
        UPDATE callbacks c SET status = 'cancelled', closed_at = clock_timestamp() FROM held
        WHERE c.tenant_id = :tenant_id AND c.session_id = :session_id AND c.status = 'pending'
          AND (:place::text IS NULL OR c.suspension_id = :place)
        RETURNING c.tenant_id, c.callback_id
    ),
    dropped AS (
        DELETE FROM jobs j USING cancelled c
        WHERE j.tenant_id = c.tenant_id AND j.kind = '{WORK_JOB}' AND j.name = c.callback_id
    ),
    closed AS (
        UPDATE human_tasks t SET status = :status, updated_at = clock_timestamp() FROM held
        WHERE t.tenant_id = :tenant_id AND t.session_id = :session_id AND t.session_id <> ''
          AND (:place::text IS NULL OR t.place = :place) AND {IS_OPEN}
        RETURNING {TASK_COLUMNS}
    )
    SELECT {TASK_COLUMNS} FROM held LEFT JOIN closed ON true
""")


async def close_waits(
    through: Database | Connection, tenant_id: str, session_id: str, epoch: int, place: str | None, status: TaskStatus
) -> Sequence[HumanTask]:
    """Close what one suspension of a session waits for, or all of them; return the tasks that were open.

    Raises:
        StaleEpoch: The session is not this epoch's; nothing has changed.
    """
    named = {"tenant_id": tenant_id, "session_id": session_id}
    rows = await through.rows(CLOSE, **named, epoch=epoch, place=place, status=status)
    if not rows:
        raise lost(session_id, epoch)
    return [task_of(row) for row in rows if row["task_id"] is not None]
