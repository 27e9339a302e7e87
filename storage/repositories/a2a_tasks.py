"""Tasks of Agent2Agent and the addresses that are told of them. Decision: 0054."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from storage.database import Connection, Database, Row
from storage.statements import Statement

PUSH_JOB: Final = "a2a.push"
_COLUMNS = """
    task_id, project_id, owner, agent, session_id, turn_key, first_id, answer_id, state, created_at, updated_at
"""
_MINE = "tenant_id = :tenant_id AND task_id = :task_id"
PUT = Statement("""
    INSERT INTO a2a_tasks AS t (
        tenant_id, task_id, project_id, owner, agent, session_id, turn_key, first_id, answer_id, state
    ) VALUES (
        :tenant_id, :task_id, :project_id, :owner, :agent, :session_id, :turn_key, :first_id, :answer_id, 'working'
    )
    ON CONFLICT (tenant_id, task_id) DO UPDATE SET
        turn_key = excluded.turn_key, answer_id = excluded.answer_id, state = 'working',
        updated_at = clock_timestamp()
        WHERE t.turn_key <> excluded.turn_key OR t.state = 'failed'
    RETURNING xmax = 0 AS is_new
""")
FIND = Statement(f"SELECT {_COLUMNS} FROM a2a_tasks WHERE {_MINE}")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM a2a_tasks
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND owner = :owner
      AND (:agent::text = '' OR agent = :agent) AND (:session_id::text = '' OR session_id = :session_id)
      AND (:state::text = '' OR state = :state) AND (:since::timestamptz IS NULL OR updated_at >= :since)
    ORDER BY updated_at DESC, task_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement("""
    SELECT count(*) FROM a2a_tasks
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND owner = :owner
      AND (:agent::text = '' OR agent = :agent) AND (:session_id::text = '' OR session_id = :session_id)
      AND (:state::text = '' OR state = :state) AND (:since::timestamptz IS NULL OR updated_at >= :since)
""")
MOVE = Statement(f"""
    UPDATE a2a_tasks SET state = :state, updated_at = clock_timestamp()
    WHERE {_MINE} AND turn_key = :turn_key AND state <> :state AND state IN ('working', 'suspended', 'input-required')
""")
REMOVE = Statement(f"DELETE FROM a2a_tasks WHERE {_MINE} AND turn_key = :turn_key AND first_id = :first_id")
COUNT_PUSHES = Statement(f"SELECT count(*) FROM a2a_pushes WHERE {_MINE} AND config_id <> :config_id")
PUT_PUSH = Statement("""
    INSERT INTO a2a_pushes (tenant_id, task_id, config_id, project_id, session_id, url, dialect, sealed)
    VALUES (:tenant_id, :task_id, :config_id, :project_id, :session_id, :url, :dialect, :sealed)
    ON CONFLICT (tenant_id, task_id, config_id) DO UPDATE
        SET url = excluded.url, dialect = excluded.dialect, sealed = excluded.sealed, told = ''
""")
PUSHES = Statement(f"""
    SELECT task_id, config_id, url, dialect, sealed, told, failures FROM a2a_pushes WHERE {_MINE} ORDER BY config_id
""")
TOLD = Statement(f"UPDATE a2a_pushes SET told = :told, failures = :failures WHERE {_MINE} AND config_id = :config_id")
REMOVE_PUSH = Statement(f"DELETE FROM a2a_pushes WHERE {_MINE} AND config_id = :config_id")
WATCH = Statement(f"""
    INSERT INTO jobs AS j (tenant_id, kind, name, payload)
    SELECT DISTINCT tenant_id, '{PUSH_JOB}', task_id, '{{}}'::jsonb FROM a2a_pushes WHERE {_MINE}
    ON CONFLICT (tenant_id, kind, name) DO UPDATE
        SET due_at = clock_timestamp(), attempts = 0, claim = j.claim + 1
""")
"""Has a task looked at that somebody wants to be told of; whoever looks at it now has its claim no more."""
FORGET_OLD = Statement("""
    DELETE FROM a2a_tasks WHERE ctid IN (
        SELECT ctid FROM a2a_tasks
        WHERE updated_at < clock_timestamp() - interval '1 day' * :days::integer LIMIT :limit
    )
