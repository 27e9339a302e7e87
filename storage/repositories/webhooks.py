"""Hooks of projects, and the outbox of what is to be delivered to them. Spec: platform-api 14.6.

What happened is written for each hook that asks for it together with the job that sends it, in the transaction of what
happened: neither is there without the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from domain.json_values import JsonObject
from domain.limits import WEBHOOK_DELIVERIES_KEPT_DAYS, WEBHOOK_FAILURES_MAX
from domain.webhooks import Delivery, Webhook
from storage.database import Connection, Database, Row
from storage.statements import Statement

DELIVER_JOB = "webhook.deliver"
ERROR_MAX_CHARS = 500
SWITCHED_OFF = "The webhook is switched off"
"""Why a delivery waits, or is dead."""

_COLUMNS = """
    webhook_id, project_id, url, events, description, is_active, failures, disabled_at, created_at, updated_at
"""
_DELIVERY_COLUMNS = """
    d.event_id, d.webhook_id, d.project_id, d.event, d.data, d.status, d.attempts, d.response_status, d.last_error,
    d.created_at, d.attempted_at, d.next_attempt_at
"""

EMIT = Statement(f"""
    WITH happened AS (
        SELECT 'evt_c' || left(replace(gen_random_uuid()::text, '-', ''), 24) AS event_id
    ),
    kept AS (
        INSERT INTO webhook_deliveries (tenant_id, webhook_id, event_id, project_id, event, data)
        SELECT w.tenant_id, w.webhook_id, h.event_id, w.project_id, :event::text, :data::jsonb
        FROM happened h, webhooks w
        WHERE w.tenant_id = :tenant_id AND w.project_id = :project_id AND w.is_active
          AND w.events && ARRAY[:event::text, '*']::text[]
        RETURNING tenant_id, webhook_id, event_id
    )
    INSERT INTO jobs (tenant_id, kind, name, payload)
    SELECT tenant_id, '{DELIVER_JOB}', webhook_id || '/' || event_id,
        jsonb_build_object('webhook_id', webhook_id, 'event_id', event_id)
    FROM kept
""")
HAS = Statement("""
    SELECT EXISTS (
        SELECT FROM webhooks WHERE tenant_id = :tenant_id AND project_id = :project_id AND is_active
    )
""")
LOCK_PROJECT = Statement("""
    SELECT project_id FROM projects WHERE tenant_id = :tenant_id AND project_id = :project_id FOR NO KEY UPDATE
""")
CREATE = Statement(f"""
    INSERT INTO webhooks (tenant_id, webhook_id, project_id, url, events, description, is_active, sealed, created_by)
    VALUES (
        :tenant_id, :webhook_id, :project_id, :url, :events, :description, :is_active, :sealed, :created_by
    )
    RETURNING {_COLUMNS}
""")
FIND = Statement(f"""
    SELECT {_COLUMNS} FROM webhooks
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND webhook_id = :webhook_id
""")
LIST = Statement(f"""
    SELECT {_COLUMNS} FROM webhooks WHERE tenant_id = :tenant_id AND project_id = :project_id
    ORDER BY created_at, webhook_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement("SELECT count(*) FROM webhooks WHERE tenant_id = :tenant_id AND project_id = :project_id")
