from __future__ import annotations

import asyncio

import pytest
from fastapi import Request, Response

from domain import limits
from domain.clock import FixedClock
from domain.errors import Conflict, InvalidInput, NotFound
from gateway import bounds
from gateway.auth.sealing import Seal
from gateway.idempotency import IN_USE, UNKNOWN, LocalReplyStore, Replies, ReplyName, StoredReply, checked_key
from storage.errors import ConnectionLost

pytestmark = pytest.mark.anyio
NAME = ReplyName("ten_one", "", "k")
SEAL = Seal(b"0123456789abcdef0123456789abcdef", "replies")


def a_request(path: str = "/reset") -> Request:
    return Request({"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""})


class Work:
    """Something that must not be done twice."""

    def __init__(self) -> None:
        self.runs = 0
        self.fails = False

    async def __call__(self, _request: Request) -> Response:
        self.runs += 1
        await asyncio.sleep(0)
        if self.fails:
            raise NotFound("Session not found")
        return Response(b"done", 201)


async def test_simultaneous_requests_with_one_key_run_once() -> None:
    replies, work = Replies(LocalReplyStore(FixedClock()), SEAL), Work()
    answers = await asyncio.gather(*(replies.once(a_request(), NAME, b"", work) for _ in range(5)))
    assert work.runs == 1
    assert {(answer.status_code, bytes(answer.body)) for answer in answers} == {(201, b"done")}


async def test_simultaneous_requests_on_several_gateways_run_once() -> None:
    store, work = LocalReplyStore(FixedClock()), Work()
    gateways = [Replies(store, SEAL) for _ in range(4)]
    answers = await asyncio.gather(*(one.once(a_request(), NAME, b"", work) for one in gateways for _ in range(3)))
    assert work.runs == 1
    assert {bytes(answer.body) for answer in answers} == {b"done"}


async def test_a_request_that_runs_elsewhere_for_too_long_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "REPLY_WAIT_S", 0.0)
    store = LocalReplyStore(FixedClock())
    first = Replies(store, SEAL)
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_request: Request) -> Response:
        arrived.set()
        await go_on.wait()
        return Response(b"done")

    running = asyncio.create_task(first.once(a_request(), NAME, b"", slow))
    await arrived.wait()
    with pytest.raises(Conflict) as raised:
        await Replies(store, SEAL).once(a_request(), NAME, b"", slow)
    assert raised.value.details == {"reason": IN_USE}
    go_on.set()
    assert (await running).body == b"done"


async def test_what_failed_may_be_tried_again() -> None:
    replies, work = Replies(LocalReplyStore(FixedClock()), SEAL), Work()
    work.fails = True
    with pytest.raises(NotFound):
        await replies.once(a_request(), NAME, b"", work)
    work.fails = False
    assert (await replies.once(a_request(), NAME, b"", work)).body == b"done"


