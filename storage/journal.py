"""The append-only log of every session: group commit, the fence, reading back.

Appends that arrive while a statement is on its way go together in the next one; no timer holds anything back. Each
append is fenced on its own in that statement: by the host's lease, by the session's owner, by where the journal ends.
When the connection breaks, the same appends are sent again and recognised by their content if they had been written.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import nullcontext
from time import monotonic

from msgspec import Struct

from domain.errors import InvalidInput, NotFound, Overloaded, Unavailable
from domain.limits import MEMORY_STORES_PER_SESSION
from storage.beside import Beside
from storage.database import Connection, Database, Row
from storage.errors import ConnectionLost, KeyReplaced, NoPlace, SequenceConflict, StaleEpoch, TurnRepeated
from storage.frames import expand, pack, unpack
from storage.journal_batch import Append, parameters, shape_of, take
from storage.journal_statements import (
    APPENDS,
    EXPLAIN,
    HEAD,
    KEEP_BLOBS,
    OPEN,
    READ,
    WRITTEN_AT,
)
from storage.keys import session_key
from storage.partitions import make_place
from storage.turn_end import TurnEnd

BATCH_MAX_APPENDS = 512
BATCH_MAX_BYTES = 8_000_000
QUEUE_MAX_APPENDS = 50_000
FACTS_MAX_PER_APPEND = 1_000
STATEMENT_DEADLINE_S = 10.0
RETRY_DEADLINE_S = 20.0
RETRY_DELAY_S = 0.02
RETRY_DELAY_MAX_S = 0.5
RETRY_AFTER_MS = 500
PLANNING = {"enable_seqscan": "off", "enable_mergejoin": "off", "plan_cache_mode": "force_generic_plan"}
"""A plan is kept for the life of the connection and must not be one for the small tables of the first minute."""
log = logging.getLogger(__name__)


class Snapshot(Struct, frozen=True):
    """The state of a session after the fact `seq`."""

    seq: int
    state: bytes


class Head(Struct, frozen=True):
    """Where a session's journal ends, its last snapshot, and who may write."""

    last_seq: int
    owner_epoch: int | None
    snapshot: Snapshot | None


