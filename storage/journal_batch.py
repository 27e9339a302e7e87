"""Appends waiting to be written, and the turning of many of them into the columns of one statement."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

from storage.frames import BLOB_MIN_BYTES, content_hash, squeeze
from storage.keys import request_key, session_key
from storage.turn_end import TurnEnd
from storage.turn_frames import pack_details, pack_events

Columns: TypeAlias = dict[str, list[object]]
EndRow: TypeAlias = tuple[object, ...]

SECOND_MS = 1_000


class Append:
    """One append on its way."""

    __slots__ = (
        *("blob_hash", "count", "done", "end", "epoch", "expected", "key", "packed", "request_key"),
        *("session_id", "tenant_id"),
    )

    def __init__(
        self, tenant_id: str, session_id: str, epoch: int, expected: int, count: int, packed: bytes, end: TurnEnd | None
    ) -> None:
        self.tenant_id = tenant_id
        self.session_id = session_id
        self.key = session_key(tenant_id, session_id)
        self.epoch = epoch
        self.expected = expected
        self.count = count
        self.packed = packed
        self.end = end
        self.request_key = request_key(end.keyed.key) if end is not None and end.keyed is not None else None
        self.blob_hash = content_hash(packed) if len(packed) >= BLOB_MIN_BYTES else None
        self.done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    @property
    def bytes(self) -> int:
        """Return roughly how much goes over the wire."""
        return len(self.packed) + (len(self.end.snapshot or b"") if self.end else 0)


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


def columns(batch: Sequence[Append]) -> Columns:
    """Return the parameters of `APPEND`."""
    return {
        "session_keys": [one.key for one in batch],
        "epochs": [one.epoch for one in batch],
        "expected": [one.expected for one in batch],
        "counts": [one.count for one in batch],
        "facts": [None if one.blob_hash else one.packed for one in batch],
        "blob_hashes": [one.blob_hash for one in batch],
    }


END_COLUMNS = (
    *(
        "owners",
        "tenant_ids",
        "session_ids",
        "turns",
        "request_hashes",
        "replies",
        "snapshots",
        "ats",
        "messages",
        "spoke_ms",
    ),
    *("spoke_ids", "spokes", "answer_ids", "answers", "speakers", "details", "events", "agent_names"),
    *("execution_states", "end_reasons", "last_errors", "lines", "traces", "input_tokens", "output_tokens"),
    *("estimated_costs", "turn_durations_ms", "errors", "handoffs", "delegates"),
)
"""The further parameters of `APPEND_AND_END`, in the order of `end_row`; owners are positions in the batch, from 1."""


def end_columns(batch: Sequence[Append]) -> Columns:
    """Return the further parameters of `APPEND_AND_END`."""
    rows = [end_row(n, one, one.end) for n, one in enumerate(batch, 1) if one.end is not None]
    found: Columns = {name: list(column) for name, column in zip(END_COLUMNS, zip(*rows, strict=True), strict=True)}
    found["request_keys"] = [one.request_key for one in batch]
    return found


def end_row(owner: int, append: Append, end: TurnEnd) -> EndRow:
    """Return one value for each of `END_COLUMNS`."""
    spoke, answered, activity = end.spoke, end.answered, end.activity
    at = answered.at if answered is not None else spoke.at if spoke is not None else None
    first = spoke if spoke is not None else answered
    return (
        owner,
        append.tenant_id,
        append.session_id,
        end.turn,
        end.keyed.request_hash if end.keyed is not None else None,
        squeeze(end.keyed.reply) if end.keyed is not None else None,
        squeeze(end.snapshot) if end.snapshot is not None else None,
        at,
        first.seq if first is not None else 0,
        _ms_before(spoke.at, at) if spoke is not None else None,
        spoke.message_id if spoke is not None else None,
        spoke.content if spoke is not None else None,
        answered.message_id if answered is not None else None,
        answered.content if answered is not None else None,
        answered.agent_name if answered is not None else None,
        pack_details(end),
        pack_events(end.traces) if end.traces else None,
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
    )


def _ms_before(earlier: datetime, later: datetime | None) -> int:
    return round((later - earlier).total_seconds() * SECOND_MS) if later is not None else 0