UPDATE = Statement(f"""
    UPDATE webhooks SET
        url = coalesce(:url, url), events = coalesce(:events, events),
        description = coalesce(:description, description),
        is_active = coalesce(:is_active, is_active),
        failures = CASE WHEN :is_active THEN 0 ELSE failures END,
        disabled_at = CASE WHEN :is_active THEN NULL ELSE disabled_at END,
        updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND webhook_id = :webhook_id
    RETURNING {_COLUMNS}
""")
DELETE = Statement("""
    DELETE FROM webhooks WHERE tenant_id = :tenant_id AND project_id = :project_id AND webhook_id = :webhook_id
""")
SEALED = Statement("SELECT sealed FROM webhooks WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id")
OUTGOING = Statement(f"""
    SELECT {_DELIVERY_COLUMNS}, w.url, w.is_active, w.disabled_at IS NOT NULL AS has_failed, w.sealed
    FROM webhook_deliveries d JOIN webhooks w USING (tenant_id, webhook_id)
    WHERE d.tenant_id = :tenant_id AND d.webhook_id = :webhook_id AND d.event_id = :event_id
""")
NOTE = Statement("""
    UPDATE webhook_deliveries SET
        status = :status, attempts = attempts + :tries, response_status = :response_status, last_error = :error,
        attempted_at = CASE WHEN :tries > 0 THEN clock_timestamp() ELSE attempted_at END,
        next_attempt_at = clock_timestamp() + make_interval(secs => :retry_s)
    WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id AND event_id = :event_id AND status = 'pending'
""")
PAUSE = Statement("""
    UPDATE webhook_deliveries d SET last_error = :error, next_attempt_at = NULL
    FROM (
        SELECT tenant_id, webhook_id FROM webhooks
        WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id AND NOT is_active FOR SHARE
    ) paused
    WHERE d.tenant_id = paused.tenant_id AND d.webhook_id = paused.webhook_id AND d.event_id = :event_id
      AND d.status = 'pending'
""")
GO_ON = Statement(f"""
    UPDATE jobs j SET due_at = clock_timestamp(), claim = j.claim + 1
    FROM webhook_deliveries d
    WHERE d.tenant_id = :tenant_id AND d.webhook_id = :webhook_id AND d.status = 'pending' AND d.last_error = :paused
      AND j.tenant_id = d.tenant_id AND j.kind = '{DELIVER_JOB}' AND j.name = d.webhook_id || '/' || d.event_id
""")
"""Whoever was about to put such a delivery off has its claim no more."""
SUCCEEDED = Statement("""
    UPDATE webhooks SET failures = 0
    WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id AND failures > 0
""")
FAILED = Statement(f"""
    UPDATE webhooks SET
        failures = failures + 1,
        is_active = is_active AND failures + 1 < {WEBHOOK_FAILURES_MAX},
        disabled_at = CASE
            WHEN is_active AND failures + 1 >= {WEBHOOK_FAILURES_MAX} THEN clock_timestamp() ELSE disabled_at END
    WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id
    RETURNING is_active
""")
_OF_HOOK = """
    FROM webhook_deliveries d
    WHERE d.tenant_id = :tenant_id AND d.webhook_id = :webhook_id AND (:status::text IS NULL OR d.status = :status)
"""
DELIVERIES = Statement(f"""
    SELECT {_DELIVERY_COLUMNS} {_OF_HOOK} ORDER BY d.created_at DESC, d.event_id LIMIT :limit OFFSET :offset
""")
COUNT_DELIVERIES = Statement(f"SELECT count(*) {_OF_HOOK}")
FORGET_OLD = Statement(f"""
    DELETE FROM webhook_deliveries WHERE ctid IN (
        SELECT ctid FROM webhook_deliveries
        WHERE status <> 'pending' AND created_at < now() - interval '{WEBHOOK_DELIVERIES_KEPT_DAYS} days'
        ORDER BY created_at LIMIT :limit
    )
""")


class NewWebhook(NamedTuple):
    """A hook to keep; `sealed` is its secret."""

    webhook_id: str
    project_id: str
    url: str
    events: Sequence[str]
    description: str
    is_active: bool
    sealed: bytes
    created_by: str


class WebhookChange(NamedTuple):
    """What to change; None leaves it."""

    url: str | None = None
    events: Sequence[str] | None = None
    description: str | None = None
    is_active: bool | None = None


class Outgoing(NamedTuple):
    """A delivery with what it takes to make it; `has_failed` when the hook was switched off for its failures."""

    delivery: Delivery
    url: str
    is_active: bool
    has_failed: bool
    sealed: bytes


class Tried(NamedTuple):
    """What came of a try; `tries` is 0 where none was made, `retry_s` None where none follows."""

    status: str
    response_status: int | None = None
    error: str = ""
    retry_s: float | None = None
    tries: int = 1


async def emit(connection: Connection, tenant_id: str, project_id: str, event: str, data: JsonObject) -> int:
    """Have the hooks of a project told of an event when this transaction is committed; return how many there are."""
    return await connection.execute(EMIT, tenant_id=tenant_id, project_id=project_id, event=event, data=data)


