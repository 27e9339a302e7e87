"""Ended turns for whoever reads them all, once each and in order: how far a reader has come is kept under its name.

A turn is handed out when every transaction before its own is over, so none is missed that is committed late. One whose
key cannot be opened here stops nobody: it is put aside, and handed out by whoever can open it. Decision 0041.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.errors import LastingOutage
from domain.turn_events import EndedTurn
from storage.contents import key_version
from storage.crypto import NoMasterKey, OtherMasterKey
from storage.database import Connection, Database, Row
from storage.statements import Statement
from storage.turn_end import TraceRow
from storage.turn_frames import unpack_events

NOT_HERE = (OtherMasterKey, NoMasterKey)
"""It may be read elsewhere, or later: it is put aside."""
UNREADABLE = (msgspec.DecodeError, zlib.error, LastingOutage, ValueError, TypeError)
_log = logging.getLogger(__name__)

BEGIN = Statement("""
    INSERT INTO analytics_progress (name, xact, last_session_key, seq, since, sealed_until)
    VALUES (
        :name, pg_snapshot_xmin(pg_current_snapshot()), '00000000-0000-0000-0000-000000000000', 0, 'epoch', now()
    )
    ON CONFLICT DO NOTHING
""")
BEGIN_AGAIN = Statement("""
    UPDATE analytics_progress SET xact = '0', seq = 0, since = now()
    WHERE name = :name AND xact > pg_snapshot_xmax(pg_current_snapshot())
""")
"""When the store was copied to a server whose transactions are counted from a lower number: what came with it counts no
more, whatever numbers it has."""
FIND = Statement("""
    SELECT xact::text AS xact, last_session_key, seq, since, sealed_until FROM analytics_progress WHERE name = :name
""")
LOCK = Statement("SELECT lock_reader(:name)")
TRY_LOCK = Statement("SELECT pg_try_advisory_xact_lock(reader_lock(:name))")
MOVE = Statement("""
    UPDATE analytics_progress SET xact = :xact::text::xid8, last_session_key = :last_session_key, seq = :seq
    WHERE name = :name AND (xact, last_session_key, seq) < (:xact::text::xid8, :last_session_key, :seq)
""")
_READ = """
    SELECT t.xact::text AS xact, t.session_key, t.seq, t.events, s.tenant_id, s.project_id, s.session_id, s.channel,
        s.environment, s.parent_session_id <> '' AS is_child, s.pin ->> 'root_session_id' AS root_session_id,
        l.at AS said_at, l.spoke_ms, l.spoke_id IS NOT NULL AS has_spoken, l.answer_id IS NOT NULL AS is_answered,
        coalesce(l.agent_name, '') AS answered_by
    FROM traces t JOIN sessions s USING (session_key)
    LEFT JOIN transcripts l ON l.session_key = t.session_key AND l.seq = t.seq
"""
_TURNS = f"""
    {_READ} WHERE t.at >= :since AND t.xact >= :xact::text::xid8
      AND (t.xact, t.session_key, t.seq) > (:xact::text::xid8, :last_session_key, :seq)
"""
_IN_ORDER = "ORDER BY t.xact, t.session_key, t.seq LIMIT :limit"
TURNS = Statement(f"{_TURNS} AND t.xact < pg_snapshot_xmin(pg_current_snapshot()) {_IN_ORDER}")
TURNS_OF_SESSION = Statement(f"{_TURNS} AND t.session_key = session_key(:tenant_id, :session_id) {_IN_ORDER}")
_SET_ASIDE = """
    SELECT session_key, seq FROM turns_aside
    WHERE reader = :name AND tenant_id = :tenant_id AND key_version = :key_version
    ORDER BY session_key, seq LIMIT :limit
"""
ASIDE = Statement(f"SELECT a.session_key, a.seq FROM ({_SET_ASIDE}) AS a")
READ_ASIDE = Statement(f"""
    {_READ} JOIN ({_SET_ASIDE}) AS a ON a.session_key = t.session_key AND a.seq = t.seq ORDER BY t.session_key, t.seq
