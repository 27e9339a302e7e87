"""The urgent lane of one session: what it interrupts, what it turns away, what it leaves alone."""

import asyncio

import msgspec

from actors.grain import Grain
from actors.messages import (
    TURN_TAKEN_BACK,
    CancelTurn,
    Done,
    EndSession,
    Failed,
    HostAnswer,
    Replied,
    ResetSession,
    Viewed,
)
from actors.session.store import Stored
from domain.clock import FixedClock
from domain.limits import SESSION_QUEUE_TURNS
from tests.support.sessions import PROJECT, SESSION, TENANT, MemoryStore, TablePerformer, a_body, a_turn

CANCEL = CancelTurn(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION)
RESET = ResetSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION)


async def at_work(store: MemoryStore) -> tuple[Grain, asyncio.Task[HostAnswer]]:
    """Return a session in the middle of a turn under the key `k1`."""
    performer = TablePerformer(FixedClock(), hold=asyncio.Event())
    grain = Grain(SESSION, a_body(store, performer))
    running = asyncio.create_task(grain.ask(a_turn("unkeyed 1", "k1")))
    await performer.started.wait()
    return grain, running


def test_a_cancelled_turn_is_committed_as_cancelled() -> None:
    async def story() -> None:
        store = MemoryStore()
        grain, running = await at_work(store)
        assert await grain.ask(CANCEL) == Done(note="cancelled")
        answer = await running
        assert isinstance(answer, Replied)
        assert answer.reply.status == "cancelled"
        assert len(store.commits) == 1
        again = await grain.ask(a_turn("unkeyed 1", "k1"))
        assert isinstance(again, Replied)
        assert (again.reply.repeated, again.reply.status) == (True, "cancelled")

    asyncio.run(story())


def test_a_turn_is_cancelled_only_under_its_own_name() -> None:
    async def story() -> None:
        grain, running = await at_work(MemoryStore())
        other = CancelTurn(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION, message_id="k2")
        assert await grain.ask(other) == Done()
        assert not running.done()
        mine = CancelTurn(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION, message_id="k1")
        assert await grain.ask(mine) == Done(note="cancelled")
        await running

    asyncio.run(story())


def test_nothing_is_given_up_for_a_message_that_runs_or_waits_itself() -> None:
    async def story() -> None:
        grain, running = await at_work(MemoryStore())
        waiting = asyncio.create_task(grain.ask(a_turn("hello", "k2")))
        await asyncio.sleep(0)
        for key in ("k1", "k2"):
            assert await grain.ask(msgspec.structs.replace(CANCEL, for_message=key)) == Done()
        assert not running.done()
        assert await grain.ask(msgspec.structs.replace(CANCEL, for_message="k3")) == Done(note="cancelled")
        await asyncio.gather(running, waiting)

    asyncio.run(story())


def cancel_of(key: str, project_id: str = PROJECT) -> CancelTurn:
    return CancelTurn(tenant_id=TENANT, project_id=project_id, session_id=SESSION, message_id=key)


def test_a_turn_that_waits_is_taken_back_and_what_runs_goes_on() -> None:
    async def story() -> None:
        store = MemoryStore()
        grain, running = await at_work(store)
        waiting = [asyncio.create_task(grain.ask(a_turn("hello", key))) for key in ("k2", "k2", "k3")]
        await asyncio.sleep(0)
        assert await grain.ask(cancel_of("k2", "another project")) == Done()
        assert await grain.ask(cancel_of("k2")) == Done(note=TURN_TAKEN_BACK)
        for one in waiting[:2]:
            answer = await one
            assert isinstance(answer, Failed)
            assert answer.details == {"reason": "TURN_CANCELLED"}
        assert not running.done()
        assert await grain.ask(cancel_of("k2")) == Done(), "it waits no more"
        assert await grain.ask(cancel_of("k1")) == Done(note="cancelled")
        await running
        third = await waiting[2]
        assert isinstance(third, Replied)
        assert (third.reply.status, len(store.commits)) == ("idle", 2)

    asyncio.run(story())