class Webhooks:
    """The hooks of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def has_active(self, tenant_id: str, project_id: str) -> bool:
        """Return whether anybody wants to be told of what happens in a project."""
        return bool(await self._database.value(HAS, tenant_id=tenant_id, project_id=project_id))

    async def create(self, connection: Connection, tenant_id: str, new: NewWebhook, *, most: int) -> Webhook | None:
        """Keep a hook; None when the project has as many as it may, or is not there."""
        locked = await connection.row(LOCK_PROJECT, tenant_id=tenant_id, project_id=new.project_id)
        count = await connection.value(COUNT, tenant_id=tenant_id, project_id=new.project_id)
        if locked is None or count >= most:
            return None
        row = await connection.row(CREATE, tenant_id=tenant_id, **{**new._asdict(), "events": list(new.events)})
        return _webhook(row) if row else None

    async def find(self, tenant_id: str, project_id: str, webhook_id: str) -> Webhook | None:
        """Return a hook of a project."""
        row = await self._database.row(FIND, tenant_id=tenant_id, project_id=project_id, webhook_id=webhook_id)
        return _webhook(row) if row else None

    async def list(self, tenant_id: str, project_id: str, *, limit: int, offset: int) -> tuple[list[Webhook], int]:
        """Return hooks of a project, the oldest first, and how many there are."""
        rows = await self._database.rows(LIST, tenant_id=tenant_id, project_id=project_id, limit=limit, offset=offset)
        total = await self._database.value(COUNT, tenant_id=tenant_id, project_id=project_id)
        return [_webhook(row) for row in rows], int(total)

    async def update(
        self, connection: Connection, tenant_id: str, project_id: str, webhook_id: str, change: WebhookChange
    ) -> Webhook | None:
        """Change a hook; switching it on forgets its failures. None when there is none."""
        events = list(change.events) if change.events is not None else None
        given = {**change._asdict(), "events": events, "project_id": project_id, "webhook_id": webhook_id}
        row = await connection.row(UPDATE, tenant_id=tenant_id, **given)
        return _webhook(row) if row else None

    async def delete(self, connection: Connection, tenant_id: str, project_id: str, webhook_id: str) -> bool:
        """Remove a hook with its deliveries; return False when there is none."""
        return bool(await connection.execute(DELETE, tenant_id=tenant_id, project_id=project_id, webhook_id=webhook_id))

    async def sealed(self, tenant_id: str, webhook_id: str) -> bytes | None:
        """Return the sealed secret of a hook."""
        found: bytes | None = await self._database.value(SEALED, tenant_id=tenant_id, webhook_id=webhook_id)
        return found

    async def outgoing(self, tenant_id: str, webhook_id: str, event_id: str) -> Outgoing | None:
        """Return a delivery with its hook; None when either is gone."""
        row = await self._database.row(OUTGOING, tenant_id=tenant_id, webhook_id=webhook_id, event_id=event_id)
        if row is None:
            return None
        return Outgoing(_delivery(row), row["url"], row["is_active"], row["has_failed"], row["sealed"])

    async def pause(self, tenant_id: str, delivery: Delivery) -> bool:
        """Write down that a delivery waits for its hook; return False when the hook is on, or nothing waits."""
        place = {"webhook_id": delivery.webhook_id, "event_id": delivery.event_id}
        return bool(await self._database.execute(PAUSE, tenant_id=tenant_id, error=SWITCHED_OFF, **place))

    async def go_on(self, connection: Connection, tenant_id: str, webhook_id: str) -> None:
        """Have what waited for a hook that is on again sent at once."""
        await connection.execute(GO_ON, tenant_id=tenant_id, webhook_id=webhook_id, paused=SWITCHED_OFF)

    async def note(
        self, connection: Connection, tenant_id: str, delivery: Delivery, tried: Tried, *, has_failed: bool
    ) -> bool:
        """Write down what came of a try, and with `has_failed` that the hook failed; return whether it is still on."""
        hook = {"tenant_id": tenant_id, "webhook_id": delivery.webhook_id}
        given = {**tried._asdict(), "error": tried.error[:ERROR_MAX_CHARS], "event_id": delivery.event_id}
        await connection.execute(NOTE, **hook, **given)
        if tried.tries and has_failed:
            return bool(await connection.value(FAILED, **hook))
        if tried.tries:
            await connection.execute(SUCCEEDED, **hook)
        return True

    async def deliveries(
        self, tenant_id: str, webhook_id: str, *, status: str | None, limit: int, offset: int
    ) -> tuple[Sequence[Delivery], int]:
        """Return deliveries to a hook, the newest first, and how many there are."""
        wanted = {"tenant_id": tenant_id, "webhook_id": webhook_id, "status": status}
        rows = await self._database.rows(DELIVERIES, **wanted, limit=limit, offset=offset)
        return [_delivery(row) for row in rows], int(await self._database.value(COUNT_DELIVERIES, **wanted))

    async def forget_old(self, limit: int) -> int:
        """Delete what was delivered or given up long ago, at most `limit`; return how many there were."""
        return await self._database.execute(FORGET_OLD, limit=limit)


def _webhook(row: Row) -> Webhook:
    return Webhook(**{**dict(row), "events": tuple(row["events"])})


def _delivery(row: Row) -> Delivery:
    names = Delivery.__struct_fields__
    return msgspec.convert({name: row[name] for name in names}, Delivery)
