from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from storage.frames import BLOB_MIN_BYTES
from storage.journal_batch import Append, columns, end_columns, take
from storage.journal_statements import APPEND, APPEND_AND_END
from storage.keys import request_key
from storage.turn_end import KeyedReply, MessageRow, TraceRow, TurnEnd

AT = datetime(2026, 11, 21, tzinfo=UTC)
LATER = timedelta(milliseconds=1_500)


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
            keyed=KeyedReply("k", "h", b"reply"),
            spoke=MessageRow(seq=7, message_id="m", role="user", content="hi", turn=1, at=AT),
            answered=MessageRow(seq=8, message_id="n", role="assistant", content="ho", turn=1, at=AT + LATER),
            traces=(TraceRow(seq=1, turn=1, type="decision", at="t", agent_name="Desk", span_id="1.1"),),
        )
        batch = [an_append("b"), an_append("a", end=end)]
        APPEND.arguments(columns(batch))
        APPEND_AND_END.arguments({**columns(batch), **end_columns(batch)})
        made = end_columns(batch)
        assert made["request_keys"] == [None, request_key("k")]
        assert (made["owners"], made["session_ids"], made["lines"], made["messages"]) == ([2], ["a"], [2], [7])
        assert (made["ats"], made["spoke_ms"]) == ([AT + LATER], [1_500])

    run(story)
