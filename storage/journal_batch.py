"""Appends waiting to be written, and the turning of many of them into the columns of one statement."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from storage.frames import BLOB_MIN_BYTES, content_hash, squeeze
from storage.trace_frames import pack_events
from storage.turn_end import TurnEnd

Columns: TypeAlias = dict[str, list[object]]


class Append:
    """One append on its way."""

    __slots__ = ("blob_hash", "count", "done", "end", "epoch", "expected", "packed", "session_id", "tenant_id")

    def __init__(
        self, tenant_id: str, session_id: str, epoch: int, expected: int, count: int, packed: bytes, end: TurnEnd | None
    ) -> None:
        self.tenant_id = tenant_id
        self.session_id = session_id
        self.epoch = epoch
        self.expected = expected
        self.count = count
        self.packed = packed
        self.end = end
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
    sessions: set[tuple[str, str]] = set()
    size = 0
    for position, append in enumerate(queue):
        if len(batch) == most or (batch and size + append.bytes > most_bytes):
            later.extend(queue[position:])
            break
        session = (append.tenant_id, append.session_id)
        if session in sessions:
            later.append(append)
            continue
        sessions.add(session)
        batch.append(append)
        size += append.bytes
    queue[:] = later
    return batch


def columns(batch: Sequence[Append]) -> Columns:
    """Return the parameters of `APPEND`."""
    return {
        "tenant_ids": [one.tenant_id for one in batch],
        "session_ids": [one.session_id for one in batch],
        "epochs": [one.epoch for one in batch],
        "expected": [one.expected for one in batch],
        "counts": [one.count for one in batch],
        "facts": [None if one.blob_hash else one.packed for one in batch],
        "blob_hashes": [one.blob_hash for one in batch],
    }


def end_columns(batch: Sequence[Append]) -> Columns:
    """Return the further parameters of `APPEND_AND_END`. Owners are positions in the batch, from 1."""
    ends = [one.end for one in batch]
    keyed = [end.keyed if end else None for end in ends]
    messages = [(n, row) for n, end in enumerate(ends, 1) if end for row in end.messages]
    traced = [(n, end.traces) for n, end in enumerate(ends, 1) if end and end.traces]
    activities = [(n, end) for n, end in enumerate(ends, 1) if end]
    return {
        "turns": [end.turn if end else None for end in ends],
        "scope_ids": [key.scope_id if key else None for key in keyed],
        "keys": [key.key if key else None for key in keyed],
        "request_hashes": [key.request_hash if key else None for key in keyed],
        "replies": [squeeze(key.reply) if key else None for key in keyed],
        "snapshots": [squeeze(end.snapshot) if end and end.snapshot is not None else None for end in ends],
        "message_owners": [n for n, _ in messages],
        "message_seqs": [row.seq for _, row in messages],
        "message_ids": [row.message_id for _, row in messages],
        "roles": [row.role for _, row in messages],
        "message_agents": [row.agent_name for _, row in messages],
        "message_turns": [row.turn for _, row in messages],
        "message_ats": [row.at for _, row in messages],
        "contents": [row.content for _, row in messages],
        "extras": [row.extra for _, row in messages],
        "trace_owners": [n for n, _ in traced],
        "trace_seqs": [rows[0].seq for _, rows in traced],
        "trace_types": [",".join(sorted({row.type for row in rows})) for _, rows in traced],
        "events": [pack_events(rows) for _, rows in traced],
        "activity_owners": [n for n, _ in activities],
        "agent_names": [end.activity.agent_name for _, end in activities],
        "execution_states": [end.activity.execution_state for _, end in activities],
        "end_reasons": [end.activity.end_reason for _, end in activities],
        "last_errors": [end.activity.last_error for _, end in activities],
        "messages": [len(end.messages) for _, end in activities],
        "traces": [len(end.traces) for _, end in activities],
        "input_tokens": [end.activity.input_tokens for _, end in activities],
        "output_tokens": [end.activity.output_tokens for _, end in activities],
        "estimated_costs": [end.activity.estimated_cost for _, end in activities],
        "turn_durations_ms": [end.activity.duration_ms for _, end in activities],
        "errors": [end.activity.errors for _, end in activities],
        "handoffs": [end.activity.handoffs for _, end in activities],
        "delegates": [end.activity.delegates for _, end in activities],
    }
