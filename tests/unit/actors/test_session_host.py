import asyncio
from collections.abc import Sequence

import msgspec

from actors.messages import Done, EndSession, Failed, Follow, Look, Replied, RunTurn, Viewed
from actors.runtime import StreamEvent
from actors.session_host import SessionHost
from actors.settings import HostLimits
from domain.clock import FixedClock
from domain.limits import SESSION_QUEUE_TURNS
from tests.support.sessions import PROJECT, SESSION, TENANT, MemoryStore, TablePerformer, a_turn, some_services
from tests.support.until import until


def a_host(store: MemoryStore, performer: TablePerformer | None = None, **limits: object) -> SessionHost:
    return SessionHost("host-0", some_services(store, performer), HostLimits(**limits))


def test_messages_at_once_are_answered_in_one_order_and_none_interleaved() -> None:
    async def story() -> None:
        store = MemoryStore()
        host = a_host(store)
        answers = await asyncio.gather(*(host.ask(a_turn(f"keyed {n}")) for n in range(SESSION_QUEUE_TURNS)))
        assert [one.reply.response for one in answers if isinstance(one, Replied)] == [
            f"noted keyed {n}" for n in range(SESSION_QUEUE_TURNS)
        ]
        expected = [
            pair
            for n in range(SESSION_QUEUE_TURNS)
            for pair in (("user", f"keyed {n}"), ("assistant", f"noted keyed {n}"))
        ]
        assert store.transcript == expected

    asyncio.run(story())


def test_over_the_bound_of_the_queue_a_message_is_refused_with_a_time() -> None:
    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(MemoryStore(), performer)
        asked = [asyncio.create_task(host.ask(a_turn("keyed first", "first")))]
        await performer.started.wait()
        asked += [asyncio.create_task(host.ask(a_turn(f"keyed {n}", f"k{n}"))) for n in range(SESSION_QUEUE_TURNS + 4)]
        asked.append(asyncio.create_task(host.ask(a_turn("keyed 0", "k0"))))  # one that waits already is none more
        performer.hold.set()
        answers = await asyncio.gather(*asked)
        refused = [one for one in answers if isinstance(one, Failed)]
        assert len(refused) == 4
        assert all(one.kind == "QueueFull" and one.retry_after_ms > 0 for one in refused)
        assert len(answers) == SESSION_QUEUE_TURNS + 6

    asyncio.run(story())


def test_no_more_turns_wait_in_all_sessions_than_the_instance_may_hold() -> None:
    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(MemoryStore(), performer, max_waiting=3)
        first = asyncio.create_task(host.ask(a_turn("keyed 0")))
        await performer.started.wait()
        waiting = [asyncio.create_task(host.ask(a_turn(f"keyed {n}"))) for n in (1, 2, 3)]
        await until(lambda: host.stats().waiting_turns == 3)
        refused = await host.ask(a_turn("keyed 4"))
        assert isinstance(refused, Failed)
        assert (refused.kind, refused.message) == ("QueueFull", "Execution queue full")
        assert refused.retry_after_ms > 0
        performer.hold.set()
        assert all(isinstance(one, Replied) for one in await asyncio.gather(first, *waiting))

    asyncio.run(story())


def test_a_caller_that_leaves_does_not_stop_the_turn() -> None:
    async def story() -> None:
        store = MemoryStore()
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(store, performer)
        asked = asyncio.create_task(host.ask(a_turn("keyed 1", "k1")))
        await performer.started.wait()
        asked.cancel()
        await asyncio.wait([asked])
        performer.hold.set()
        answer = await host.ask(a_turn("keyed 1", "k1"))
        assert isinstance(answer, Replied)
        assert answer.reply.repeated
        assert len(performer.calls) == 1

    asyncio.run(story())


def test_a_late_listener_follows_the_running_turn_to_its_end() -> None:
    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(MemoryStore(), performer)
        asked = asyncio.create_task(host.ask(a_turn("keyed 1")))
        await performer.started.wait()
        seen: list[StreamEvent] = []

        def listener(event: StreamEvent) -> bool:
            seen.append(event)
            return True

        following = asyncio.create_task(host.ask(Follow(tenant_id=TENANT, session_id=SESSION, after=0), listener))
        await asyncio.sleep(0)
        performer.hold.set()
        await asked
        assert await following == Done()
        assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
        assert seen[-1].kind == "complete"

    asyncio.run(story())


def test_looking_at_a_session_does_not_wait_for_its_turn() -> None:
    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(MemoryStore(), performer)
        asked = asyncio.create_task(host.ask(a_turn("keyed 1")))
        await performer.started.wait()
        answer = await host.ask(Look(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION))
        assert isinstance(answer, Viewed)
        assert answer.view.execution_state == "processing"
        performer.hold.set()
        await asked

    asyncio.run(story())


