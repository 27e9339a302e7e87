"""Where conversations stand that are known by what was said in them. Decision: 0053.

A head is a hash of a conversation so far. Whoever goes on from one takes it: two conversations that were the same until
now stay two, and nobody finds a session at a place that it has left.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from domain.json_values import JsonObject
from storage.contents import closed
from storage.database import Database, Row
from storage.frames import squeeze
from storage.keys import session_key
from storage.statements import Statement

LOCK = Statement("SELECT pg_advisory_xact_lock(hashtextextended(:place, 0))")
_MINE = "tenant_id = :tenant_id AND project_id = :project_id AND head = :head"
_PLACE = "session_id, turn_key, opens, answered_at IS NOT NULL AS is_answered"
SAME = Statement(f"""
    WITH found AS (
        SELECT {_PLACE}, asked_at FROM conversation_heads
        WHERE {_MINE} AND asked = :asked AND CASE
            WHEN :has_key::boolean THEN turn_key = :turn_key
            ELSE asked_at > clock_timestamp() - interval '1 second' * :within_s::integer
                AND (:is_repeated::boolean OR (:is_alone::boolean AND answered_at IS NULL))
        END
    )
    SELECT session_id, turn_key, opens, is_answered FROM found
    WHERE :has_key OR :is_alone OR :is_one_person::boolean OR (SELECT count(*) FROM found) = 1
    ORDER BY asked_at DESC LIMIT 1
