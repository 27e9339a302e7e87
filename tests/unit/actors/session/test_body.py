"""The promises of a turn, told over a store of lists: once, in order, durable before it is shown."""

import asyncio
from dataclasses import replace

import msgspec
import pytest

from actors.messages import EndSession, Failed, HostAnswer, HostMessage, Replied, ResetSession, Viewed
from actors.runtime import StreamEvent, TurnReply
from actors.session.body import SessionBody
from actors.session.records import decode_record
from actors.session.store import Stored
from domain.clock import FixedClock
from domain.errors import InvalidInput
from engine import OutcomeUnknown
from tests.support.sessions import PROJECT, SESSION, TENANT, MemoryStore, TablePerformer, a_body, a_turn, some_services


def replied(answer: HostAnswer) -> TurnReply:
    assert isinstance(answer, Replied), answer
    return answer.reply


def test_a_first_message_makes_the_session_and_is_answered() -> None:
    async def story() -> None:
        store = MemoryStore()
        reply = replied(await a_body(store).handle(a_turn("hello"), None))
        assert reply.response == "heard hello"
        assert store.transcript == [("user", "hello"), ("assistant", "heard hello")]
        assert len(store.commits) == 1

    asyncio.run(story())


def test_a_message_that_was_taken_while_its_empty_session_was_being_removed_begins_the_session_anew() -> None:
    """It was acknowledged in a life that is over, and no reset has ended that."""

    async def story() -> None:
        store = MemoryStore()
        taken = msgspec.structs.replace(a_turn("hello", "k1"), life="the life of a session that was removed")
        assert replied(await a_body(store).handle(taken, None)).response == "heard hello"

    asyncio.run(story())


def test_a_message_that_was_taken_before_a_reset_is_not_run_after_it() -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("first", "k1"), None)
        taken = msgspec.structs.replace(a_turn("second", "k2"), life=store.pins[SESSION].runtime_session_id)
        await body.handle(ResetSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION), None)
        answer = await body.handle(taken, None)
        assert isinstance(answer, Failed)
        assert answer.details == {"reason": "SESSION_RESET"}

    asyncio.run(story())


def test_a_session_that_was_asleep_goes_on_where_it_was() -> None:
    async def story() -> None:
        store = MemoryStore()
        await a_body(store).handle(a_turn("keyed 1"), None)
        reply = replied(await a_body(store).handle(a_turn("second"), None))
        assert reply.turn == 2
        assert [line[1] for line in store.transcript] == ["keyed 1", "noted keyed 1", "second", "heard second"]

    asyncio.run(story())


def test_the_same_key_with_the_same_request_gives_the_stored_reply_and_runs_nothing() -> None:
    async def story() -> None:
        store, performer = MemoryStore(), TablePerformer(FixedClock())
        body = a_body(store, performer)
        first = replied(await body.handle(a_turn("keyed 1", "k1"), None))
        again = replied(await body.handle(a_turn("keyed 1", "k1"), None))
        assert again.repeated
        assert again.response == first.response
        assert again.message_id == first.message_id
        assert len(performer.calls) == 1
        assert len(store.commits) == 1

    asyncio.run(story())


def test_the_same_key_with_another_request_is_a_conflict() -> None:
    async def story() -> None:
        body = a_body(MemoryStore())
        await body.handle(a_turn("one", "k1"), None)
        answer = await body.handle(a_turn("two", "k1"), None)
        assert isinstance(answer, Failed)
        assert answer.kind == "Conflict"

    asyncio.run(story())


def test_a_call_with_side_effects_is_made_only_after_its_intent_is_durable() -> None:
    async def story() -> None:
        store, performer = MemoryStore(), TablePerformer(FixedClock())
        seen: list[tuple[int, bool]] = []

        async def look(end: object) -> None:
            seen.append((len(performer.calls), end is not None))

        store.before_append = look
        await a_body(store, performer).handle(a_turn("unkeyed 1"), None)
        assert seen[0] == (0, False)
        assert seen[-1] == (1, True)

    asyncio.run(story())


def test_nothing_that_ends_a_turn_is_shown_before_the_commit() -> None:
    async def story() -> None:
        store = MemoryStore()
        shown: list[str] = []
        at_commit: list[str] = []

        async def look(end: object) -> None:
            if end is not None:
                at_commit.extend(shown)

        def listener(event: StreamEvent) -> bool:
            shown.append(event.kind)
            return True

        store.before_append = look
        message = a_turn("hello")
        await a_body(store).handle(type(message)(turn=message.turn, new=True, follow=True), listener)
        assert at_commit
        assert not {"response_end", "complete"} & set(at_commit)
        assert shown[0] == "session_start"
        assert shown[-2:] == ["response_end", "complete"]

    asyncio.run(story())


