from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from storage.contents import Contents
from storage.database import Database
from storage.frames import BLOB_MIN_BYTES, content_hash
from storage.journal_batch import IN_DETAILS, Append, parameters, shape_of, take
from storage.journal_statements import APPENDS
from storage.keys import request_key
from storage.turn_end import KeyedReply, MessageRow, TraceRow, TurnEnd
from storage.vault import Vault

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
    async def story() -> None:
        large = b"x" * BLOB_MIN_BYTES
        batch = [an_append("a", large), an_append("b")]
        nobodys = Vault(cast("Database", None), None)  # it has no key, and looks for none
        for append in batch:
            await append.close(Contents(nobodys))
        made = parameters(batch, shape_of(batch))
        assert made["facts"] == [None, b"fact"]
        assert made["blob_hashes"] == [content_hash(large), None]

    asyncio.run(story())


def an_end(*, is_keyed: bool = True, snapshot: bytes | None = None) -> TurnEnd:
    return TurnEnd(
        turn=1,
        keyed=KeyedReply("k", "h", b"reply") if is_keyed else None,
        snapshot=snapshot,
        spoke=MessageRow(seq=7, message_id="m", role="user", content="hi", turn=1, at=AT),
        answered=MessageRow(seq=8, message_id="n", role="assistant", content="ho", turn=1, at=AT + LATER),
        traces=(TraceRow(seq=1, turn=1, type="decision", at="t", agent_name="Desk", span_id="1.1"),),
    )


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize(
    "end", [None, an_end(), an_end(is_keyed=False), an_end(snapshot=b"s"), an_end(is_keyed=False, snapshot=b"s")]
)
def test_the_parameters_are_those_of_the_statement_of_the_shape(end: TurnEnd | None, others: int) -> None:
    def story() -> None:
        batch = [*(an_append("b") for _ in range(others)), an_append("a", end=end)]
        shape = shape_of(batch)
        assert shape.is_one == (not others)
        APPENDS[shape].arguments(parameters(batch, shape))

    run(story)


def test_an_end_is_told_to_which_append_it_belongs() -> None:
    def story() -> None:
        batch = [an_append("b"), an_append("a", end=an_end())]
        made = parameters(batch, shape_of(batch))
        assert made["request_keys"] == [None, request_key("k")]
        assert (made["owners"], made["lines"], made["messages"]) == ([2], [2], [7])
        assert (made["ats"], made["spoke_ms"]) == ([AT + LATER], [1_500])
        alone = parameters(batch[1:], shape_of(batch[1:]))
        assert (alone["request_keys"], alone["messages"], alone["spokes"]) == (request_key("k"), 7, IN_DETAILS)

    run(story)