def test_a_quiet_session_is_let_go_and_wakes_again() -> None:
    async def story() -> None:
        host = a_host(MemoryStore(), idle_s=0.0)
        await host.ask(a_turn("one"))
        assert host.sweep() == 1
        assert host.stats().live_sessions == 0
        answer = await host.ask(a_turn("two"))
        assert isinstance(answer, Replied)
        assert answer.reply.turn == 2

    asyncio.run(story())


def test_under_memory_pressure_the_longest_quiet_half_is_let_go() -> None:
    async def story() -> None:
        host = a_host(MemoryStore(), pressure_bytes=1)
        for number in range(4):
            message = a_turn("one")
            turn = type(message.turn)(**{**_fields(message), "session_id": f"sess_{number}"})
            await host.ask(RunTurn(turn=turn, new=True))
        assert host.sweep() == 2
        assert host.stats().live_sessions == 2

    asyncio.run(story())


def _fields(message: RunTurn) -> dict[str, object]:
    return {name: getattr(message.turn, name) for name in message.turn.__struct_fields__}


def test_a_full_host_lets_the_longest_quiet_session_go_for_a_new_one() -> None:
    async def story() -> None:
        host = a_host(MemoryStore(), max_sessions=1)
        await host.ask(a_turn("one"))
        message = a_turn("one")
        turn = type(message.turn)(**{**_fields(message), "session_id": "sess_2"})
        assert isinstance(await host.ask(RunTurn(turn=turn, new=True)), Replied)
        assert host.stats().live_sessions == 1

    asyncio.run(story())


def test_a_drain_lets_the_running_turn_finish_and_sends_others_on() -> None:
    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(MemoryStore(), performer)
        running = asyncio.create_task(host.ask(a_turn("keyed 1")))
        await performer.started.wait()
        waiting = asyncio.create_task(host.ask(a_turn("keyed 2")))
        await asyncio.sleep(0)
        draining = asyncio.create_task(host.drain())
        await asyncio.sleep(0)
        late = await host.ask(a_turn("keyed 3"))
        performer.hold.set()
        assert isinstance(await running, Replied)
        await draining
        moved = await waiting
        assert isinstance(late, Failed)
        assert isinstance(moved, Failed)
        assert late.moved
        assert moved.moved
        assert host.stats().live_sessions == 0

    asyncio.run(story())


def test_losing_the_lease_breaks_off_running_turns_without_an_answer_to_show() -> None:
    async def story() -> None:
        store = MemoryStore()
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(store, performer)
        running = asyncio.create_task(host.ask(a_turn("keyed 1")))
        await performer.started.wait()
        host.lose_everything()
        answer = await running
        assert isinstance(answer, Failed)
        assert answer.moved
        assert store.commits == []

    asyncio.run(story())


def test_a_bug_costs_the_session_its_life_and_not_the_host(caplog) -> None:
    async def story() -> None:
        class Broken(TablePerformer):
            async def perform(self, effect, live, output):
                raise KeyError("bug")

        host = a_host(MemoryStore(), Broken(FixedClock()))
        answer = await host.ask(a_turn("keyed 1"))
        assert isinstance(answer, Failed)
        assert answer.kind == "AppError"
        assert host.stats().live_sessions == 0
        assert isinstance(await host.ask(a_turn("hello")), Replied)

    asyncio.run(story())
    assert "the actor failed" in caplog.text


async def _several(host: SessionHost, count: int) -> None:
    for number in range(count):
        message = a_turn("one")
        turn = type(message.turn)(**{**_fields(message), "session_id": f"sess_{number}"})
        await host.ask(RunTurn(turn=turn, new=True))


