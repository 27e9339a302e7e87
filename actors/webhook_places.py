"""Which deliveries of webhooks are begun: so many at once in all, fewer of a tenant, fewer still of one hook.

A receiver that answers slowly fills the places of its own hook and no others; a tenant with many such receivers fills
its own. The hooks are looked at in turn, so nobody's backlog is passed over for ever. Spec: platform-api 14.6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from storage.repositories.jobs import Job
from storage.repositories.webhook_claims import Room, Waiting, WebhookClaims

AT_ONCE: Final = 128
AT_ONCE_OF_TENANT: Final = 32
AT_ONCE_OF_HOOK: Final = 8
HOOKS_LOOKED_AT: Final = 1_000
"""In one look; the next one goes on behind the last of them."""
FIRST: Final = ("", "")


class WebhookPlaces:
    """The places of one process."""

    def __init__(self, claims: WebhookClaims) -> None:
        self._claims = claims
        self._after = FIRST

    async def claim(self, under_way: Sequence[Job]) -> Sequence[Job]:
        """Return the deliveries to begin now, beside those that are under way."""
        limit = AT_ONCE - len(under_way)
        if limit <= 0:
            return ()
        waiting = await self._claims.waiting(self._after, HOOKS_LOOKED_AT)
        if len(waiting) < HOOKS_LOOKED_AT and self._after != FIRST:
            waiting += await self._claims.waiting(FIRST, HOOKS_LOOKED_AT - len(waiting))
        self._after = (waiting[-1].tenant_id, waiting[-1].webhook_id) if len(waiting) == HOOKS_LOOKED_AT else FIRST
        rooms = rooms_of(waiting, under_way)
        return await self._claims.claim(rooms, limit, beside=under_way) if rooms else ()


def rooms_of(waiting: Sequence[Waiting], under_way: Sequence[Job]) -> list[Room]:
    """Return the hooks that may have deliveries begun, and how many."""
    of_tenant = Counter(job.tenant_id for job in under_way)
    of_hook = Counter((job.tenant_id, str(job.payload["webhook_id"])) for job in under_way)
    rooms: dict[tuple[str, str], Room] = {}
    for tenant_id, webhook_id, is_due in waiting:
        room = AT_ONCE_OF_HOOK - of_hook[tenant_id, webhook_id]
        tenant_room = AT_ONCE_OF_TENANT - of_tenant[tenant_id]
        if is_due and room > 0 and tenant_room > 0:
            rooms[tenant_id, webhook_id] = Room(tenant_id, webhook_id, room, tenant_room)
    return list(rooms.values())
