"""Appends waiting to be written, and the turning of many of them into the parameters of one statement."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

import msgspec

from domain.ids import event_id
from domain.json_values import JsonObject
from storage.beside import Beside
from storage.contents import LARGE_VALUES, Contents, Seal, closed
from storage.frames import BLOB_MIN_BYTES, content_hash, squeeze
from storage.journal_statements import ASKED, ENDED, Shape
from storage.keys import request_key, session_key
from storage.turn_end import TurnEnd
from storage.turn_frames import pack_details, pack_events

Parameters: TypeAlias = dict[str, object]
Row: TypeAlias = tuple[object, ...]

SECOND_MS = 1_000
MOST_MS = 2**31 - 1
"""Of an integer column: 24 days."""
ASKED_NAMES = tuple(name for name, *_ in ASKED)
END_NAMES = tuple(name for name, *_ in ENDED)
IN_DETAILS = ""
"""What the column of a line's text says when there is a line."""


class Append:
    """One append on its way."""

    __slots__ = (
        *("beside", "blob_hash", "count", "done", "end", "epoch", "expected", "key", "packed", "request_key"),
        *("_stores", "seal", "session_id", "tenant_id"),
    )

    def __init__(
        self,
        tenant_id: str,
        session_id: str,
        epoch: int,
        expected: int,
        count: int,
        packed: bytes,
        end: TurnEnd | None = None,
        beside: Beside | None = None,
    ) -> None:
        self.tenant_id = tenant_id
        self.session_id = session_id
        self.key = session_key(tenant_id, session_id)
        self.epoch = epoch
        self.expected = expected
        self.count = count
        self.packed = packed
        self.end = end
        self.beside = beside.encoded() if beside is not None else None
        self._stores = beside if beside is not None and beside.stores else None
        self.request_key = request_key(end.keyed.key) if end is not None and end.keyed is not None else None
        self.seal: Seal | None = None
        self.blob_hash: bytes | None = None
        self.done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def close(self, contents: Contents) -> None:
        """Seal the facts and stores, and give large facts their name, which the tenant's sessions share."""
        self.seal = await contents.seal(self.tenant_id, self.key)
        if self._stores is not None and self.seal is not None:
            self.beside = self._stores.closed(self.seal).encoded()
        if len(self.packed) < BLOB_MIN_BYTES:
            self.packed = closed(self.seal, self.packed)
            return
        shared = await contents.seal(self.tenant_id, LARGE_VALUES)
        self.blob_hash = shared.name_of(self.packed) if shared is not None else content_hash(self.packed)
        self.packed = closed(await contents.seal(self.tenant_id, self.blob_hash), self.packed)

    @property
    def bytes(self) -> int:
        """Return roughly how much goes over the wire."""
        return len(self.packed) + (len(self.end.snapshot or b"") if self.end else 0) + len(self.beside or "")


def take(queue: list[Append], most: int, most_bytes: int) -> list[Append]:
    """Remove from the queue and return the next batch: one append a session, in order, within the bounds."""
    batch: list[Append] = []
    later: list[Append] = []
    sessions: set[bytes] = set()
    size = 0
    for position, append in enumerate(queue):
        if len(batch) == most or (batch and size + append.bytes > most_bytes):
            later.extend(queue[position:])
            break
        if append.key in sessions:
            later.append(append)
            continue
        sessions.add(append.key)
        batch.append(append)
        size += append.bytes
    queue[:] = later
    return batch


def shape_of(batch: Sequence[Append]) -> Shape:
    """Return which variant of the statement the batch needs."""
    ends = [one.end for one in batch if one.end is not None]
    return Shape(
        is_one=len(batch) == 1,
        has_ends=bool(ends),
        has_keys=any(one.request_key is not None for one in batch),
        has_snapshots=any(end.snapshot is not None for end in ends),
        has_news=any(end.announced for end in ends),
        has_besides=any(one.beside is not None for one in batch),
    )


