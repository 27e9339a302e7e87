"""A turn whose host died: whatever stands in the way of its end, no other message has to meet it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from actors.grain import Grain
from actors.messages import (
    Done,
    EndSession,
    Failed,
    Follow,
    ForgetSession,
    HostAnswer,
    HostMessage,
    Look,
    Replied,
    ResetSession,
    RunTurn,
    Viewed,
)
from actors.session import driver
from actors.session.body import SessionBody
from actors.session.finishing import MAX_ATTEMPTS
from actors.session.kept import decode_kept
from actors.session.records import decode_record
from actors.session.store import EffectStoreLost
from domain.clock import FixedClock, iso_ms
from domain.model_calls import BUDGET_EXCEEDED
from engine import AnyEffect, AskModel, ModelFailed, ToolReturned, TurnCancelled
from tests.support.sessions import PROJECT, SESSION, TENANT, MemoryStore, TablePerformer, a_body, a_turn, some_services

NAMES = {"tenant_id": TENANT, "project_id": PROJECT, "session_id": SESSION}
LOOK, RESET = Look(**NAMES), ResetSession(**NAMES)
END = EndSession(**NAMES, reason="api")
THINKER = 'AGENT: Ledger\nGOAL: "Think about it"\nPERSONA: "Calm"\n'


class Raising(TablePerformer):
    """Meets an error in its first effects."""

    def __init__(self, times: int, error: Exception | None = None) -> None:
        super().__init__(FixedClock())
        self.left, self.error = times, error or RuntimeError("nobody thought of this")

    async def perform(self, effect, live, output):
        if not self.left:
            return await super().perform(effect, live, output)
        self.left -= 1
        raise self.error


class Thinking(TablePerformer):
    """Waits for a model, or finds that its budget is spent."""

    async def perform(self, effect: AnyEffect, live, output):
        if not isinstance(effect, AskModel):
            return await super().perform(effect, live, output)
        self.started.set()
        if self.hold is not None:
            await self.hold.wait()
        return ModelFailed(at=iso_ms(self.clock.now()), effect_id=effect.id, kind=BUDGET_EXCEEDED, message="Spent")


async def left_unfinished(store: MemoryStore, text: str = "keyed 1", performer: TablePerformer | None = None) -> None:
    """Leave a session whose host died while an effect was under way, and whose records were written."""
    performer = performer or TablePerformer(FixedClock())
    performer.hold = asyncio.Event()
    body = a_body(store, performer)
    task = asyncio.create_task(body.handle(a_turn(text, "k1"), None))
    await performer.started.wait()
    assert body.live is not None
    await body.live.write()
    task.cancel()
    await asyncio.wait([task])
    store.epoch += 1


def said(answer: HostAnswer) -> str:
    assert isinstance(answer, Replied), answer
    return answer.reply.response


def viewed(answer: HostAnswer) -> Viewed:
    assert isinstance(answer, Viewed), answer
    return answer


def cancelled_for(store: MemoryStore) -> list[str]:
    facts = [decode_record(raw).fact for raw in store.journals[SESSION]]
    return [fact.reason for fact in facts if isinstance(fact, TurnCancelled)]


def attempts(store: MemoryStore) -> list[int]:
    return [one for raw in store.journals[SESSION] if (one := decode_record(raw).attempt)]


def test_a_turn_whose_every_attempt_fails_is_given_up_and_the_message_at_hand_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        body = a_body(store, Raising(MAX_ATTEMPTS - 1))
        assert said(await body.handle(a_turn("keyed 2", "k2"), None)).startswith("noted")
        assert attempts(store) == [*range(2, MAX_ATTEMPTS + 2)]
        assert cancelled_for(store) == ["broken"]
        assert len(store.commits) == 2
        assert (SESSION, "k1") not in store.turns
        assert said(await a_body(store).handle(a_turn("again", "k3"), None)) == "heard again"

    asyncio.run(story())
    logged = [record for record in caplog.records if record.exc_info and record.name == "actors.session.finishing"]
    assert len(logged) == MAX_ATTEMPTS - 1


def test_a_turn_that_was_to_change_the_world_and_is_given_up_keeps_its_refusal_under_its_key() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store, "unkeyed 1")
        broken = a_body(store, TablePerformer(FixedClock()))
        answer = await broken.handle(RESET, None)
        viewed(answer)
        assert cancelled_for(store) == ["ResetSession"]
        assert (SESSION, "k1") in store.turns

    asyncio.run(story())


def test_a_turn_that_fails_once_more_is_done_by_the_next_attempt() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        answer = await a_body(store, Raising(1)).handle(a_turn("keyed 1", "k1"), None)
        assert said(answer) == "noted keyed 1"
        assert cancelled_for(store) == []
        assert store.transcript == [("user", "keyed 1"), ("assistant", "noted keyed 1")]

    asyncio.run(story())


@pytest.mark.parametrize("message", [RESET, END])
def test_a_reset_and_an_end_give_an_unfinished_turn_up_and_perform_nothing(message: ResetSession | EndSession) -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        performer = Raising(1)
        view = viewed(await a_body(store, performer).handle(message, None)).view
        assert (view.status, view.execution_state) == (("ended", "ended") if message is END else ("active", "idle"))
        assert performer.left == 1
        assert cancelled_for(store) == [type(message).__name__]
        viewed(await a_body(store).handle(RESET, None))
        assert said(await a_body(store).handle(a_turn("again", "k3"), None)) == "heard again"

    asyncio.run(story())


def test_a_session_is_reset_ended_and_looked_at_also_when_the_engine_cannot_even_give_its_turn_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story(message: ResetSession | EndSession | Look) -> str:
        store = MemoryStore()
        await left_unfinished(store)

        def fails(program, state, fact):
            if isinstance(fact, TurnCancelled | ToolReturned):
                raise ZeroDivisionError
            return advance(program, state, fact)

        with monkeypatch.context() as patched:
            patched.setattr(driver, "advance", fails)
            with pytest.raises(ZeroDivisionError):
                await a_body(store).handle(a_turn("hello", "k2"), None)
            return viewed(await a_body(store).handle(message, None)).view.execution_state

    advance = driver.advance
    assert [asyncio.run(story(message)) for message in (RESET, END, LOOK)] == ["idle", "ended", "processing"]


def test_a_reset_by_a_stranger_gives_nothing_up() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        strange = ResetSession(tenant_id="ten_b", project_id=PROJECT, session_id=SESSION)
        answer = await a_body(store).handle(strange, None)
        assert isinstance(answer, Failed)
        assert answer.kind == "NotFound"
        assert cancelled_for(store) == []

    asyncio.run(story())


def test_a_look_shows_what_stands_and_the_turn_goes_on_behind_it() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        performer = TablePerformer(FixedClock(), hold=asyncio.Event())
        grain = Grain(SESSION, a_body(store, performer))
        assert viewed(await grain.ask(LOOK)).view.execution_state == "processing"
        assert store.commits == []
        await performer.started.wait()
        performer.hold.set()
        await grain.settle()
        assert store.transcript == [("user", "keyed 1"), ("assistant", "noted keyed 1")]
        assert viewed(await grain.ask(LOOK)).view.execution_state == "idle"

    asyncio.run(story())


def test_a_session_that_was_forgotten_is_not_gone_on_with_behind_a_look() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        body = a_body(store)
        viewed(await body.handle(LOOK, None))
        assert body.is_left
        await body.handle(ForgetSession(tenant_id=TENANT, session_id=SESSION), None)
        assert not body.is_left

    asyncio.run(story())


def test_a_session_that_is_ended_for_being_quiet_first_goes_on_with_what_its_host_had_begun() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        quiet = EndSession(**NAMES, reason="idle_timeout", quiet_since="2026-01-01T00:00:00.000Z")
        assert await a_body(store).handle(quiet, None) == Done(note="in use")
        assert store.transcript[-1] == ("assistant", "noted keyed 1")

    asyncio.run(story())


@pytest.mark.parametrize("message", [RESET, END, LOOK, a_turn("again", "k2")])
def test_the_refusal_of_a_turn_that_is_taken_up_is_no_answer_to_another_message(message: HostMessage) -> None:
    """A budget is spent when the turn is taken up: its outcome says so, the message at hand is carried out."""

    async def story() -> None:
        store = MemoryStore()
        services = replace(some_services(store, Thinking(FixedClock(), hold=asyncio.Event()), THINKER), has_model=True)
        body = SessionBody(TENANT, SESSION, services)
        task = asyncio.create_task(body.handle(a_turn("hello", "k1"), None))
        await services.performer.started.wait()
        assert body.live is not None
        await body.live.write()
        task.cancel()
        await asyncio.wait([task])
        store.epoch += 1
        store.commits.clear()
        services.performer.hold = None
        body = SessionBody(TENANT, SESSION, services)
        answer = await body.handle(message, None)
        if isinstance(message, RunTurn):  # its own refusal, after the other turn's
            assert isinstance(answer, Failed)
            assert [decode_kept(end.beside).failed["error"] for end in store.commits] == ["Budget exceeded"] * 2
        else:
            viewed(answer)
        assert isinstance(await SessionBody(TENANT, SESSION, services).handle(LOOK, None), Viewed)

    asyncio.run(story())


def test_a_follower_is_not_refused_for_a_turn_that_another_has_begun(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        store = MemoryStore()
        services = replace(some_services(store, Thinking(FixedClock(), hold=asyncio.Event()), THINKER), has_model=True)
        body = SessionBody(TENANT, SESSION, services)
        task = asyncio.create_task(body.handle(a_turn("hello", "k1"), None))
        await services.performer.started.wait()
        assert body.live is not None
        await body.live.write()
        task.cancel()
        await asyncio.wait([task])
        services.performer.hold = None
        follow = Follow(tenant_id=TENANT, session_id=SESSION, after=0)
        assert await SessionBody(TENANT, SESSION, services).handle(follow, None) == Done()
        assert [decode_kept(end.beside).failed["error"] for end in store.commits] == ["Budget exceeded"]

    asyncio.run(story())
    assert caplog.records == []  # it is no failed attempt


def test_a_store_that_stays_away_from_an_effect_ends_no_turn_and_a_later_message_goes_on_with_it() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        performer = Raising(1, EffectStoreLost())
        refused = await a_body(store, performer).handle(a_turn("keyed 1", "k1"), None)
        assert isinstance(refused, Failed)
        assert refused.kind == "Unavailable"
        assert store.commits == []
        assert said(await a_body(store, performer).handle(a_turn("keyed 1", "k1"), None)) == "noted keyed 1"
        assert store.transcript == [("user", "keyed 1"), ("assistant", "noted keyed 1")]

    asyncio.run(story())


def test_an_effect_that_never_finds_its_store_does_not_keep_a_session_for_good() -> None:
    async def story() -> None:
        store = MemoryStore()
        await left_unfinished(store)
        performer = Raising(MAX_ATTEMPTS - 1, EffectStoreLost())
        answers = [
            await a_body(store, performer).handle(a_turn("keyed 2", "k2"), None) for _ in range(MAX_ATTEMPTS - 1)
        ]
        assert [type(answer) for answer in answers] == [Failed] * (MAX_ATTEMPTS - 2) + [Replied]
        assert cancelled_for(store) == ["broken"]

    asyncio.run(story())