class SlowStore(MemoryStore):
    """A store from which a session is not loaded until a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may_load = asyncio.Event(), asyncio.Event()

    async def load(self, tenant_id: str, session_id: str) -> Stored | None:
        self.asked.set()
        await self.may_load.wait()
        return await super().load(tenant_id, session_id)


def test_a_turn_whose_session_is_still_being_loaded_is_cancelled_as_it_begins() -> None:
    async def story() -> None:
        store = SlowStore()
        grain = Grain(SESSION, a_body(store, TablePerformer(FixedClock(), hold=asyncio.Event())))
        beginning = asyncio.create_task(grain.ask(a_turn("keyed 1", "k1")))
        await store.asked.wait()
        cancelled = asyncio.create_task(grain.ask(cancel_of("k1")))
        await asyncio.sleep(0)
        store.may_load.set()
        assert await cancelled == Done(note="cancelled")
        answer = await beginning
        assert isinstance(answer, Replied)
        assert answer.reply.status == "cancelled"
        next_one = await grain.ask(a_turn("hello", "k2"))
        assert isinstance(next_one, Replied)
        assert next_one.reply.status == "idle"

    asyncio.run(story())


def test_nothing_to_cancel_is_said_at_once() -> None:
    async def story() -> None:
        grain = Grain(SESSION, a_body(MemoryStore()))
        assert await grain.ask(CANCEL) == Done()
        assert not grain.is_busy

    asyncio.run(story())


def test_a_reset_gives_up_the_running_turn_and_turns_waiting_ones_away() -> None:
    async def story() -> None:
        store = MemoryStore()
        grain, running = await at_work(store)
        waiting = asyncio.create_task(grain.ask(a_turn("hello", "k2")))
        await asyncio.sleep(0)
        assert isinstance(await grain.ask(RESET), Viewed)
        refused = await waiting
        assert isinstance(refused, Failed)
        assert refused.details["reason"] == "SESSION_RESET"
        answer = await running
        assert isinstance(answer, Failed), "it had no answer to give"
        said = {"reason": "SESSION_RESET", "begun": True, "response": "unknown unkeyed 1"}
        assert (answer.kind, answer.message, answer.details) == ("Conflict", "The session was reset", said)
        fresh = await grain.ask(a_turn("hello", "k3"))
        assert isinstance(fresh, Replied)
        assert fresh.reply.turn == 1

    asyncio.run(story())


def test_an_idle_end_does_not_disturb_a_session_in_use() -> None:
    async def story() -> None:
        grain, running = await at_work(MemoryStore())
        idle = EndSession(
            tenant_id=TENANT,
            project_id=PROJECT,
            session_id=SESSION,
            reason="idle_timeout",
            quiet_since="2026-01-01T00:00:00.000Z",
        )
        asked = asyncio.create_task(grain.ask(idle))
        await asyncio.sleep(0)
        assert not running.done()
        await grain.ask(CANCEL)
        assert await asked == Done(note="in use")

    asyncio.run(story())


def test_the_waiting_client_of_a_turn_is_told_that_its_session_was_ended() -> None:
    async def story() -> None:
        store = MemoryStore()
        grain, running = await at_work(store)
        waiting = asyncio.create_task(grain.ask(a_turn("hello", "k2")))
        await asyncio.sleep(0)
        end = EndSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION, reason="api")
        ended = await grain.ask(end)
        assert isinstance(ended, Viewed)
        assert ended.view.status == "ended"
        for answer, details in (
            (await running, {"reason": "SESSION_ENDED", "begun": True, "response": "unknown unkeyed 1"}),
            (await waiting, {"reason": "SESSION_ENDED"}),
        ):
            assert isinstance(answer, Failed)
            assert (answer.kind, answer.message, answer.details) == ("Conflict", "Session has ended", details)

    asyncio.run(story())


def test_a_full_queue_says_until_when_what_runs_has_ended_for_certain() -> None:
    async def story() -> None:
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        grain = Grain(SESSION, a_body(MemoryStore(), performer))
        running = asyncio.create_task(grain.ask(a_turn("unkeyed 1", "k1", deadline_s=900.0)))
        await performer.started.wait()
        waiting = [asyncio.create_task(grain.ask(a_turn("hello", f"w{n}"))) for n in range(SESSION_QUEUE_TURNS)]
        await asyncio.sleep(0)
        full = await grain.ask(a_turn("hello", "one more"))
        assert isinstance(full, Failed)
        assert (full.kind, full.message) == ("QueueFull", "Execution queue full")
        assert full.retry_after_ms > 900_000
        await grain.ask(CANCEL)
        await asyncio.gather(running, *waiting)

    asyncio.run(story())
