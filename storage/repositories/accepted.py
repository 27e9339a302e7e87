"""Messages that were acknowledged and whose turn has not ended: what `message_ack` stands on.

The transaction that ends a turn removes its message (`storage.journal_statements`), so a message that stands here has
not been answered. Whoever has it run holds it for some seconds at a time, by the database's clock; one that nobody
holds any more is claimed by whoever looks. Spec: platform-api 3.1, 12.4; decision 0046.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from storage.contents import closed
from storage.database import Database
from storage.errors import KeyReplaced
from storage.keys import request_key, session_key
from storage.statements import Statement

HOLD_S = 5.0
"""How long a message is held for whoever has it run; afterwards he is taken for dead."""

PUT = Statement(
    """
    WITH key AS (
        SELECT :key_id::uuid IS NULL OR EXISTS (SELECT FROM tenant_keys WHERE key_id = :key_id) AS stands
    ),
    put AS (
        INSERT INTO accepted_messages (
            session_key, request_key, tenant_id, project_id, session_id, message, held_until
        )
        SELECT :session_key::uuid, :request_key::bigint, :tenant_id, :project_id, :session_id, :message,
            clock_timestamp() + make_interval(secs => :hold_s)
        FROM key WHERE stands
        ON CONFLICT DO NOTHING
        RETURNING 1
    )
    SELECT stands, EXISTS (SELECT FROM put) AS is_new FROM key
    """,
    is_repeatable=True,  # then it is not new, which only says that somebody else removes it
)
HOLD = Statement(
    """
    WITH mine AS (
        SELECT session_key, request_key FROM accepted_messages
        WHERE (session_key, request_key) IN (SELECT * FROM unnest(:session_keys::uuid[], :request_keys::bigint[]))
        FOR UPDATE SKIP LOCKED
    )
    UPDATE accepted_messages m SET held_until = clock_timestamp() + make_interval(secs => :hold_s)
    FROM mine WHERE m.session_key = mine.session_key AND m.request_key = mine.request_key
    """,
    is_repeatable=True,
)
"""It waits for nobody: the end of a turn, which removes its message, goes before."""
CLAIM = Statement("""
    WITH due AS (
        SELECT session_key, request_key FROM accepted_messages
        WHERE held_until <= clock_timestamp() ORDER BY held_until LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    UPDATE accepted_messages m SET held_until = clock_timestamp() + make_interval(secs => :hold_s), tries = tries + 1
    FROM due WHERE m.session_key = due.session_key AND m.request_key = due.request_key
    RETURNING m.session_key, m.request_key, m.place, m.tenant_id, m.session_id, m.message, m.tries
""")
LEAVE = Statement(
    """
    UPDATE accepted_messages SET held_until = clock_timestamp() + make_interval(secs => :delay_s)
    WHERE session_key = :session_key AND request_key = :request_key
    """,
    is_repeatable=True,
)
REMOVE = Statement(
    "DELETE FROM accepted_messages WHERE session_key = :session_key AND request_key = :request_key",
    is_repeatable=True,
)
WAITING = Statement("SELECT count(*) FROM accepted_messages WHERE session_key = session_key(:tenant_id, :session_id)")

Name = tuple[bytes, int]
"""Under which keys a message stands."""


class AcceptedMessage(Struct, frozen=True):
    """A message that nobody held.

    Attributes:
        place: Those of a session were accepted in this order.
        sealed: What `AcceptedMessages.read` opens.
        tries: How often it was claimed, this time included.
    """

    name: Name
    place: int
    tenant_id: str
    session_id: str
    sealed: bytes
    tries: int


def name_of(tenant_id: str, session_id: str, key: str) -> Name:
    """Return the name of the message with this idempotency key, as it is known inside."""
    return session_key(tenant_id, session_id), request_key(key)


class AcceptedMessages:
    """The accepted messages of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(
        self, tenant_id: str, project_id: str, session_id: str, key: str, message: bytes, *, hold_s: float = HOLD_S
    ) -> bool:
        """Make a message durable, held for `hold_s`; return False when one with this key is there already.

        Raises:
            Unavailable: The database stays away, or the tenant's key was replaced; it may be tried again.
        """
        contents, (of_session, of_request) = self._database.contents, name_of(tenant_id, session_id, key)
        seal = await contents.seal(tenant_id, of_session)
        row = await self._database.row(
            PUT,
            key_id=seal.key_id if seal is not None else None,
            session_key=of_session,
            request_key=of_request,
            tenant_id=tenant_id,
            project_id=project_id,
            session_id=session_id,
            message=closed(seal, message),
            hold_s=hold_s,
        )
        assert row is not None
        if not row["stands"]:
            contents.forget(tenant_id)
            raise KeyReplaced
        return bool(row["is_new"])

    async def hold(self, names: Collection[Name], *, hold_s: float = HOLD_S) -> None:
        """Hold messages for `hold_s` from now on; those that are gone stay so."""
        given = list(names)
        keys = {"session_keys": [one for one, _ in given], "request_keys": [one for _, one in given]}
        await self._database.execute(HOLD, **keys, hold_s=hold_s)

    async def claim(self, limit: int, *, hold_s: float = HOLD_S) -> Sequence[AcceptedMessage]:
        """Return messages that nobody holds, at most so many, in the order in which they were accepted; hold them."""
        found = [
            AcceptedMessage(
                name=(row["session_key"], row["request_key"]),
                place=row["place"],
                tenant_id=row["tenant_id"],
                session_id=row["session_id"],
                sealed=row["message"],
                tries=row["tries"],
            )
            for row in await self._database.rows(CLAIM, limit=limit, hold_s=hold_s)
        ]
        return sorted(found, key=lambda one: one.place)

    async def read(self, one: AcceptedMessage) -> bytes:
        """Return the message as it was put. Raises LastingOutage: The tenant's key cannot be opened."""
        return await self._database.contents.opened(one.tenant_id, one.name[0], one.sealed)

    async def leave(self, name: Name, delay_s: float) -> None:
        """Have nobody look at a message for a while."""
        await self._database.execute(LEAVE, session_key=name[0], request_key=name[1], delay_s=delay_s)

    async def remove(self, name: Name) -> None:
        """Remove a message that is not to be run any more."""
        await self._database.execute(REMOVE, session_key=name[0], request_key=name[1])

    async def waiting(self, tenant_id: str, session_id: str) -> int:
        """Return how many messages of a session were accepted and not answered."""
        return int(await self._database.value(WAITING, tenant_id=tenant_id, session_id=session_id))
