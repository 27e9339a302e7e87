"""A session claimed as hosts claim it, without being read; for tests of leases."""

from __future__ import annotations

from domain.errors import NotFound
from storage.leases import CLAIMING, Leases, refused_claim
from storage.statements import Statement

CLAIM = Statement(
    CLAIMING
    + """
    SELECT claimed.last_seq, EXISTS (SELECT FROM hosts WHERE epoch = :epoch AND revoked_at IS NULL) AS host_is_alive,
        owner.host_id, owner.address
    FROM head LEFT JOIN claimed ON true LEFT JOIN hosts owner ON owner.epoch = head.owner_epoch
    """,
    is_repeatable=True,
)


async def claim(leases: Leases, tenant_id: str, session_id: str, epoch: int) -> int:
    """Make the host of `epoch` the session's owner; return where the journal ends."""
    row = await leases._database.row(CLAIM, tenant_id=tenant_id, session_id=session_id, epoch=epoch)
    if row is None:
        raise NotFound("Session not found")
    if row["last_seq"] is None:
        raise refused_claim(row, session_id, epoch)
    return int(row["last_seq"])
