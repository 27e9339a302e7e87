"""Who owns a session: one lease per host with an epoch that is never given twice, one owner epoch per session.

A lease that has run out still writes as long as nobody has acted on it. Whoever claims a session of such a host revokes
the whole lease in the same statement; from then on nothing of that host is accepted, and its renewal is refused.
Times are the database's, so the clocks of hosts do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from domain.errors import Conflict
from domain.json_values import JsonObject
from storage.database import Database, Row
from storage.errors import OwnedElsewhere, StaleEpoch
from storage.statements import Statement

LEASE_S = 5.0
RENEW_EVERY_S = 1.0
LEASE_MAX_S = 60
"""A lease that runs out later than this from now was taken by a clock that has leapt: it has run out."""
_RUNS = f"expires_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '{LEASE_MAX_S} seconds'"

REGISTER = Statement(
    """
    INSERT INTO hosts AS h (host_id, epoch, address, labels, expires_at)
    VALUES (
        :host_id, nextval('lease_epochs'), :address, :labels, clock_timestamp() + make_interval(secs => :lease_s)
    )
    ON CONFLICT (host_id) DO UPDATE SET
        epoch = excluded.epoch, address = excluded.address, labels = excluded.labels, revoked_at = NULL,
        started_at = clock_timestamp(), expires_at = excluded.expires_at
    RETURNING epoch
""",
    is_repeatable=True,
)

RENEW = Statement(
    """
    UPDATE hosts SET expires_at = clock_timestamp() + make_interval(secs => :lease_s),
        labels = coalesce(:labels, labels)
    WHERE epoch = :epoch AND revoked_at IS NULL
    RETURNING clock_timestamp()
""",
    is_repeatable=True,
)

REVOKE = Statement(
    "UPDATE hosts SET revoked_at = clock_timestamp() WHERE epoch = :epoch AND revoked_at IS NULL", is_repeatable=True
)

LIVE = Statement(f"""
    SELECT host_id, epoch, address, labels FROM hosts
    WHERE revoked_at IS NULL AND {_RUNS} ORDER BY host_id
""")

CLAIMING = f"""
    WITH head AS (
        SELECT owner_epoch, set_config('synchronous_commit', 'off', true) FROM session_heads
        WHERE session_key = session_key(:tenant_id, :session_id) FOR UPDATE
    ),
    lost AS (
        UPDATE hosts SET revoked_at = clock_timestamp() FROM head
        WHERE hosts.epoch = head.owner_epoch AND hosts.epoch <> :epoch
          AND revoked_at IS NULL AND NOT {_RUNS}
        RETURNING hosts.epoch
    ),
    claimed AS (
        UPDATE session_heads s SET owner_epoch = :epoch FROM head
        WHERE s.session_key = session_key(:tenant_id, :session_id)
          AND EXISTS (SELECT FROM hosts WHERE epoch = :epoch AND revoked_at IS NULL)
          AND (
            head.owner_epoch IS NULL OR head.owner_epoch = :epoch OR EXISTS (SELECT FROM lost)
            OR NOT EXISTS (SELECT FROM hosts WHERE epoch = head.owner_epoch AND revoked_at IS NULL)
          )
        RETURNING s.last_seq
    )
"""
"""`claimed` has a row, with where the journal ends, when the session is now this epoch's.

A claim does not wait for the disk: what is appended under it does, and the log is one; a claim that is lost with the
server has been followed by nothing, and the next append under it is refused.
"""

HELD = """
    SELECT h.session_key FROM session_heads h JOIN hosts o ON o.epoch = h.owner_epoch AND o.revoked_at IS NULL
    WHERE h.session_key = session_key(:tenant_id, :session_id) AND h.owner_epoch = :epoch
    FOR KEY SHARE OF h
"""
"""One row when the session is this epoch's, which it stays until the transaction ends: a claim waits, appends do not.

For what a host writes beside the journal: it stands in the statement that does so, for a host may freeze between two.
"""

RELEASE = Statement(
    """
    UPDATE session_heads SET owner_epoch = NULL
    WHERE session_key = session_key(:tenant_id, :session_id) AND owner_epoch = :epoch
