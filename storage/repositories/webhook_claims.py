"""Giving out deliveries of webhooks hook by hook, so that no backlog stands before another. Spec: platform-api 14.6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from storage.database import Database
from storage.repositories.jobs import CLAIM_S, NOT_BESIDE, Job, named_beside
from storage.repositories.webhooks import DELIVER_JOB
from storage.statements import Statement

_HOOK = "split_part(name, '/', 1)"
_NEXT = f"""
    SELECT tenant_id, {_HOOK} AS webhook_id, due_at <= clock_timestamp() AS is_due FROM jobs
    WHERE kind = '{DELIVER_JOB}' AND (tenant_id, {_HOOK}) > ({{tenant_id}}, {{webhook_id}})
    ORDER BY tenant_id, {_HOOK}, due_at LIMIT 1
"""
WAITING = Statement(f"""
    WITH RECURSIVE hooks AS (
        (
            SELECT *, 1 AS number
            FROM ({_NEXT.format(tenant_id=":after_tenant_id::text", webhook_id=":after_webhook_id::text")}) first
        )
        UNION ALL
        SELECT next.*, hooks.number + 1 FROM hooks CROSS JOIN LATERAL (
            {_NEXT.format(tenant_id="hooks.tenant_id", webhook_id="hooks.webhook_id")}
        ) next
        WHERE hooks.number < :limit
    )
    SELECT tenant_id, webhook_id, is_due FROM hooks
""")
"""One step of the index for each hook with something to send, however much that is."""
CLAIM = Statement(f"""
    WITH ranked AS (
        SELECT oldest.*, row_number() OVER (PARTITION BY tenant_id ORDER BY place, due_at) AS of_tenant
        FROM unnest(:tenant_ids::text[], :webhook_ids::text[], :rooms::int[], :tenant_rooms::int[])
            AS free (of_tenant_id, webhook_id, room, tenant_room)
        CROSS JOIN LATERAL (
            SELECT tenant_id, name, due_at, row_number() OVER (ORDER BY due_at) AS place, tenant_room FROM jobs
            WHERE kind = '{DELIVER_JOB}' AND tenant_id = of_tenant_id AND {_HOOK} = webhook_id
              AND due_at <= clock_timestamp() AND {NOT_BESIDE}
            ORDER BY jobs.due_at LIMIT room
        ) oldest
    ),
    due AS (
        SELECT j.tenant_id, j.kind, j.name FROM jobs j JOIN (
            SELECT tenant_id, name FROM ranked WHERE of_tenant <= tenant_room ORDER BY of_tenant, due_at LIMIT :limit
        ) chosen ON chosen.tenant_id = j.tenant_id AND j.kind = '{DELIVER_JOB}' AND chosen.name = j.name
        WHERE j.due_at <= clock_timestamp() FOR UPDATE OF j SKIP LOCKED
    )
    UPDATE jobs j SET
        due_at = clock_timestamp() + make_interval(secs => :claim_s), attempts = attempts + 1, claim = claim + 1
    FROM due
    WHERE j.tenant_id = due.tenant_id AND j.kind = due.kind AND j.name = due.name
    RETURNING j.tenant_id, j.kind, j.name, j.payload, j.attempts, j.claim
""")


class Waiting(NamedTuple):
    """A hook with deliveries that are not done; `is_due` when the oldest may be sent now."""

    tenant_id: str
    webhook_id: str
    is_due: bool


class Room(NamedTuple):
    """How many deliveries of a hook may begin, and how many of its tenant in all."""

    tenant_id: str
    webhook_id: str
    room: int
    tenant_room: int


class WebhookClaims:
    """The deliveries of all tenants that are to be sent."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def waiting(self, after: tuple[str, str], limit: int) -> list[Waiting]:
        """Return hooks with something to send, those after a tenant and hook, at most `limit`."""
        rows = await self._database.rows(WAITING, after_tenant_id=after[0], after_webhook_id=after[1], limit=limit)
        return [Waiting(**dict(row)) for row in rows]

    async def claim(self, rooms: Sequence[Room], limit: int, *, beside: Sequence[Job] = ()) -> list[Job]:
        """Return deliveries that are due, each tenant's in turn, within what there is room for; none of `beside`."""
        rows = await self._database.rows(
            CLAIM,
            tenant_ids=[one.tenant_id for one in rooms],
            webhook_ids=[one.webhook_id for one in rooms],
            rooms=[one.room for one in rooms],
            tenant_rooms=[one.tenant_room for one in rooms],
            limit=limit,
            claim_s=CLAIM_S,
            **named_beside(beside),
        )
        return [Job(**dict(row)) for row in rows]