async def died_in_the_middle(store: MemoryStore, text: str, key: str = "k1") -> TablePerformer:
    """Leave a session whose host died while a tool was running."""
    performer = TablePerformer(FixedClock(), hold=asyncio.Event())
    task = asyncio.create_task(a_body(store, performer).handle(a_turn(text, key), None))
    await performer.started.wait()
    store.epoch += 1
    task.cancel()
    await asyncio.wait([task])
    return performer


def test_after_a_crash_a_safe_call_is_made_again_under_the_same_effect() -> None:
    async def story() -> None:
        store = MemoryStore()
        dead = TablePerformer(FixedClock(), hold=asyncio.Event())
        body = a_body(store, dead)
        task = asyncio.create_task(body.handle(a_turn("keyed 1", "k1"), None))
        await dead.started.wait()
        assert body.live is not None
        await body.live.write()
        task.cancel()
        await asyncio.wait([task])
        performer = TablePerformer(FixedClock())
        reply = replied(await a_body(store, performer).handle(a_turn("keyed 1", "k1"), None))
        assert reply.repeated
        assert reply.response == "noted keyed 1"
        assert performer.calls == dead.calls
        assert store.transcript == [("user", "keyed 1"), ("assistant", "noted keyed 1")]

    asyncio.run(story())


def test_after_a_crash_an_unsafe_call_becomes_an_unknown_outcome_and_is_not_made_again() -> None:
    async def story() -> None:
        store = MemoryStore()
        await died_in_the_middle(store, "unkeyed 1")
        performer = TablePerformer(FixedClock())
        reply = replied(await a_body(store, performer).handle(a_turn("unkeyed 1", "k1"), None))
        assert performer.calls == []
        assert reply.repeated
        assert reply.response == "unknown unkeyed 1"
        facts = [decode_record(raw).fact for raw in store.journals[SESSION]]
        assert any(isinstance(fact, OutcomeUnknown) for fact in facts)
        assert store.transcript == [("user", "unkeyed 1"), ("assistant", "unknown unkeyed 1")]

    asyncio.run(story())


def taken_over(store: MemoryStore, message: HostMessage) -> list[bool]:
    """Return of each turn that is told to be taken up by a message whether its host had ended."""
    told: list[Stored] = []
    services = replace(some_services(store), takes_over=told.append)
    asyncio.run(SessionBody(TENANT, SESSION, services).handle(message, None))
    return [one.is_taken_over for one in told]


def test_a_turn_that_is_taken_up_from_a_lost_host_is_told_once() -> None:
    store = MemoryStore()
    asyncio.run(died_in_the_middle(store, "unkeyed 1"))
    assert taken_over(store, a_turn("unkeyed 1", "k1")) == [True]
    store.epoch += 1
    assert taken_over(store, a_turn("again", "k2")) == []


def test_records_of_a_lost_host_that_are_no_turn_are_not_told() -> None:
    store = MemoryStore()
    asyncio.run(a_body(store).handle(a_turn("one"), None))
    asyncio.run(a_body(store).handle(ResetSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION), None))
    store.snapshots.clear()
    stored = asyncio.run(store.load(TENANT, SESSION))
    assert stored is not None
    assert stored.records
    store.epoch += 1
    assert taken_over(store, a_turn("again", "k2")) == []


def test_a_turn_that_cannot_be_finished_after_a_crash_blocks_no_later_message() -> None:
    async def story() -> None:
        store = MemoryStore()
        dead = TablePerformer(FixedClock(), hold=asyncio.Event())
        dying = a_body(store, dead)
        task = asyncio.create_task(dying.handle(a_turn("keyed 1", "k1"), None))
        await dead.started.wait()
        assert dying.live is not None
        await dying.live.write()
        task.cancel()
        await asyncio.wait([task])

        class RefusingOnce(TablePerformer):
            is_spent = False

            async def perform(self, effect, live, output):
                if not self.is_spent:
                    self.is_spent = True
                    raise InvalidInput("A value cannot be stored")
                return await super().perform(effect, live, output)

        body = a_body(store, RefusingOnce(FixedClock()))
        assert replied(await body.handle(a_turn("keyed 2", "k2"), None)).response == "noted keyed 2"
        assert body.live is not None
        assert not body.live.is_ahead
        assert len(store.commits) == 2
        assert replied(await a_body(store).handle(a_turn("again", "k3"), None)).response == "heard again"

    asyncio.run(story())


def test_after_a_crash_before_anything_was_durable_the_turn_runs_when_it_is_sent_again() -> None:
    async def story() -> None:
        store = MemoryStore()
        await died_in_the_middle(store, "keyed 1")
        performer = TablePerformer(FixedClock())
        reply = replied(await a_body(store, performer).handle(a_turn("keyed 1", "k1"), None))
        assert reply.response == "noted keyed 1"
        assert len(performer.calls) == 1
        assert store.transcript == [("user", "keyed 1"), ("assistant", "noted keyed 1")]

    asyncio.run(story())