""",
    is_repeatable=True,
)

RELEASE_MANY = Statement(
    """
    UPDATE session_heads SET owner_epoch = NULL
    FROM unnest(:tenant_ids::text[], :session_ids::text[]) AS given (tenant_id, session_id)
    WHERE session_key = session_key(given.tenant_id, given.session_id) AND owner_epoch = :epoch
""",
    is_repeatable=True,
)

OWNER = Statement(f"""
    SELECT o.host_id, o.epoch, o.address, o.labels FROM session_heads h JOIN hosts o ON o.epoch = h.owner_epoch
    WHERE h.session_key = session_key(:tenant_id, :session_id)
      AND o.revoked_at IS NULL AND o.{_RUNS}
""")


class HostRow(Struct, frozen=True):
    """A live host."""

    host_id: str
    epoch: int
    address: str
    labels: JsonObject


class Leases:
    """The leases of all hosts."""

    def __init__(self, database: Database, *, lease_s: float = LEASE_S) -> None:
        self._database = database
        self._lease_s = lease_s

    async def register_host(self, host_id: str, address: str, labels: JsonObject | None = None) -> int:
        """Return a new epoch for this host; every older epoch of it is over."""
        epoch: int = await self._database.value(
            REGISTER, host_id=host_id, address=address, labels=labels or {}, lease_s=self._lease_s
        )
        return epoch

    async def renew(self, epoch: int, labels: JsonObject | None = None) -> datetime:
        """Keep the lease for another while; to be called every `RENEW_EVERY_S`. `labels` replace those it has.

        Returns the moment by the database's clock.

        Raises:
            StaleEpoch: Somebody has acted on its running out; the host must drop its sessions and register anew.
        """
        at: datetime | None = await self._database.value(RENEW, epoch=epoch, labels=labels, lease_s=self._lease_s)
        if at is None:
            raise StaleEpoch(f"The lease of epoch {epoch} is over.")
        return at

    async def release_host(self, epoch: int) -> None:
        """Give the lease back: all sessions of the host may be claimed at once."""
        await self._database.execute(REVOKE, epoch=epoch)

    async def hosts(self) -> list[HostRow]:
        """Return the live hosts by their ids."""
        return [_host(row) for row in await self._database.rows(LIVE)]

    async def release_session(self, tenant_id: str, session_id: str, epoch: int) -> None:
        """Let anybody claim the session; nothing when it is not this epoch's."""
        await self._database.execute(RELEASE, tenant_id=tenant_id, session_id=session_id, epoch=epoch)

    async def release_sessions(self, epoch: int, names: Sequence[tuple[str, str]]) -> None:
        """Let anybody claim these sessions, each named by tenant and id; those that are not this epoch's stay."""
        tenant_ids, session_ids = [tenant_id for tenant_id, _ in names], [session_id for _, session_id in names]
        await self._database.execute(RELEASE_MANY, tenant_ids=tenant_ids, session_ids=session_ids, epoch=epoch)

    async def owner(self, tenant_id: str, session_id: str) -> HostRow | None:
        """Return the live host that owns the session; None when there is none."""
        row = await self._database.row(OWNER, tenant_id=tenant_id, session_id=session_id)
        return _host(row) if row else None


def lost(session_id: str, epoch: int) -> StaleEpoch:
    """Return why something that is fenced by `HELD` did not take place."""
    return StaleEpoch(f"{session_id} does not belong to epoch {epoch}.")


def refused_claim(row: Row, session_id: str, epoch: int) -> Conflict:
    """Return why a claim did not take place."""
    if not row["host_is_alive"]:
        return StaleEpoch(f"The lease of epoch {epoch} is over.")
    return OwnedElsewhere(
        f"{session_id} belongs to host {row['host_id']}.",
        host_id=row["host_id"] or "",
        address=row["address"] or "",
    )


def _host(row: object) -> HostRow:
    return HostRow(row["host_id"], row["epoch"], row["address"], row["labels"])  # type: ignore[index]
