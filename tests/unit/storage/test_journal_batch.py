from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from storage.frames import BLOB_MIN_BYTES
from storage.journal_batch import Append, columns, end_columns, take
from storage.journal_statements import APPEND, APPEND_AND_END
from storage.turn_end import KeyedReply, MessageRow, TraceRow, TurnEnd

AT = datetime(2026, 11, 21, tzinfo=UTC)


def run(work: Callable[[], None]) -> None:
    async def inside() -> None:
        work()

    asyncio.run(inside())


def an_append(session_id: str, packed: bytes = b"fact", end: TurnEnd | None = None) -> Append:
    return Append("ten_1", session_id, 1, 0, 1, packed, end)


def test_a_batch_has_one_append_a_session_and_keeps_the_order() -> None:
    def story() -> None:
        queue = [an_append("a"), an_append("b"), an_append("a")]
        first, second, third = queue
        assert take(queue, 10, 1_000) == [first, second]
        assert queue == [third]

    run(story)


def test_a_batch_is_bounded_by_number_and_by_size_but_never_empty() -> None:
    def story() -> None:
        queue = [an_append(str(number), b"x" * 100) for number in range(4)]
        assert len(take(queue, 3, 250)) == 2
        assert len(take(queue, 1, 250)) == 1
        assert len(take(queue, 3, 5)) == 1
        assert take(queue, 3, 5) == []

    run(story)


def test_large_facts_are_named_by_their_hash() -> None:
    def story() -> None:
        large = an_append("a", b"x" * BLOB_MIN_BYTES)
        made = columns([large, an_append("b")])
        assert made["facts"] == [None, b"fact"]
        assert made["blob_hashes"] == [large.blob_hash, None]

    run(story)


def test_the_columns_are_the_parameters_of_the_statements() -> None:
    def story() -> None:
        end = TurnEnd(
            turn=1,
            keyed=KeyedReply("a", "k", "h", b"reply"),
            messages=(MessageRow(seq=1, message_id="m", role="user", content="hi", turn=1, at=AT),),
            traces=(TraceRow(seq=1, turn=1, type="decision", data=b"{}"),),
        )
        batch = [an_append("b"), an_append("a", end=end)]
        APPEND.arguments(columns(batch))
        APPEND_AND_END.arguments({**columns(batch), **end_columns(batch)})
        made = end_columns(batch)
        assert made["keys"] == [None, "k"]
        assert made["message_owners"] == made["trace_owners"] == made["activity_owners"] == [2]

    run(story)