""")
TAKE = Statement(f"""
    UPDATE conversation_heads
    SET asked = :asked, turn_key = :turn_key, asked_at = clock_timestamp(), is_left = false
    WHERE {_MINE} AND session_id = (
        SELECT session_id FROM conversation_heads
        WHERE {_MINE} AND NOT opens AND (asked IS NULL OR (is_left AND answered_at IS NULL))
        ORDER BY session_id <> :wanted, asked IS NOT NULL, created_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING {_PLACE}
""")
OPEN = Statement("""
    INSERT INTO conversation_heads (tenant_id, project_id, head, session_id, asked, turn_key, opens, asked_at)
    VALUES (:tenant_id, :project_id, :head, :session_id, :asked, :turn_key, :opens, clock_timestamp())
    ON CONFLICT (tenant_id, project_id, head, session_id) DO UPDATE
        SET asked = excluded.asked, turn_key = excluded.turn_key, asked_at = excluded.asked_at, is_left = false,
            answered_at = NULL
""")
DESCRIBE = Statement(f"""
    UPDATE conversation_heads SET about = coalesce(about, :about) WHERE {_MINE} AND session_id = :session_id
""")
ABOUT = Statement(f"SELECT about FROM conversation_heads WHERE {_MINE} AND session_id = :session_id")
FIND = Statement(f"SELECT {_PLACE} FROM conversation_heads WHERE {_MINE} ORDER BY created_at LIMIT 1")
REMOVE = Statement(f"DELETE FROM conversation_heads WHERE {_MINE}")
CARRIED = Statement(f"""
    SELECT {_PLACE} FROM conversation_heads WHERE {_MINE} AND asked = :asked ORDER BY asked_at DESC LIMIT :limit
""")
ANSWER = Statement(f"""
    UPDATE conversation_heads SET answered_at = clock_timestamp() WHERE {_MINE} AND session_id = :session_id
""")
LEFT = Statement(f"UPDATE conversation_heads SET is_left = true WHERE {_MINE} AND session_id = :session_id")
LEAVE = Statement("""
    DELETE FROM conversation_heads WHERE tenant_id = :tenant_id AND session_id = :session_id AND asked IS NULL
""")
ARRIVE = Statement("""
    INSERT INTO conversation_heads (tenant_id, project_id, head, session_id)
    SELECT :tenant_id, :project_id, unnest(:heads::bytea[]), :session_id
    ON CONFLICT (tenant_id, project_id, head, session_id) DO UPDATE
        SET asked = NULL, turn_key = '', asked_at = NULL, is_left = false, answered_at = NULL
""")
FREE = (
    Statement(f"DELETE FROM conversation_heads WHERE {_MINE} AND session_id = :session_id AND opens"),
    Statement(f"""
        UPDATE conversation_heads SET asked = NULL, turn_key = '', asked_at = NULL, is_left = false
        WHERE {_MINE} AND session_id = :session_id AND NOT opens
    """),
)
FORGET_OLD = Statement("""
    DELETE FROM conversation_heads WHERE ctid IN (
        SELECT ctid FROM conversation_heads
        WHERE created_at < clock_timestamp() - interval '1 day' * :days::integer LIMIT :limit
    )
""")


class Head(Struct, frozen=True):
    """A place in conversations of a project."""

    tenant_id: str
    project_id: str
    head: bytes


class Asked(Struct, frozen=True):
    """A turn that goes on from a head.

    Attributes:
        opens: It is the first of its session.
        is_answered: Its reply is known here.
    """

    session_id: str
    turn_key: str
    opens: bool
    is_answered: bool = False


class Named(Struct, frozen=True):
    """A head that has a name of its own, and what is kept with it: what an answer told beside its text."""

    head: bytes
    about: JsonObject


class AskedAgain(Struct, frozen=True, kw_only=True):
    """What tells whether a question is one that was asked before.

    Attributes:
        has_key: Its key is the client's: it is the one under the same key, and no other.
        is_repeated: The client says that it asks again: it is the one like it, which may have been answered; where
            several are like it, only if they are all of one person.
        is_one_person: Nobody else asks in the same name.
        is_alone: The place has a name of its own: what is asked there twice while it is answered is one question.
        within_s: How long ago it may have been asked.
        session_id: Where it goes on, of several sessions that stand there; empty where that is not known.
    """

    has_key: bool
    is_repeated: bool
    is_one_person: bool
    is_alone: bool
    within_s: int
    session_id: str = ""


class Conversations:
    """The heads of all conversations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, at: Head, asked: bytes, new: Asked, again: AskedAgain) -> Asked:
        """Return the turn that carries a question: one that is the same, the next of a session there, or `new`."""
        question = {**_named(at), "asked": asked, "turn_key": new.turn_key}
        async with self._database.transaction() as connection:
            await connection.value(LOCK, place=at.tenant_id + at.head.hex() + asked.hex())
            how = asdict(again)
            wanted = how.pop("session_id")
            same = await connection.row(SAME, **question, **how)
            found = same or await connection.row(TAKE, **question, wanted=wanted)
            if found is not None:
                return _asked(found)
            await connection.execute(OPEN, **question, session_id=new.session_id, opens=new.opens)
        return new

    async def find(self, at: Head) -> Asked | None:
        """Return the session at a head, with the turn that has gone on from there, if one has."""
        row = await self._database.row(FIND, **_named(at))
        return _asked(row) if row is not None else None

    async def remove(self, at: Head) -> bool:
        """Forget a head; False when there is none."""
        return bool(await self._database.execute(REMOVE, **_named(at)))

    async def carried(self, at: Head, asked: bytes, limit: int) -> Sequence[Asked]:
        """Return turns that carry or carried a question, the latest first."""
        rows = await self._database.rows(CARRIED, **_named(at), asked=asked, limit=limit)
        return [_asked(row) for row in rows]

    async def answer(self, at: Head, session_id: str, heads: Sequence[bytes], named: Named | None = None) -> None:
        """Write that a session has gone on from a head, and where it stands now: also at one that has a name."""
        names = {"tenant_id": at.tenant_id, "session_id": session_id}
        arrived = [*heads, *([named.head] if named is not None else [])]
        contents = self._database.contents
        seal = await contents.seal(at.tenant_id, session_key(at.tenant_id, session_id)) if named is not None else None
        async with self._database.transaction() as connection:
            await contents.check(connection, at.tenant_id, seal)
            await connection.execute(ANSWER, **_named(at), session_id=session_id)
            await connection.execute(LEAVE, **names)
            if arrived:
                await connection.execute(ARRIVE, **names, project_id=at.project_id, heads=arrived)
            if named is not None:
                about = closed(seal, squeeze(msgspec.json.encode(named.about)))
                place = {**names, "project_id": at.project_id, "head": named.head}
                await connection.execute(DESCRIBE, **place, about=about)

    async def about(self, at: Head, session_id: str) -> JsonObject:
        """Return what is kept with a head that has a name; empty when nothing is."""
        kept = await self._database.value(ABOUT, **_named(at), session_id=session_id)
        if kept is None:
            return {}
        key = session_key(at.tenant_id, session_id)
        about: JsonObject = await self._database.contents.opened_json(at.tenant_id, key, kept)
        return about

    async def left(self, at: Head, session_id: str) -> None:
        """Write that nobody waits any more for the answer to what a session was asked at a head."""
        await self._database.execute(LEFT, **_named(at), session_id=session_id)

    async def free(self, at: Head, session_id: str) -> None:
        """Write that a session has not gone on from a head: what it was asked was refused."""
        async with self._database.transaction() as connection:
            for statement in FREE:
                await connection.execute(statement, **_named(at), session_id=session_id)

    async def forget_old(self, days: int, limit: int) -> int:
        """Remove heads older than so many days, of all tenants, at most `limit`; return how many."""
        return await self._database.execute(FORGET_OLD, days=days, limit=limit)


def _named(at: Head) -> dict[str, object]:
    return {"tenant_id": at.tenant_id, "project_id": at.project_id, "head": at.head}


def _asked(row: Row) -> Asked:
    return Asked(row["session_id"], row["turn_key"], row["opens"], row["is_answered"])
