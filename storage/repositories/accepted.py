"""Messages that were acknowledged and whose turn has not ended: what `message_ack` stands on.

The transaction that ends a turn removes its message (`storage.journal_statements`), so a message that stands here has
not been answered. Whoever has it run holds it for some seconds at a time, by the database's clock; one that nobody
holds any more is claimed by whoever looks. One that was refused for good waits here until its client was told.
Spec: platform-api 3.1, 12.4; decision 0046.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec import Struct

from storage.contents import closed
from storage.database import Database
from storage.errors import KeyReplaced
from storage.keys import request_key, session_key
from storage.statements import Statement

REFUSED_KEPT_DAYS = 1
"""How long a client may stay away that is to hear that its message was refused."""
HOLD_S = 5.0
"""How long a message is held for whoever has it run; afterwards he is taken for dead."""

PUT = Statement(
    """
    WITH key AS (
        SELECT :key_id::uuid IS NULL OR EXISTS (SELECT FROM tenant_keys WHERE key_id = :key_id) AS stands
    ),
    put AS (
        INSERT INTO accepted_messages (
            session_key, request_key, tenant_id, project_id, session_id, message, held_until, runtime_session_id
        )
        SELECT :session_key::uuid, :request_key::bigint, :tenant_id, :project_id, :session_id, :message,
            clock_timestamp() + make_interval(secs => :hold_s),
            coalesce((SELECT s.runtime_session_id FROM sessions s WHERE s.session_key = :session_key), '')
        FROM key WHERE stands
        ON CONFLICT DO NOTHING
        RETURNING runtime_session_id
    )
    SELECT stands, EXISTS (SELECT FROM put) AS is_new, coalesce(
        (SELECT runtime_session_id FROM put),
        (
            SELECT runtime_session_id FROM accepted_messages
            WHERE session_key = :session_key AND request_key = :request_key
        ),
        ''
    ) AS runtime_session_id
    FROM key
    """,
    is_repeatable=True,  # then it is not new, which only says that somebody else removes it
)
KNOWN = Statement("""
    SELECT EXISTS (
        SELECT FROM accepted_messages
        WHERE session_key = session_key(:tenant_id, :session_id) AND request_key = :request_key
    ) OR EXISTS (
        SELECT FROM turns WHERE session_key = session_key(:tenant_id, :session_id) AND request_key = :request_key
    ) OR EXISTS (
        SELECT FROM transcripts WHERE session_key = session_key(:tenant_id, :session_id) AND spoke_id = :spoken_id
    )
""")
"""The end of a turn puts the others in place of the first, in one transaction: one of them is always seen."""
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
        WHERE held_until <= clock_timestamp() AND refused_at IS NULL
        ORDER BY held_until LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    UPDATE accepted_messages m SET held_until = clock_timestamp() + make_interval(secs => :hold_s), tries = tries + 1
    FROM due WHERE m.session_key = due.session_key AND m.request_key = due.request_key
    RETURNING m.session_key, m.request_key, m.place, m.tenant_id, m.session_id, m.message, m.tries,
        m.runtime_session_id
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
REFUSE = Statement(
    """
    WITH session AS (
        SELECT EXISTS (SELECT FROM deleted_sessions WHERE session_digest = :session_key)
            AND NOT EXISTS (SELECT FROM sessions WHERE session_key = :session_key) AS is_deleted
    ),
    removed AS (
        DELETE FROM accepted_messages USING session
        WHERE is_deleted AND session_key = :session_key AND request_key = :request_key
    )
    UPDATE accepted_messages SET refusal = :refusal, refused_at = clock_timestamp(), held_until = 'infinity'
    FROM session WHERE NOT is_deleted AND session_key = :session_key AND request_key = :request_key
    """,
    is_repeatable=True,
)
"""To a session that was deleted nobody comes back who could be told: nothing of its message is kept."""
TOLD = Statement(
    """
    DELETE FROM accepted_messages
    WHERE session_key = :session_key AND request_key = :request_key AND refused_at IS NOT NULL
    """,
    is_repeatable=True,
)
REFUSED = Statement("""
    SELECT session_key, request_key, message, refusal FROM accepted_messages
    WHERE session_key = session_key(:tenant_id, :session_id) AND refused_at IS NOT NULL ORDER BY place LIMIT :limit
