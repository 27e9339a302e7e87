"""Quiet sessions are packed oldest first, busy ones are not, and output stays while a page may come back for it."""

import asyncio

from actors import dozing
from actors.dozing import Dozing
from actors.grain import Grain
from actors.messages import Replied
from actors.session_host import SessionHost
from domain.clock import FixedClock
from tests.support.sessions import SESSION, MemoryStore, TablePerformer, a_body, a_turn, some_services


async def a_grain(store: MemoryStore, performer: TablePerformer | None = None) -> Grain:
    return Grain(SESSION, a_body(store, performer or TablePerformer(FixedClock())))


def test_a_session_that_was_used_a_moment_ago_is_not_packed() -> None:
    async def story() -> None:
        grain, line = await a_grain(MemoryStore()), Dozing()
        assert isinstance(await grain.ask(a_turn("keyed 1")), Replied)
        line.used(grain)
        assert line.pack() == 0
        assert grain.body.live is not None
        assert not grain.body.live.is_dozing

    asyncio.run(story())


def test_a_quiet_session_is_packed_once_until_it_is_used_again(monkeypatch) -> None:
    monkeypatch.setattr(dozing, "DOZE_AFTER_S", -1.0)

    async def story() -> None:
        grain, line = await a_grain(MemoryStore()), Dozing()
        assert isinstance(await grain.ask(a_turn("keyed 1")), Replied)
        line.used(grain)
        assert (line.pack(), line.pack()) == (1, 0)
        assert grain.body.live is not None
        assert grain.body.live.is_dozing

    asyncio.run(story())


def test_a_session_whose_caller_left_is_packed_when_its_turn_is_over(monkeypatch) -> None:
    monkeypatch.setattr(dozing, "DOZE_AFTER_S", -1.0)

    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        grain, line = await a_grain(MemoryStore(), performer), Dozing()
        asked = asyncio.create_task(grain.ask(a_turn("keyed 1")))
        await performer.started.wait()
        asked.cancel()
        line.used(grain)
        assert line.pack() == 0
        performer.hold.set()
        await grain.settle()
        assert line.pack() == 1

    asyncio.run(story())


def test_output_is_dropped_when_no_page_will_come_back_for_it(monkeypatch) -> None:
    monkeypatch.setattr(dozing, "DOZE_AFTER_S", -1.0)

    async def story() -> None:
        grain, line = await a_grain(MemoryStore()), Dozing()
        await grain.ask(a_turn("keyed 1"))
        stream = grain.body.live.stream
        page = stream.listen(lambda _event: True, endless=True)
        await grain.ask(a_turn("keyed 2"))
        line.used(grain)
        line.pack()
        line.let_output_go()
        assert not stream.is_empty
        page.cancel()
        await asyncio.wait([page])
        monkeypatch.setattr("actors.session.stream.RESUME_BUFFER_KEPT_S", -1.0)
        line.let_output_go()
        assert stream.is_empty

    asyncio.run(story())


def test_a_host_packs_by_itself(monkeypatch) -> None:
    monkeypatch.setattr(dozing, "DOZE_AFTER_S", -1.0)

    async def story() -> None:
        host = SessionHost("host-0", some_services(MemoryStore()))
        await host.ask(a_turn("keyed 1"))
        assert host.pack() == 1
        assert host.stats().live_sessions == 1
        await host.ask(a_turn("keyed 2"))
        host.lose_everything()
        assert host.pack() == 0

    asyncio.run(story())