""")


class Task(Struct, frozen=True, kw_only=True):
    """Some turns of a session, in order, until what was asked for is done.

    Attributes:
        owner: The credential that began it.
        turn_key: Of the turn that carries its last message.
        first_id: Of the first message of its client; `answer_id` of the reply to the last one.
        state: As in Agent2Agent 0.3, and `suspended` for one that waits for somebody else.
    """

    task_id: str
    project_id: str
    owner: str
    agent: str
    session_id: str
    turn_key: str
    first_id: str
    answer_id: str
    state: str
    created_at: datetime
    updated_at: datetime


class NewTask(Struct, frozen=True, kw_only=True):
    """A message for a task, which may be its first."""

    task_id: str
    project_id: str
    owner: str
    agent: str
    session_id: str
    turn_key: str
    first_id: str
    answer_id: str


class TaskFilter(Struct, frozen=True, kw_only=True):
    """Which tasks a list shows; empty means any."""

    project_id: str
    owner: str
    agent: str = ""
    session_id: str = ""
    state: str = ""
    since: datetime | None = None


class Push(Struct, frozen=True, kw_only=True):
    """An address that is told when a task rests; `told` is the reply it was told of last."""

    task_id: str
    config_id: str
    url: str
    dialect: str
    sealed: bytes
    told: str = ""
    failures: int = 0


class A2aTasks:
    """The tasks of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, tenant_id: str, new: NewTask) -> bool:
        """Keep a message of a task, and return whether it began the task; again, it changes nothing."""
        async with self._database.transaction() as connection:
            is_new = await connection.value(PUT, tenant_id=tenant_id, **_values(new))
            await connection.execute(WATCH, tenant_id=tenant_id, task_id=new.task_id)
        return bool(is_new)

    async def find(self, tenant_id: str, task_id: str) -> Task | None:
        """Return a task."""
        row = await self._database.row(FIND, tenant_id=tenant_id, task_id=task_id)
        return _task(row) if row is not None else None

    async def list(self, tenant_id: str, wanted: TaskFilter, *, limit: int, offset: int) -> tuple[list[Task], int]:
        """Return tasks, the last changed first, and how many there are."""
        asked = {"tenant_id": tenant_id, **_values(wanted)}
        rows = await self._database.rows(LIST, **asked, limit=limit, offset=offset)
        return [_task(row) for row in rows], int(await self._database.value(COUNT, **asked))

    async def move(self, tenant_id: str, task: Task, state: str) -> bool:
        """Write how the last message of a task has ended; False when it has another one, or was over."""
        place = {"task_id": task.task_id, "turn_key": task.turn_key}
        return bool(await self._database.execute(MOVE, tenant_id=tenant_id, **place, state=state))

    async def remove(self, tenant_id: str, new: NewTask) -> None:
        """Forget a task whose first message was refused."""
        place = {"task_id": new.task_id, "turn_key": new.turn_key, "first_id": new.first_id}
        await self._database.execute(REMOVE, tenant_id=tenant_id, **place)

    async def put_push(self, connection: Connection, tenant_id: str, task: Task, push: Push, *, most: int) -> bool:
        """Keep an address of a task, and have the task looked at; False when it has as many as it may."""
        place = {"task_id": task.task_id, "config_id": push.config_id}
        if await connection.value(COUNT_PUSHES, tenant_id=tenant_id, **place) >= most:
            return False
        await connection.execute(
            PUT_PUSH,
            tenant_id=tenant_id,
            **place,
            project_id=task.project_id,
            session_id=task.session_id,
            url=push.url,
            dialect=push.dialect,
            sealed=push.sealed,
        )
        await connection.execute(WATCH, tenant_id=tenant_id, task_id=task.task_id)
        return True

    async def pushes(self, tenant_id: str, task_id: str) -> Sequence[Push]:
        """Return the addresses of a task."""
        rows = await self._database.rows(PUSHES, tenant_id=tenant_id, task_id=task_id)
        return [Push(**dict(row)) for row in rows]

    async def told(self, tenant_id: str, push: Push, reply: str, *, failures: int = 0) -> None:
        """Write of which reply an address was told, and how often it could not be told of the next."""
        place = {"task_id": push.task_id, "config_id": push.config_id}
        await self._database.execute(TOLD, tenant_id=tenant_id, **place, told=reply, failures=failures)

    async def remove_push(self, tenant_id: str, task_id: str, config_id: str) -> bool:
        """Forget an address; False when there is none."""
        place = {"task_id": task_id, "config_id": config_id}
        return bool(await self._database.execute(REMOVE_PUSH, tenant_id=tenant_id, **place))

    async def forget_old(self, days: int, limit: int) -> int:
        """Remove tasks in which nothing has happened for so many days, at most `limit`; return how many."""
        return await self._database.execute(FORGET_OLD, days=days, limit=limit)


def _values(one: NewTask | TaskFilter) -> dict[str, object]:
    return {name: getattr(one, name) for name in one.__struct_fields__}


def _task(row: Row) -> Task:
    return Task(**dict(row))