""")
FORGET_REFUSED = Statement("""
    DELETE FROM accepted_messages WHERE ctid IN (
        SELECT ctid FROM accepted_messages
        WHERE refused_at < now() - make_interval(days => :days) LIMIT :limit FOR UPDATE SKIP LOCKED
    )
""")
WAITING = Statement("""
    SELECT count(*) FROM accepted_messages
    WHERE session_key = session_key(:tenant_id, :session_id) AND refused_at IS NULL
""")

Name = tuple[bytes, int]
"""Under which keys a message stands."""


class AcceptedMessage(Struct, frozen=True):
    """A message that nobody held.

    Attributes:
        place: Those of a session were accepted in this order.
        sealed: What `AcceptedMessages.read` opens.
        tries: How often it was claimed, this time included.
        runtime_session_id: The life of the session in which it was accepted; "" where there was none yet.
    """

    name: Name
    place: int
    tenant_id: str
    session_id: str
    sealed: bytes
    tries: int
    runtime_session_id: str = ""


class Put(NamedTuple):
    """What became of a message that was to be made durable.

    Attributes:
        is_new: None with its key was there.
        runtime_session_id: The life of the session in which it was accepted; "" where there is none yet.
    """

    is_new: bool
    runtime_session_id: str


class RefusedMessage(NamedTuple):
    """A message that was refused for good, and why, as `put` and `refuse` were given them."""

    name: Name
    message: bytes
    refusal: bytes


def name_of(tenant_id: str, session_id: str, key: str) -> Name:
    """Return the name of the message with this idempotency key, as it is known inside."""
    return session_key(tenant_id, session_id), request_key(key)


class AcceptedMessages:
    """The accepted messages of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(
        self, tenant_id: str, project_id: str, session_id: str, key: str, message: bytes, *, hold_s: float = HOLD_S
    ) -> Put:
        """Make a message durable, held for `hold_s`.

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
        return Put(row["is_new"], row["runtime_session_id"])

    async def is_known(self, tenant_id: str, session_id: str, key: str, spoken_id: str) -> bool:
        """Return whether the message with this key was accepted, or its turn has ended.

        `spoken_id` is that of its line in the transcript: a reply is forgotten after 24 hours.
        """
        named = {"tenant_id": tenant_id, "session_id": session_id}
        return bool(await self._database.value(KNOWN, **named, request_key=request_key(key), spoken_id=spoken_id))

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
                runtime_session_id=row["runtime_session_id"],
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

    async def refuse(self, tenant_id: str, name: Name, refusal: bytes) -> None:
        """Have a message run no more, and keep why until its client was told."""
        seal = await self._database.contents.seal(tenant_id, name[0])
        await self._database.execute(REFUSE, session_key=name[0], request_key=name[1], refusal=closed(seal, refusal))

    async def refused(self, tenant_id: str, session_id: str, limit: int) -> Sequence[RefusedMessage]:
        """Return messages of a session that were refused for good, in the order in which they were accepted."""
        found, contents = [], self._database.contents
        for row in await self._database.rows(REFUSED, tenant_id=tenant_id, session_id=session_id, limit=limit):
            key = row["session_key"]
            message, refusal = await contents.opened_all(tenant_id, key, (row["message"], row["refusal"]))
            found.append(RefusedMessage((key, row["request_key"]), message, refusal))
        return found

    async def told(self, name: Name) -> None:
        """Remove a message that was refused, for its client knows."""
        await self._database.execute(TOLD, session_key=name[0], request_key=name[1])

    async def forget_refused(self, limit: int) -> int:
        """Remove messages whose client has not come for their refusal; return how many, at most `limit`."""
        return await self._database.execute(FORGET_REFUSED, days=REFUSED_KEPT_DAYS, limit=limit)

    async def waiting(self, tenant_id: str, session_id: str) -> int:
        """Return how many messages of a session were accepted and not answered."""
        return int(await self._database.value(WAITING, tenant_id=tenant_id, session_id=session_id))