def test_a_taken_up_turn_numbers_its_output_behind_everything_that_may_have_been_shown() -> None:
    async def story() -> None:
        store = MemoryStore()
        await died_in_the_middle(store, "unkeyed 1")
        reply = replied(await a_body(store).handle(a_turn("unkeyed 1", "k1"), None))
        assert reply.first_seq > 1_000_000

    asyncio.run(story())


def test_a_turn_that_is_sent_again_keeps_its_message_id_and_numbers_its_output_further_on() -> None:
    async def story() -> None:
        shown: list[StreamEvent] = []

        def listener(event: StreamEvent) -> bool:
            shown.append(event)
            return True

        for attempt in (1, 2):
            message = msgspec.structs.replace(a_turn("hello", "k1"), follow=True, attempt=attempt)
            await a_body(MemoryStore()).handle(message, listener)
        starts = [event for event in shown if event.kind == "response_start"]
        assert starts[0].data["messageId"] == starts[1].data["messageId"]
        assert [event.data["attempt"] for event in starts] == [1, 2]
        assert [event.seq for event in shown] == sorted({event.seq for event in shown})

    asyncio.run(story())


def test_a_host_that_lost_its_lease_writes_nothing_and_sends_the_caller_on() -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("one"), None)
        store.owner_epoch[SESSION] = 99
        before = list(store.journals[SESSION])
        answer = await body.handle(a_turn("two"), None)
        assert isinstance(answer, Failed)
        assert answer.moved
        assert body.live is None
        assert store.journals[SESSION] == before

    asyncio.run(story())


def test_when_the_store_is_lost_the_session_is_forgotten_and_the_turn_can_be_sent_again() -> None:
    async def story() -> None:
        store = MemoryStore(fails=1)
        body = a_body(store)
        answer = await body.handle(a_turn("one", "k1"), None)
        assert isinstance(answer, Failed)
        assert answer.kind == "Unavailable"
        assert body.live is None
        assert replied(await body.handle(a_turn("one", "k1"), None)).response == "heard one"
        assert store.transcript == [("user", "one"), ("assistant", "heard one")]

    asyncio.run(story())


def test_a_turn_past_its_deadline_is_cancelled_answered_and_leaves_the_session_usable() -> None:
    async def story() -> None:
        store, performer = MemoryStore(), TablePerformer(FixedClock(), hold=asyncio.Event())
        body = a_body(store, performer)
        answer = await body.handle(a_turn("keyed 1", "k1", deadline_s=0.01), None)
        assert isinstance(answer, Failed)
        assert answer.message == "Turn timed out"
        assert (SESSION, "k1") not in store.turns
        performer.hold = None
        assert replied(await body.handle(a_turn("two"), None)).turn == 2

    asyncio.run(story())


def test_a_turn_past_its_deadline_that_asked_for_a_change_is_refused_again_under_its_key_and_not_run_again() -> None:
    async def story() -> None:
        store, performer = MemoryStore(), TablePerformer(FixedClock(), hold=asyncio.Event())
        body = a_body(store, performer)
        await body.handle(a_turn("unkeyed 1", "k1", deadline_s=0.01), None)
        performer.hold = None
        for host in (body, a_body(store, performer)):  # the second one wakes the session from the store
            answer = await host.handle(a_turn("unkeyed 1", "k1"), None)
            assert isinstance(answer, Failed)
            assert (answer.kind, answer.message) == ("Unavailable", "Turn timed out")
        assert replied(await host.handle(a_turn("two"), None)).turn == 2

    asyncio.run(story())


def test_an_ended_session_takes_no_message_and_a_reset_revives_it() -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("one"), None)
        end = EndSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION, reason="api")
        assert isinstance(await body.handle(end, None), Viewed)
        assert isinstance(await body.handle(end, None), Viewed)
        refused = await body.handle(a_turn("two"), None)
        assert isinstance(refused, Failed)
        assert refused.details == {"reason": "SESSION_ENDED"}
        reset = await body.handle(ResetSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION), None)
        assert isinstance(reset, Viewed)
        assert reset.view.status == "active"
        assert replied(await body.handle(a_turn("three"), None)).response == "heard three"
        assert replied(await a_body(store).handle(a_turn("four"), None)).turn == 2

    asyncio.run(story())


@pytest.mark.parametrize(("tenant", "project"), [("ten_b", PROJECT), (TENANT, "c" + "q" * 24)])
def test_a_session_of_somebody_else_is_not_found(tenant: str, project: str) -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("one"), None)
        answer = await body.handle(
            EndSession(tenant_id=tenant, project_id=project, session_id=SESSION, reason="api"), None
        )
        assert isinstance(answer, Failed)
        assert answer.kind == "NotFound"

    asyncio.run(story())