""")
READ_ASIDE_OF_SESSION = Statement(f"""
    {_READ} WHERE t.session_key = session_key(:tenant_id, :session_id) AND t.seq > :after_seq AND EXISTS (
        SELECT FROM turns_aside a WHERE a.reader = :name AND a.session_key = t.session_key AND a.seq = t.seq
    )
    ORDER BY t.seq LIMIT :limit
""")
PUT_ASIDE = Statement("""
    WITH put AS (
        INSERT INTO turns_aside (reader, tenant_id, key_version, session_key, seq)
        SELECT :name, * FROM unnest(
            :tenant_ids::text[], :key_versions::integer[], :session_keys::uuid[], :seqs::integer[]
        )
        ON CONFLICT DO NOTHING
        RETURNING tenant_id, key_version
    )
    SELECT DISTINCT tenant_id, key_version FROM put WHERE NOT EXISTS (
        SELECT FROM turns_aside a
        WHERE a.reader = :name AND a.tenant_id = put.tenant_id AND a.key_version = put.key_version
    )
""")
"""Returns the keys of which no turn was aside before."""
TAKE_BACK = Statement("""
    DELETE FROM turns_aside
    WHERE reader = :name AND tenant_id = :tenant_id AND key_version = :key_version
      AND (session_key, seq) IN (SELECT * FROM unnest(:session_keys::uuid[], :seqs::integer[]))
""")
_KEYS_ASIDE = """
    WITH RECURSIVE aside AS (
        (
            SELECT tenant_id, key_version FROM turns_aside
            WHERE reader = :name ORDER BY tenant_id, key_version LIMIT 1
        )
        UNION ALL
        SELECT next.tenant_id, next.key_version FROM aside CROSS JOIN LATERAL (
            SELECT a.tenant_id, a.key_version FROM turns_aside a
            WHERE a.reader = :name AND (a.tenant_id, a.key_version) > (aside.tenant_id, aside.key_version)
            ORDER BY a.tenant_id, a.key_version LIMIT 1
        ) AS next
    )
"""
"""The keys of which turns are aside: one step of an index for each, however many turns they are."""
OPENED_KEY = Statement(f"""
    {_KEYS_ASIDE}
    SELECT a.tenant_id, a.key_version FROM aside a
    LEFT JOIN tenant_keys k ON k.tenant_id = a.tenant_id AND k.version = a.key_version
    WHERE k.master_id IS NULL OR k.master_id = ANY(:master_ids::bytea[]) LIMIT 1
""")
"""One that can be opened under these master keys, or that is gone: then nothing has to wait for it any more."""
COUNT_ASIDE_MAX = 10_000
COUNT_ASIDE = Statement(f"""
    {_KEYS_ASIDE}
    SELECT (SELECT count(DISTINCT tenant_id) FROM aside) AS tenants,
        (SELECT count(*) FROM (SELECT FROM turns_aside WHERE reader = :name LIMIT :limit) AS f) AS turns