class SharedStore(LocalReplyStore):
    """A store that tells when a request gives a sign of life."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.renewed = asyncio.Event()
        self.renewals = 0

    async def renew(self, name: ReplyName) -> None:
        await super().renew(name)
        self.renewals += 1
        self.renewed.set()


class Breaking:
    """A request that breaks off after the change; whoever dies neither answers nor raises."""

    def __init__(self, how: str) -> None:
        self.how = how
        self.runs = 0
        self.changed = asyncio.Event()

    async def __call__(self, _request: Request) -> Response:
        self.runs += 1
        self.changed.set()
        match self.how:
            case "loses-the-store":
                raise ConnectionLost("The database did not answer in time.")
            case "has-a-bug":
                raise KeyError("a bug")
        await asyncio.Event().wait()
        return Response(b"never")


async def test_a_request_that_takes_long_is_not_run_by_another_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "REPLY_RENEW_S", 0.001)
    monkeypatch.setattr(bounds, "REPLY_WAIT_S", 0.0)
    clock = FixedClock()
    store, work = SharedStore(clock), Breaking("dies")
    running = asyncio.create_task(Replies(store, SEAL).once(a_request(), NAME, b"", work))
    await work.changed.wait()
    for _ in range(3):
        clock.move(seconds=bounds.REPLY_CLAIM_LIFE_S - 1)
        store.renewed.clear()
        await store.renewed.wait()
    with pytest.raises(Conflict) as raised:
        await Replies(store, SEAL).once(a_request(), NAME, b"", work, repeatable=True)
    assert raised.value.details == {"reason": IN_USE}
    assert work.runs == 1
    running.cancel()


async def test_signs_of_life_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "REPLY_RENEW_S", 0.0)
    monkeypatch.setattr(bounds, "REPLY_RENEWALS_MAX", 2)
    clock = FixedClock()
    store = SharedStore(clock)
    running = asyncio.create_task(Replies(store, SEAL).once(a_request(), NAME, b"", Breaking("dies")))
    while store.renewals < bounds.REPLY_RENEWALS_MAX:
        await store.renewed.wait()
        store.renewed.clear()
    clock.move(seconds=bounds.REPLY_CLAIM_LIFE_S)
    with pytest.raises(Conflict) as raised:
        await Replies(store, SEAL).once(a_request(), NAME, b"", Work())
    assert raised.value.details == {"reason": UNKNOWN}
    running.cancel()


@pytest.mark.parametrize("repeatable", [False, True])
@pytest.mark.parametrize("how", ["dies", "is-cancelled", "loses-the-store", "has-a-bug"])
async def test_what_broke_off_is_run_again_only_where_that_does_no_harm(how: str, *, repeatable: bool) -> None:
    clock = FixedClock()
    store = LocalReplyStore(clock)
    first = Breaking(how)
    running = asyncio.create_task(Replies(store, SEAL).once(a_request(), NAME, b"", first, repeatable=repeatable))
    await first.changed.wait()
    if how == "is-cancelled":
        running.cancel()
    if how != "dies":
        await asyncio.wait([running])
    clock.move(seconds=bounds.REPLY_CLAIM_LIFE_S)
    work = Work()
    again = Replies(store, SEAL).once(a_request(), NAME, b"", work, repeatable=repeatable)
    if repeatable:
        assert (await again).body == b"done"
    else:
        with pytest.raises(Conflict, match="Look with GET") as raised:
            await again
        assert raised.value.details == {"reason": UNKNOWN}
    assert work.runs == (1 if repeatable else 0)
    running.cancel()


@pytest.mark.parametrize(("path", "body"), [("/reset", b"other"), ("/end", b"")], ids=["another body", "another path"])
async def test_another_request_under_the_key_is_refused(path: str, body: bytes) -> None:
    replies, work = Replies(LocalReplyStore(FixedClock()), SEAL), Work()
    await replies.once(a_request(), NAME, b"", work)
    with pytest.raises(Conflict) as raised:
        await replies.once(a_request(path), NAME, body, work)
    assert raised.value.details == {"reason": "IDEMPOTENCY_KEY_REUSED"}
    assert work.runs == 1


async def test_replies_stand_in_the_store_sealed_and_open_only_under_their_name() -> None:
    store, work = LocalReplyStore(FixedClock()), Work()
    await Replies(store, SEAL).once(a_request(), NAME, b"", work)
    known = await store.claim(NAME, b"")
    assert known is not None
    assert b"done" not in known.body
    await store.claim(NAME._replace(key="other"), known.request_hash)
    await store.keep(NAME._replace(key="other"), 200, known.body)
    with pytest.raises(Conflict):
        await Replies(store, SEAL).once(a_request(), NAME._replace(key="other"), b"", work)


async def test_replies_are_kept_a_day_and_only_so_many() -> None:
    clock = FixedClock()
    store = LocalReplyStore(clock, held=2)
    for key in "abc":
        assert await store.claim(NAME._replace(key=key), b"hash") is None
        await store.keep(NAME._replace(key=key), 200, b"")
    kept = StoredReply(b"hash", 200, b"")
    assert await store.claim(NAME._replace(key="c"), b"hash") == kept
    assert await store.claim(NAME._replace(tenant_id="other", key="c"), b"hash") is None
    assert await store.claim(NAME._replace(key="a"), b"hash") is None
    clock.move(seconds=limits.IDEMPOTENCY_KEPT_S + 1)
    assert await store.claim(NAME._replace(key="a"), b"hash") is None


@pytest.mark.parametrize("key", ["x" * 256, "a\nb", "å", "a\0"])
def test_a_key_must_be_fit_to_be_stored(key: str) -> None:
    with pytest.raises(InvalidInput):
        checked_key(key)
    assert checked_key("b2c4-1") == "b2c4-1"


def test_a_key_of_a_stranger_must_be_too_long_to_be_anybody_elses() -> None:
    with pytest.raises(InvalidInput, match="22"):
        checked_key("retry-1", min_chars=22)
    assert checked_key("x" * 22, min_chars=22)


class JustStale(LocalReplyStore):
    """A store whose claim turns stale between the look that would take it over and the one that tells of it."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.looks = 0

    async def claim(self, name: ReplyName, request_hash: bytes, *, repeatable: bool = False) -> StoredReply | None:
        self.looks += 1
        return StoredReply(request_hash, is_stale=True) if self.looks == 1 else None


async def test_a_repeatable_request_whose_claim_turns_stale_as_it_is_looked_at_is_run() -> None:
    replies, work = Replies(JustStale(FixedClock()), SEAL), Work()
    assert (await replies.once(a_request(), NAME, b"", work, repeatable=True)).body == b"done"
    with pytest.raises(Conflict) as raised:
        await Replies(JustStale(FixedClock()), SEAL).once(a_request(), NAME, b"", work)
    assert raised.value.details == {"reason": UNKNOWN}
