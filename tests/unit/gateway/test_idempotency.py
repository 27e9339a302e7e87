from __future__ import annotations

import asyncio

import pytest
from fastapi import Request, Response

from actors.runtime import Caller
from domain.clock import FixedClock
from domain.errors import Conflict, InvalidInput, NotFound
from gateway import limits
from gateway.idempotency import LocalReplyStore, Replies, StoredReply, checked_key

pytestmark = pytest.mark.anyio
CALLER = Caller("ten_one", "key", frozenset())


def a_request(path: str = "/reset") -> Request:
    return Request({"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""})


async def test_simultaneous_requests_with_one_key_run_once() -> None:
    replies, ran = Replies(LocalReplyStore(FixedClock())), 0

    async def handle(_request: Request) -> Response:
        nonlocal ran
        ran += 1
        await asyncio.sleep(0)
        return Response(b"done", 201)

    answers = await asyncio.gather(*(replies.once(a_request(), CALLER, "k", b"", handle) for _ in range(5)))
    assert ran == 1
    assert {(answer.status_code, bytes(answer.body)) for answer in answers} == {(201, b"done")}


async def test_what_failed_may_be_tried_again() -> None:
    replies, failing = Replies(LocalReplyStore(FixedClock())), True

    async def handle(_request: Request) -> Response:
        if failing:
            raise NotFound("Session not found")
        return Response(b"done")

    with pytest.raises(NotFound):
        await replies.once(a_request(), CALLER, "k", b"", handle)
    failing = False
    assert (await replies.once(a_request(), CALLER, "k", b"", handle)).body == b"done"
    with pytest.raises(Conflict):
        await replies.once(a_request(), CALLER, "k", b"other body", handle)


async def test_replies_are_kept_a_day_and_only_so_many() -> None:
    clock = FixedClock()
    store = LocalReplyStore(clock, held=2)
    for key in "abc":
        await store.keep("t", key, StoredReply(key, 200, b""))
    assert await store.find("t", "a") is None
    assert await store.find("t", "c") == StoredReply("c", 200, b"")
    assert await store.find("other", "c") is None
    clock.move(seconds=limits.IDEMPOTENCY_KEPT_S + 1)
    assert await store.find("t", "c") is None


@pytest.mark.parametrize("key", ["x" * 256, "a\nb", "å", "a\0"])
def test_a_key_must_be_fit_to_be_stored(key: str) -> None:
    with pytest.raises(InvalidInput):
        checked_key(key)
    assert checked_key("b2c4-1") == "b2c4-1"