""")
WAITING_AT_ONCE = 512
WAITING = Statement(
    """
    WITH waiting AS MATERIALIZED (
        SELECT t.session_key FROM traces t
        WHERE t.at >= :since AND t.xact >= :xact::text::xid8 AND t.xact < :before::text::xid8
          AND (t.xact, t.session_key, t.seq) > (:xact::text::xid8, :last_session_key, :seq)
        ORDER BY t.xact LIMIT :limit
    )
    SELECT (SELECT count(*) FROM waiting) >= :limit OR EXISTS (
        SELECT FROM (SELECT DISTINCT session_key FROM waiting) w JOIN sessions s USING (session_key)
        WHERE s.tenant_id = :tenant_id AND s.project_id = :project_id
    )
    """
)
"""Walks turns in their order and no further than `WAITING_AT_ONCE`, whatever the planner thinks of the project."""


class Place(Struct, frozen=True):
    """How far a reader has come."""

    xact: str
    last_session_key: bytes
    seq: int
    since: datetime
    sealed_until: datetime


class ReadTurn(NamedTuple):
    """A turn with its tenant and a name that no other turn has; `turn` is None when its traces cannot be read.

    Attributes:
        locked_by: The version of the tenant's key that cannot be opened here, None when that is not the reason.
        why: Why not.
    """

    tenant_id: str
    name: str
    turn: EndedTurn | None
    traces: tuple[TraceRow, ...]
    row: Row
    locked_by: int | None = None
    why: str = ""


class Aside(NamedTuple):
    """How much a reader has put aside.

    Attributes:
        turns: At most `COUNT_ASIDE_MAX`.
    """

    turns: int
    tenants: int


class Opened(NamedTuple):
    """Turns that were put aside and can be read now.

    Attributes:
        aside: All of them; of some the traces may be gone, past their retention.
        read: Those that are there.
    """

    tenant_id: str
    key_version: int
    aside: list[Row]
    read: list[ReadTurn]


class TurnReader:
    """Reads all turns of all tenants, under a name."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name

    async def begin(self) -> None:
        """Begin with the turns that end from now on; a reader that has begun goes on where it was."""
        async with self._database.connection() as connection:
            await connection.execute(BEGIN, name=self._name)

    async def lock(self, connection: Connection) -> Place:
        """Return how far it has come, and let no other reader of this name go on until the transaction ends."""
        await connection.value(LOCK, name=self._name)
        return await self.place(connection)

    async def try_lock(self, connection: Connection) -> Place | None:
        """Do the same; return None when another reader of this name goes on at the moment."""
        return await self.place(connection) if await connection.value(TRY_LOCK, name=self._name) else None

    async def place(self, connection: Connection) -> Place:
        """Return how far it has come."""
        await connection.execute(BEGIN_AGAIN, name=self._name)
        return _place(await connection.row(FIND, name=self._name))

    async def seen(self) -> Place:
        """Return how far it has come, for whoever only looks."""
        return _place(await self._database.row(FIND, name=self._name))

    async def is_waiting(self, place: Place, before: str, *, tenant_id: str, project_id: str) -> bool:
        """Return whether turns of a project, of transactions below `before`, are behind a place.

        Behind `WAITING_AT_ONCE` turns of others it is not looked any further: there may be.
        """
        given = {**_asked(place, WAITING_AT_ONCE), "tenant_id": tenant_id, "project_id": project_id}
        return bool(await self._database.value(WAITING, before=before, **given))

    async def next(self, connection: Connection, place: Place, limit: int) -> list[ReadTurn]:
        """Return the turns behind a place, in order; those that are `locked_by` a key `move` puts aside."""
        read = await connection.rows(TURNS, **_asked(place, limit))
        return [await self._read_turn(connection, row) for row in read]

    async def next_of_session(
        self, connection: Connection, place: Place, tenant_id: str, session_id: str, limit: int
    ) -> list[ReadTurn]:
        """Return turns of one session behind a place, in order; it has to have ended: it is not waited for others.

        Whoever deletes a session need not be able to read it: what cannot be read is named in the log.
        """
        given = _asked(place, limit)
        rows = await connection.rows(TURNS_OF_SESSION, tenant_id=tenant_id, session_id=session_id, **given)
        return [_said(await self._read_turn(connection, row)) for row in rows]

    async def aside_of_session(
        self, connection: Connection, tenant_id: str, session_id: str, after_seq: int, limit: int
    ) -> list[ReadTurn]:
        """Return turns of one session that were put aside, in order, for whoever deletes it."""
        named = {"name": self._name, "tenant_id": tenant_id, "session_id": session_id}
        rows = await connection.rows(READ_ASIDE_OF_SESSION, **named, after_seq=after_seq, limit=limit)
        return [_said(await self._read_turn(connection, row)) for row in rows]

    async def move(self, connection: Connection, read: Sequence[ReadTurn]) -> None:
        """Say that these turns are done, or put aside where they are locked; nobody is moved back by it."""
        if not read:
            return
        if locked := [one for one in read if one.locked_by is not None]:
            await self._put_aside(connection, locked)
        last = read[-1].row
        await connection.execute(
            MOVE, name=self._name, xact=last["xact"], last_session_key=last["session_key"], seq=last["seq"]
        )

    async def opened(self, connection: Connection, limit: int) -> Opened | None:
        """Return turns that were put aside and are not locked here any more; None when there are none.

        They are turns of one key. `take_back` says that they are done.
        """
        masters = self._database.vault.master_ids
        found = await connection.row(OPENED_KEY, name=self._name, master_ids=masters) if masters else None
        if found is None:
            return None
        named = {"name": self._name, **dict(found), "limit": limit}
        aside = await connection.rows(ASIDE, **named)
        read = [await self._read_turn(connection, row) for row in await connection.rows(READ_ASIDE, **named)]
        return None if any(one.locked_by is not None for one in read) else Opened(**dict(found), aside=aside, read=read)

    async def take_back(self, connection: Connection, opened: Opened) -> None:
        """Say that turns that were aside are done."""
        await connection.execute(
            TAKE_BACK,
            name=self._name,
            tenant_id=opened.tenant_id,
            key_version=opened.key_version,
            session_keys=[row["session_key"] for row in opened.aside],
            seqs=[row["seq"] for row in opened.aside],
        )
        told = (len(opened.read), opened.tenant_id, self._name)
        _log.info("%d turns of %s that were put aside can be read now (%s)", *told)

    async def aside(self) -> Aside:
        """Return how much is put aside."""
        row = await self._database.row(COUNT_ASIDE, name=self._name, limit=COUNT_ASIDE_MAX)
        assert row is not None, "it has one row"
        return Aside(row["turns"], row["tenants"])

    async def _put_aside(self, connection: Connection, locked: Sequence[ReadTurn]) -> None:
        first = await connection.rows(
            PUT_ASIDE,
            name=self._name,
            tenant_ids=[one.tenant_id for one in locked],
            key_versions=[one.locked_by for one in locked],
            session_keys=[one.row["session_key"] for one in locked],
            seqs=[one.row["seq"] for one in locked],
        )
        why = {(one.tenant_id, one.locked_by): one.why for one in locked}
        for row in first:
            told = (row["tenant_id"], self._name, why[row["tenant_id"], row["key_version"]])
            _log.error("turns of %s are put aside until they can be read (%s): %s", *told)

    async def _read_turn(self, connection: Connection, row: Row) -> ReadTurn:
        try:
            contents, key = self._database.contents, row["session_key"]
            traces = unpack_events(await contents.opened(row["tenant_id"], key, row["events"], connection))
        except NOT_HERE as error:
            return ReadTurn(row["tenant_id"], _name(row), None, (), row, key_version(row["events"]), error.message)
        except UNREADABLE:
            _log.exception("the traces of a turn of %s cannot be read", row["session_id"])
            return ReadTurn(row["tenant_id"], _name(row), None, (), row)
        return ReadTurn(row["tenant_id"], _name(row), _turn(row, traces), traces, row)


