"""A live session takes little room while nothing happens, and writes in order."""

import asyncio
import gc
import tracemalloc

import msgspec

from actors.messages import Replied
from actors.session.live import MAX_KEYS, LiveSession
from actors.session_host import SessionHost
from actors.settings import HostLimits
from tests.support.sessions import PIN, PROGRAM, MemoryStore, TablePerformer, a_body, a_turn, some_services

MANY = 400
MOST_BYTES = 4_000
ROUNDS = 3


class ForgetfulStore(MemoryStore):
    """A store that acknowledges and keeps nothing, so that only the host's memory grows."""

    async def append(self, pin, epoch, records, *, expect_seq, end=None, stores=None) -> int:
        return expect_seq + len(records)

    async def create(self, pin, *, reopens=False) -> int:
        return 1

    async def wake(self, tenant_id, session_id) -> None:
        return None


async def sessions_in(host: SessionHost, first: int, count: int) -> None:
    for number in range(first, first + count):
        message = a_turn(f"hello {number}", f"own:{number}")
        turn = msgspec.structs.replace(message.turn, session_id=f"sess_c{number:024d}")
        assert isinstance(await host.ask(msgspec.structs.replace(message, turn=turn)), Replied)


async def weights(host: SessionHost) -> tuple[float, float]:
    """What each of MANY sessions weighs while it is idle, and what is left of it once its host lost it, in bytes."""
    before, _ = tracemalloc.get_traced_memory()
    await sessions_in(host, 50, MANY)
    while host.pack():
        pass
    gc.collect()
    live, _ = tracemalloc.get_traced_memory()
    host.lose_everything()
    gc.collect()
    gone, _ = tracemalloc.get_traced_memory()
    return (live - before) / MANY, (gone - before) / MANY


def test_an_idle_session_weighs_less_than_four_kilobytes_and_nothing_once_it_sleeps(monkeypatch) -> None:
    monkeypatch.setattr("actors.dozing.DOZE_AFTER_S", 0.0)

    async def story() -> None:
        host = SessionHost("host-0", some_services(ForgetfulStore()), HostLimits(idle_s=3_600.0))
        await sessions_in(host, 0, 50)
        while host.pack():
            pass
        host.lose_everything()  # what is made when it is first needed is made
        await sessions_in(host, 0, 50)
        gc.collect()
        tracemalloc.start()
        rounds = [await weights(host) for _ in range(ROUNDS)]
        tracemalloc.stop()
        # A cache of the process grows in one round; what a session holds or leaves behind is there in all of them.
        assert min(live for live, _ in rounds) < MOST_BYTES
        assert min(gone for _, gone in rounds) < MOST_BYTES / 8

    asyncio.run(story())


def test_a_session_that_dozed_goes_on_as_if_it_had_not() -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store, TablePerformer(some_services(store).clock))
        await body.handle(a_turn("keyed 1", "k1"), None)
        live = body.live
        assert live is not None
        state, last = live.state, live.last
        assert not body.doze()
        assert live.is_dozing
        assert live.stream.is_empty
        assert live.state == state
        assert live.last == last
        assert not live.is_dozing
        body.doze()
        assert live.is_dozing
        answer = await body.handle(a_turn("hello", "k2"), None)
        assert isinstance(answer, Replied)
        assert answer.reply.turn == 2

    asyncio.run(story())


def test_keys_of_a_session_that_was_made_here_are_known_without_the_store() -> None:
    live = LiveSession(PIN, PROGRAM, MemoryStore(), 1, is_new=True)
    assert not live.knows_key("k1")
    live.remember_key("k1")
    assert live.knows_key("k1")
    assert not live.knows_key("k2")
    for number in range(MAX_KEYS):
        live.remember_key(f"n{number}")
    assert live.knows_key("k2"), "too many to remember: the store is asked"


def test_keys_of_a_session_from_the_store_may_all_have_been() -> None:
    assert LiveSession(PIN, PROGRAM, MemoryStore(), 1).knows_key("any")
