"""A session is woken: made its host's own and read, in one round trip where its last turn had come to its end.

The statement reads everything as it was when it began, except the head, whose lock may have waited for an append of the
last owner. When the head is ahead of the state, the session is therefore read again, and then what is behind its state.
"""

from __future__ import annotations

from msgspec import Struct, structs

from domain.errors import NotFound
from domain.json_values import JsonObject
from storage.database import Database
from storage.journal import Journal, Snapshot, snapshot_of
from storage.leases import CLAIMING, refused_claim
from storage.statements import Statement

ACTIVATE = Statement(
    CLAIMING
    + """
    SELECT claimed.last_seq, EXISTS (SELECT FROM hosts WHERE epoch = :epoch AND revoked_at IS NULL) AS host_is_alive,
        head.owner_epoch, owner.host_id, owner.address, s.pin, s.status, s.end_reason, p.seq AS snapshot_seq, p.state
    FROM head LEFT JOIN claimed ON true
        LEFT JOIN hosts owner ON owner.epoch = head.owner_epoch
        LEFT JOIN sessions s ON s.session_key = session_key(:tenant_id, :session_id)
        LEFT JOIN snapshots p ON p.session_key = session_key(:tenant_id, :session_id)
    """,
    is_repeatable=True,
)


class Activated(Struct, frozen=True, kw_only=True):
    """A session as its new owner finds it.

    Attributes:
        pin: As it was given when the session was created.
        is_taken_over: The last owner had not given it back, so it may have begun what is written nowhere.
        facts: With their numbers, what the journal holds behind the snapshot.
    """

    pin: JsonObject
    status: str
    end_reason: str
    snapshot: Snapshot | None
    last_seq: int
    is_taken_over: bool
    facts: tuple[tuple[int, bytes], ...] = ()

    @property
    def is_behind(self) -> bool:
        """Return whether there are facts behind the snapshot."""
        return self.last_seq > (self.snapshot.seq if self.snapshot is not None else 0)


class Activations:
    """Wakes sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._journal = Journal(database)

    async def activate(self, tenant_id: str, session_id: str, epoch: int) -> Activated:
        """Make the host of `epoch` the session's owner and return the session.

        Raises:
            OwnedElsewhere: A live host owns it.
            StaleEpoch: The claiming host's own lease is over.
            NotFound: There is no such session.
        """
        found = await self._claim(tenant_id, session_id, epoch)
        if found.is_behind:
            again = await self._claim(tenant_id, session_id, epoch)  # nobody but us writes any more
            found = structs.replace(again, is_taken_over=found.is_taken_over)
        if not found.is_behind:
            return found
        after = found.snapshot.seq if found.snapshot is not None else 0
        facts = tuple(await self._journal.read(tenant_id, session_id, after))
        return structs.replace(found, facts=facts)

    async def _claim(self, tenant_id: str, session_id: str, epoch: int) -> Activated:
        row = await self._database.row(ACTIVATE, tenant_id=tenant_id, session_id=session_id, epoch=epoch)
        if row is None or row["pin"] is None:
            raise NotFound("Session not found")
        if row["last_seq"] is None:
            raise refused_claim(row, session_id, epoch)
        return Activated(
            pin=row["pin"],
            status=row["status"],
            end_reason=row["end_reason"],
            snapshot=await snapshot_of(row, self._database, tenant_id, session_id),
            last_seq=row["last_seq"],
            is_taken_over=row["owner_epoch"] not in (None, epoch),
        )