def parameters(batch: Sequence[Append], shape: Shape) -> Parameters:
    """Return the parameters of the batch's statement: a column for each, or the values of its only append."""
    asked = [asked_row(one) for one in batch]
    ended = [end_row(n, one.end, one.seal) for n, one in enumerate(batch, 1) if one.end is not None]
    if shape.is_one:
        found: Parameters = dict(zip(ASKED_NAMES, asked[0], strict=True))
        found.update(zip(END_NAMES, ended[0][1:], strict=True) if ended else ())
    else:
        found = {name: list(column) for name, column in zip(ASKED_NAMES, zip(*asked, strict=True), strict=True)}
        names = ("owners", *END_NAMES)
        found.update(zip(names, map(list, zip(*ended, strict=True)), strict=True) if ended else ())
    if shape.has_keys:
        keys = [one.request_key for one in batch]
        found["request_keys"] = keys[0] if shape.is_one else keys
    if shape.has_news:
        news = [news_of(one) for one in batch]
        found["news"] = news[0] if shape.is_one else news
    if shape.has_besides:
        besides = [one.beside for one in batch]
        found["besides"] = besides[0] if shape.is_one else besides
    return found


def asked_row(append: Append) -> Row:
    """Return one value for each of `ASKED`."""
    facts = None if append.blob_hash else append.packed
    key_id = append.seal.key_id if append.seal is not None else None
    return (append.key, append.epoch, append.expected, append.count, facts, append.blob_hash, key_id)


def end_row(owner: int, end: TurnEnd, seal: Seal | None) -> Row:
    """Return the owner, and one value for each of `ENDED`; the texts of the lines stand in the details."""
    spoke, answered, activity = end.spoke, end.answered, end.activity
    at = answered.at if answered is not None else spoke.at if spoke is not None else None
    first, details = spoke if spoke is not None else answered, pack_details(end)
    return (
        owner,
        end.turn,
        end.keyed.request_hash if end.keyed is not None else None,
        closed(seal, squeeze(end.keyed.reply)) if end.keyed is not None and end.keyed.reply is not None else None,
        closed(seal, squeeze(end.snapshot)) if end.snapshot is not None else None,
        at,
        first.seq if first is not None else 0,
        _ms_before(spoke.at, at) if spoke is not None else None,
        spoke.message_id if spoke is not None else None,
        IN_DETAILS if spoke is not None else None,
        answered.message_id if answered is not None else None,
        IN_DETAILS if answered is not None else None,
        answered.agent_name if answered is not None else None,
        closed(seal, details) if details is not None else None,
        closed(seal, pack_events(end.traces)) if end.traces else None,
        activity.agent_name,
        activity.execution_state,
        activity.end_reason,
        activity.last_error,
        end.lines,
        len(end.traces),
        activity.input_tokens,
        activity.output_tokens,
        activity.estimated_cost,
        activity.duration_ms,
        activity.errors,
        activity.handoffs,
        activity.delegates,
        activity.resumes,
    )


def news_of(append: Append) -> str | None:
    """Return what webhooks are told of a turn as JSON rows, as `journal_statements` reads them; None for nothing.

    The id of an event follows from the place of the append in its journal, so that a repeated append tells it once.
    """
    told = append.end.announced if append.end is not None else ()
    rows: list[JsonObject] = [
        {"event_id": f"{event_id(append.session_id, append.expected)}_{place}", "event": one.event, "data": one.data}
        for place, one in enumerate(told)
    ]
    return msgspec.json.encode(rows).decode() if rows else None


def _ms_before(earlier: datetime, later: datetime | None) -> int:
    """Return what the column can hold of it: a clock that leaps within a turn must not cost the turn."""
    took_ms = round((later - earlier).total_seconds() * SECOND_MS) if later is not None else 0
    return max(-MOST_MS, min(took_ms, MOST_MS))
