"""Memory stores as code outside uses them: in one order with the turns of the session, durable, and never set twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from actors.grain import Grain
from actors.messages import EndSession, Failed, MemoryUsed, Replied, UseMemory
from actors.session.driver import MAX_ASIDES
from actors.session.records import Record, decode_record
from domain.clock import FixedClock, iso_ms
from domain.limits import MEMORY_STORE_MAX_BYTES
from domain.tool_calls import ToolResult
from engine import CallTool, ToolReturned
from tests.support.sessions import PROJECT, SESSION, TENANT, MemoryStore, TablePerformer, a_body, a_turn


class Setting(TablePerformer):
    """Its tools set the store `counts` to 1."""

    async def perform(self, effect, live, output):
        fact = await super().perform(effect, live, output)
        if isinstance(effect, CallTool):
            result = ToolResult(ok=True, value={"order": "x"}, stores={"counts": {"n": 1}})
            return ToolReturned(at=iso_ms(self.clock.now()), effect_id=effect.id, result=result)
        return fact


def use(action: str, content: dict[str, object] | None = None, store: str = "counts", **more: str) -> UseMemory:
    named = {"tenant_id": TENANT, "project_id": PROJECT, "session_id": SESSION, **more}
    return UseMemory(**named, action=action, store=store, content=content)


def notes(store: MemoryStore) -> list[Record]:
    return [record for record in map(decode_record, store.journals[SESSION]) if record.stores]


def run(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 10))


def test_what_is_set_between_turns_stands_in_the_journal_and_can_be_read() -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("hello", "k1"), None)
        assert await body.handle(use("get"), None) == MemoryUsed(value={})
        assert await body.handle(use("set", {"n": 2}), None) == MemoryUsed()
        assert await body.handle(use("get"), None) == MemoryUsed(value={"n": 2})
        assert [note.stores for note in notes(store)] == [{"counts": {"n": 2}}]
        assert await body.handle(use("delete"), None) == MemoryUsed(value={"deleted": True})
        assert notes(store)[-1].stores == {"counts": None}
        assert isinstance(await body.handle(a_turn("again", "k2"), None), Replied)
        assert isinstance(await a_body(store).handle(a_turn("once more", "k3"), None), Replied)

    run(story)


def test_code_that_a_turn_waits_for_is_answered_in_the_midst_of_the_turn() -> None:
    async def story() -> None:
        store, performer = MemoryStore(), Setting(FixedClock(), hold=asyncio.Event())
        grain = Grain(SESSION, a_body(store, performer))
        turn = asyncio.create_task(grain.ask(a_turn("keyed 1", "k1")))
        await performer.started.wait()
        assert await grain.ask(use("set", {"n": 0})) == MemoryUsed()
        assert await grain.ask(use("get")) == MemoryUsed(value={"n": 0})
        assert not turn.done()
        performer.hold.set()
        assert isinstance(await turn, Replied)
        assert store.stores[SESSION, "counts"] == {"n": 1}, "the tool that ended later has set it later"

    run(story)


def test_many_at_once_each_have_their_answer_and_too_many_are_turned_away() -> None:
    async def story() -> None:
        store, performer = MemoryStore(), Setting(FixedClock(), hold=asyncio.Event())
        grain = Grain(SESSION, a_body(store, performer))
        turn = asyncio.create_task(grain.ask(a_turn("keyed 1", "k1")))
        await performer.started.wait()
        asked = [grain.ask(use("set", {"n": number}, store=f"s{number % 8}")) for number in range(MAX_ASIDES + 9)]
        answers = await asyncio.gather(*asked)
        assert answers.count(MemoryUsed()) == MAX_ASIDES
        assert {answer.kind for answer in answers if isinstance(answer, Failed)} == {"QueueFull"}
        performer.hold.set()
        await turn

    run(story)


def test_what_is_durable_is_set_with_it_also_when_the_host_dies_at_once() -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("hello", "k1"), None)

        append = store.append

        async def dies(*given: object, **named: object) -> None:
            await append(*given, **named)
            raise RuntimeError("the host dies here")

        store.append = dies
        with pytest.raises(RuntimeError):
            await body.handle(use("set", {"n": 5}), None)
        store.append = append
        assert await a_body(store).handle(use("get"), None) == MemoryUsed(value={"n": 5})

    run(story)


def test_a_crash_does_not_bring_an_older_value_back() -> None:
    """A tool sets 1, then code outside sets 2, then the host dies: whoever takes the turn up leaves 2."""

    async def story() -> None:
        store = MemoryStore()
        performer = Setting(FixedClock())
        grain = Grain(SESSION, a_body(store, performer))
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def before_the_end(end: object) -> None:
            if end is not None:
                reached.set()
                await go_on.wait()
                raise RuntimeError("the host dies here")

        store.before_append = before_the_end
        turn = asyncio.create_task(grain.ask(a_turn("keyed 1", "k1")))
        await reached.wait()
        assert store.stores[SESSION, "counts"] == {"n": 1}
        store.before_append = None
        later = a_body(store, Setting(FixedClock()))
        store.epoch = 2
        await later.handle(use("set", {"n": 2}), None)
        go_on.set()
        await turn
        assert store.stores[SESSION, "counts"] == {"n": 2}
        store.epoch = 3
        assert await a_body(store).handle(use("get"), None) == MemoryUsed(value={"n": 2})

    run(story)


@pytest.mark.parametrize("wrong", [{"tenant_id": "ten_other"}, {"project_id": "cother"}])
def test_strangers_find_no_session_also_in_the_midst_of_a_turn(wrong: dict[str, str]) -> None:
    async def story() -> None:
        store, performer = MemoryStore(), Setting(FixedClock(), hold=asyncio.Event())
        grain = Grain(SESSION, a_body(store, performer))
        turn = asyncio.create_task(grain.ask(a_turn("keyed 1", "k1")))
        await performer.started.wait()
        answer = await grain.ask(use("get", **wrong))
        assert isinstance(answer, Failed)
        assert answer.kind == "NotFound"
        performer.hold.set()
        await turn

    run(story)


def test_a_session_that_has_ended_has_no_memory() -> None:
    async def story() -> None:
        body = a_body(MemoryStore())
        await body.handle(a_turn("hello", "k1"), None)
        await body.handle(EndSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION, reason="api"), None)
        answer = await body.handle(use("get"), None)
        assert isinstance(answer, Failed)
        assert (answer.kind, answer.message) == ("NotFound", "Session not found")

    run(story)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (use("merge"), "InvalidInput"),
        (use("set"), "InvalidInput"),
        (use("get", store="a/b"), "InvalidInput"),
        (use("set", {"text": "x" * MEMORY_STORE_MAX_BYTES}), "TooLarge"),
    ],
)
def test_what_is_refused_changes_nothing(message: UseMemory, kind: str) -> None:
    async def story() -> None:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("hello", "k1"), None)
        before = list(store.journals[SESSION])
        answer = await body.handle(message, None)
        assert isinstance(answer, Failed)
        assert answer.kind == kind
        assert store.journals[SESSION] == before

    run(story)