def behind(place: Place, read: Sequence[ReadTurn]) -> Place:
    """Return the place behind turns that were read, at least one."""
    last = read[-1].row
    return replace(place, xact=last["xact"], last_session_key=last["session_key"], seq=last["seq"])


def _name(row: Row) -> str:
    return f"{row['session_key'].hex()}.{row['seq']}"


def _said(one: ReadTurn) -> ReadTurn:
    """Name a turn that is locked in the log: nobody will come back to it."""
    if one.locked_by is not None:
        _log.error("the traces of a turn of %s cannot be read: %s", one.row["session_id"], one.why)
    return one


def _place(row: Row | None) -> Place:
    assert row is not None, "it was begun"
    return Place(**dict(row))


def _asked(place: Place, limit: int) -> dict[str, object]:
    return {
        "xact": place.xact,
        "last_session_key": place.last_session_key,
        "seq": place.seq,
        "since": place.since,
        "limit": limit,
    }


def _turn(row: Row, traces: tuple[TraceRow, ...]) -> EndedTurn:
    said_at: datetime | None = row["said_at"]
    spoke_at = said_at - timedelta(milliseconds=row["spoke_ms"] or 0) if said_at and row["has_spoken"] else None
    return EndedTurn(
        project_id=row["project_id"],
        session_id=(row["root_session_id"] or row["session_id"]) if row["is_child"] else row["session_id"],
        channel=row["channel"],
        environment=row["environment"],
        is_first=bool(traces) and traces[0].seq == 1,
        is_child=row["is_child"],
        spoke_at=spoke_at,
        answered_at=said_at if row["is_answered"] else None,
        answered_by=row["answered_by"],
        traces=traces,
    )