class Journal:
    """The journals of all sessions, as one process writes and reads them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None
        self._queue: list[Append] = []
        self._writer: asyncio.Task[None] | None = None
        self._closed = False
        self.batches = 0
        self.appends = 0

    async def append(
        self,
        tenant_id: str,
        session_id: str,
        epoch: int,
        facts: Sequence[bytes],
        *,
        expect_seq: int,
        turn: TurnEnd | None = None,
        beside: Beside | None = None,
    ) -> int:
        """Append facts behind `expect_seq`, with what ends the turn and what they change beside the journal.

        Return the last number once all of it is durable. A store beyond the bound is left out: whoever sets one looks
        before, and only tools that run together miss it. A caller that is cancelled while it waits does not know
        whether its append took place.

        Raises:
            StaleEpoch: The host's lease or the session belongs to somebody else.
            SequenceConflict: The journal does not end at `expect_seq`.
            TurnRepeated: The turn's idempotency key has its reply already.
            NotFound: There is no such session.
            InvalidInput: A value cannot be stored, such as a text with a zero in it.
            Overloaded: Too much waits to be written.
            Unavailable: The database stays away; whether the append took place is not known.
            LastingOutage: The tenant's key cannot be opened; nothing is written.
        """
        if not 0 < len(facts) <= FACTS_MAX_PER_APPEND:
            raise ValueError(f"an append has 1 to {FACTS_MAX_PER_APPEND} facts, not {len(facts)}")
        append = Append(tenant_id, session_id, epoch, expect_seq, len(facts), pack(facts), turn, beside)
        await append.close(self._database.contents)
        if self._closed:
            raise Unavailable("The journal is closed.")
        if len(self._queue) >= QUEUE_MAX_APPENDS:
            raise Overloaded("The journal is overloaded.", retry_after_ms=RETRY_AFTER_MS)
        self._queue.append(append)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write(), name="journal writer")
        return await append.done

    async def open_session(self, tenant_id: str, session_id: str, epoch: int | None) -> bool:
        """Begin an empty journal owned by this epoch; return False when there was one, which stays as it is."""
        return bool(await self._database.execute(OPEN, tenant_id=tenant_id, session_id=session_id, epoch=epoch))

    async def read(self, tenant_id: str, session_id: str, after_seq: int = 0) -> list[tuple[int, bytes]]:
        """Return the facts behind `after_seq` with their numbers."""
        rows = await self._database.rows(
            READ,
            tenant_id=tenant_id,
            session_id=session_id,
            after_seq=after_seq,
            first_seq=after_seq - FACTS_MAX_PER_APPEND,
        )
        key, found = session_key(tenant_id, session_id), []
        for row in rows:
            scope = row["blob_hash"] or key
            facts = unpack(await self._database.contents.opened(tenant_id, scope, row["facts"]))
            found += [(seq, fact) for seq, fact in enumerate(facts, row["seq"]) if seq > after_seq]
        return found

    async def head(self, tenant_id: str, session_id: str) -> Head | None:
        """Return where the journal ends and the last snapshot; None when there is no such session."""
        row = await self._database.row(HEAD, tenant_id=tenant_id, session_id=session_id)
        if row is None:
            return None
        return Head(row["last_seq"], row["owner_epoch"], await snapshot_of(row, self._database, tenant_id, session_id))

    async def snapshot(self, tenant_id: str, session_id: str) -> Snapshot | None:
        """Return the last snapshot; None when there is none."""
        head = await self.head(tenant_id, session_id)
        return head.snapshot if head else None

    async def close(self) -> None:
        """Write what waits, and close."""
        self._closed = True
        if self._writer is not None:
            await self._writer
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()

    async def _write(self) -> None:
        try:
            while batch := take(self._queue, BATCH_MAX_APPENDS, BATCH_MAX_BYTES):
                await self._settle(batch)
        finally:
            self._writer = None
            abandoned, self._queue = self._queue, []
            _fail(abandoned, Unavailable("The journal's writer has ended."))

    async def _settle(self, batch: list[Append]) -> None:
        """Write a batch and answer everybody in it; if one value in it cannot be stored, the others are."""
        try:
            await self._persist(batch)
        except InvalidInput as error:
            if len(batch) == 1:
                _fail(batch, error)
                return
            middle = len(batch) // 2
            await self._settle(batch[:middle])
            await self._settle(batch[middle:])
        except Unavailable as error:
            _fail(batch, error)
        except BaseException:
            _fail(batch, Unavailable("The journal could not be written; whether this append was is not known."))
            raise

    async def _persist(self, batch: list[Append]) -> None:
        """Write a batch, again if the connection breaks."""
        deadline = monotonic() + RETRY_DEADLINE_S
        delay_s = RETRY_DELAY_S
        is_repeated = has_place = False
        while True:
            try:
                await self._send(batch, is_repeated=is_repeated)
                return
            except NoPlace as error:
                if has_place:
                    raise
                await make_place(self._database, error)
                has_place = True
                continue
            except ConnectionLost:
                self._drop_connection()
                if monotonic() > deadline:
                    raise
            is_repeated = True
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, RETRY_DELAY_MAX_S)

    async def _send(self, batch: list[Append], *, is_repeated: bool) -> None:
        connection = await self._connected()
        large, shape = [one for one in batch if one.blob_hash], shape_of(batch)
        async with connection.transaction() if large else nullcontext():
            if large:  # whoever deletes the last other holder of a value waits for this transaction
                await connection.execute(
                    KEEP_BLOBS,
                    tenant_ids=[one.tenant_id for one in large],
                    blob_hashes=[one.blob_hash for one in large],
                    contents=[one.packed for one in large],
                )
            rows = await connection.rows(APPENDS[shape], **parameters(batch, shape))
        self.batches += 1
        self.appends += len(rows)
        written = {row["n"] for row in rows}
        if shape.has_besides:
            _tell_of_lost_stores(batch, rows)
        for n, append in enumerate(batch, 1):
            if append.done.done():
                continue
            if n in written or (is_repeated and await self._stands(connection, append)):
                append.done.set_result(append.expected + append.count)
            else:
                append.done.set_exception(await self._refusal(connection, append))

    async def _stands(self, connection: Connection, append: Append) -> bool:
        """Return whether this host's very facts stand where they were to be written: an earlier try had succeeded.

        Another host that has taken the session over may have written the same ones.
        """
        row = await connection.row(
            WRITTEN_AT, tenant_id=append.tenant_id, session_id=append.session_id, seq=append.expected + 1
        )
        return row is not None and (row["epoch"], row["facts"], row["blob_hash"]) == (
            append.epoch,
            None if append.blob_hash else append.packed,
            append.blob_hash,
        )

    async def _refusal(self, connection: Connection, append: Append) -> Exception:
        row = await connection.row(
            EXPLAIN,
            tenant_id=append.tenant_id,
            session_id=append.session_id,
            epoch=append.epoch,
            request_key=append.request_key,
            key_id=append.seal.key_id if append.seal is not None else None,
        )
        refusal = _refusal(append, row)
        if isinstance(refusal, KeyReplaced):
            self._database.contents.forget(append.tenant_id)
        return refusal

    async def _connected(self) -> Connection:
        if self._connection is None or not self._connection.is_open:
            self._connection = await self._database.own_connection(deadline_s=STATEMENT_DEADLINE_S, **PLANNING)
        return self._connection

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.abandon()
            self._connection = None


async def snapshot_of(row: Row, database: Database, tenant_id: str, session_id: str) -> Snapshot | None:
    """Return the snapshot in a row with `snapshot_seq` and `state`; None when the session has none yet."""
    if row["state"] is None:
        return None
    state = await database.contents.opened(tenant_id, session_key(tenant_id, session_id), row["state"])
    return Snapshot(row["snapshot_seq"], expand(state))


def _refusal(append: Append, row: Row | None) -> Exception:
    if row is None:
        return NotFound("Session not found")
    if not row["host_is_alive"]:
        return StaleEpoch(f"The lease of epoch {append.epoch} is over.")
    if row["owner_epoch"] != append.epoch:
        return StaleEpoch(f"{append.session_id} belongs to epoch {row['owner_epoch']}, not {append.epoch}.")
    if not row["key_stands"]:
        return KeyReplaced()
    if row["turn_is_known"]:
        return TurnRepeated("A turn with this idempotency key has ended before.")
    return SequenceConflict(
        f"The journal of {append.session_id} ends at {row['last_seq']}, not {append.expected}.",
        last_seq=row["last_seq"],
    )


def _tell_of_lost_stores(batch: Sequence[Append], rows: Sequence[Row]) -> None:
    for row in rows:
        if row["left_out"]:
            left_out, session_id = row["left_out"], batch[row["n"] - 1].session_id
            log.warning(
                "%s memory stores of %s are left out: it has at most %s",
                left_out,
                session_id,
                MEMORY_STORES_PER_SESSION,
            )


def _fail(batch: Sequence[Append], error: Exception) -> None:
    for append in batch:
        if not append.done.done():
            append.done.set_exception(error)