class Returns:
    """Writes down which sessions were given back; `hold` keeps it from ending."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.calls = 0
        self.hold: asyncio.Event | None = None

    async def __call__(self, names: Sequence[tuple[str, str]]) -> None:
        self.calls += 1
        if self.hold is not None:
            await self.hold.wait()
        self.names += [session_id for _, session_id in names]


def test_quiet_sessions_of_a_host_that_drains_are_given_back_together() -> None:
    async def story() -> None:
        returns = Returns()
        host = SessionHost("host-0", some_services(MemoryStore()), give_back=returns)
        await _several(host, 5)
        await host.drain()
        assert sorted(returns.names) == [f"sess_{number}" for number in range(5)]
        assert returns.calls == 1
        assert host.stats().live_sessions == 0
        assert host.stats().draining

    asyncio.run(story())


def test_a_running_turn_of_a_host_that_drains_is_answered_and_then_its_session_is_given_back() -> None:
    async def story() -> None:
        returns = Returns()
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = SessionHost("host-0", some_services(MemoryStore(), performer), give_back=returns)
        asked = asyncio.create_task(host.ask(a_turn("keyed 1")))
        waits = asyncio.create_task(host.ask(a_turn("keyed 2")))
        await performer.started.wait()
        draining = asyncio.create_task(host.drain())
        turned_away = await waits
        assert isinstance(turned_away, Failed)
        assert turned_away.moved
        assert turned_away.details["draining"]
        assert returns.names == []
        performer.hold.set()
        answer = await asked
        assert isinstance(answer, Replied)
        await draining
        assert returns.names == [SESSION]

    asyncio.run(story())


def test_a_host_that_drains_wakes_nothing_and_sends_it_on() -> None:
    async def story() -> None:
        host = a_host(MemoryStore())
        await host.drain()
        answer = await host.ask(a_turn("one"))
        assert isinstance(answer, Failed)
        assert answer.moved
        assert answer.details["draining"]

    asyncio.run(story())


def test_a_turn_that_does_not_end_in_time_is_broken_off_by_a_drain() -> None:
    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        host = a_host(MemoryStore(), performer)
        asked = asyncio.create_task(host.ask(a_turn("keyed 1")))
        await performer.started.wait()
        await host.drain(0.01)
        answer = await asked
        assert isinstance(answer, Failed)
        assert answer.moved

    asyncio.run(story())


def test_a_session_wakes_only_after_it_was_given_back() -> None:
    async def story() -> None:
        returns = Returns()
        returns.hold = asyncio.Event()
        host = SessionHost("host-0", some_services(MemoryStore()), HostLimits(idle_s=0.0), returns)
        await host.ask(a_turn("one"))
        host.sweep()
        asked = asyncio.create_task(host.ask(a_turn("two")))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not asked.done()
        assert host.stats().live_sessions == 0
        returns.hold.set()
        answer = await asked
        assert isinstance(answer, Replied)

    asyncio.run(story())


def test_a_host_for_one_session_is_unused_when_it_sleeps_or_has_ended() -> None:
    async def story() -> None:
        host = a_host(MemoryStore(), idle_s=0.0)
        assert not host.is_unused()
        await host.ask(a_turn("one"))
        assert not host.is_unused()
        await host.ask(EndSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION, reason="api"))
        assert host.is_unused()
        host.sweep()
        assert host.is_unused()

    asyncio.run(story())


def test_what_is_let_go_under_memory_pressure_is_given_back() -> None:
    async def story() -> None:
        returned: list[tuple[str, str]] = []

        async def give_back(names: Sequence[tuple[str, str]]) -> None:
            returned.extend(names)

        limits = HostLimits(idle_s=3_600.0, pressure_bytes=1)
        host = SessionHost("host-0", some_services(MemoryStore()), limits, give_back)
        for number in range(4):
            message = a_turn("hello")
            turn = msgspec.structs.replace(message.turn, session_id=f"sess_{number}")
            assert isinstance(await host.ask(msgspec.structs.replace(message, turn=turn)), Replied)
        assert host.sweep() == 2
        assert host.stats().live_sessions == 2
        await until(lambda: len(returned) == 2)
        assert returned == [(TENANT, "sess_0"), (TENANT, "sess_1")]

    asyncio.run(story())


def test_a_session_that_nobody_knows_leaves_nothing_behind() -> None:
    async def story() -> None:
        host = a_host(MemoryStore())
        answer = await host.ask(msgspec.structs.replace(a_turn("hello"), new=False))
        assert isinstance(answer, Failed)
        assert answer.kind == "NotFound"
        assert host.stats().live_sessions == 0

    asyncio.run(story())


def test_a_message_for_a_session_that_is_being_given_back_waits_for_that() -> None:
    async def story() -> None:
        store = MemoryStore()
        gate, order = asyncio.Event(), []

        async def give_back(names: Sequence[tuple[str, str]]) -> None:
            await gate.wait()
            order.append("given back")

        host = SessionHost("host-0", some_services(store), HostLimits(idle_s=0.0), give_back)
        await host.ask(a_turn("one"))
        host.sweep()
        asked = asyncio.create_task(host.ask(a_turn("two")))
        asked.add_done_callback(lambda _task: order.append("answered"))
        await asyncio.sleep(0)
        gate.set()
        assert isinstance(await asked, Replied)
        await until(lambda: len(order) == 2)
        assert order == ["given back", "answered"]

    asyncio.run(story())
