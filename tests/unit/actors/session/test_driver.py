"""The loop of one turn: what is written before what, and what is written together."""

import asyncio

import pytest

from actors.session.driver import changes_the_world, may_be_repeated, stands_beyond
from actors.session.records import decode_record
from domain.clock import FixedClock, iso_ms
from domain.model_calls import ModelRequest
from domain.tool_calls import ToolResult
from engine import (
    AnyEffect,
    AskModel,
    CallTool,
    Delegate,
    HandOff,
    OpenTask,
    ReadMemory,
    StartTimer,
    Suspend,
    ToolReturned,
    WriteMemory,
)
from tests.support.sessions import SESSION, MemoryStore, TablePerformer, a_body, a_turn


def a_call(**more: object) -> CallTool:
    return CallTool(id="1.1", agent="A", call_id="c", tool="t", arguments={}, kind="http", **more)


TABLE: list[tuple[AnyEffect, bool, bool, bool]] = [
    (AskModel(id="1", agent="A", request=ModelRequest(messages=()), operation="reasoning"), False, True, False),
    (a_call(safe=True), False, True, False),
    (a_call(), True, False, False),
    (Delegate(id="1", agent="A", target="B"), True, True, False),
    (WriteMemory(id="1", agent="A", writes=()), True, True, False),
    (ReadMemory(id="1", agent="A", scopes={}), False, True, False),
    (HandOff(id="1", agent="A", target="B"), False, True, False),
    (HandOff(id="1", agent="A", target="B", remote={"endpoint": "x"}), True, False, False),
    (HandOff(id="1", agent="A", target="B", suspension_id="1.0"), True, True, True),
    (HandOff(id="1", agent="A", target="B", remote={"endpoint": "x", "protocol": "rest"}), True, True, False),
    (Delegate(id="1", agent="A", target="B", remote={"endpoint": "x", "protocol": "rest"}), True, True, False),
    (Delegate(id="1", agent="A", target="B", remote={"endpoint": "x", "protocol": "a2a"}), True, False, False),
    (Suspend(id="1", agent="A", kind="human"), True, True, True),
    (OpenTask(id="1", agent="A", suspension_id="1", task_type="x", priority="low", reason="r"), True, True, True),
    (StartTimer(id="1", agent="A", delay_ms=1, reason="r"), False, True, False),
    (StartTimer(id="1", agent="A", delay_ms=1, reason="r", outlives_turn=True), True, True, True),
]


@pytest.mark.parametrize(("effect", "changes", "repeats", "beyond"), TABLE)
def test_each_effect_is_in_the_table(effect: AnyEffect, changes: bool, repeats: bool, beyond: bool) -> None:
    assert changes_the_world(effect) is changes
    assert may_be_repeated(effect) is repeats
    assert stands_beyond(effect) is beyond


def appends_of(text: str) -> list[tuple[int, bool]]:
    """Return how many records each append of a turn holds, and whether it ends the turn."""

    async def story() -> list[tuple[int, bool]]:
        store = MemoryStore()
        body = a_body(store)
        await body.handle(a_turn("hello", "k0"), None)
        seen: list[tuple[int, bool]] = []

        async def look(end: object) -> None:
            seen.append((len(store.journals[SESSION]), end is not None))

        store.before_append = look
        await body.handle(a_turn(text, "k1"), None)
        lengths = [at for at, _ in seen] + [len(store.journals[SESSION])]
        return [(after - before, end) for (before, end), after in zip(seen, lengths[1:], strict=True)]

    return asyncio.run(story())


def test_a_turn_without_effects_is_one_append() -> None:
    assert appends_of("once more") == [(1, True)]


def test_a_safe_call_is_written_together_with_its_outcome_and_the_end() -> None:
    assert appends_of("keyed 1") == [(2, True)]


def test_an_unsafe_call_is_written_before_it_is_made_and_its_outcome_with_the_end() -> None:
    assert appends_of("unkeyed 1") == [(1, False), (1, True)]


def test_what_a_tool_says_and_nobody_can_keep_stands_in_no_fact() -> None:
    async def story() -> None:
        store = MemoryStore()

        class Evil(TablePerformer):
            async def perform(self, effect, live, output):
                if isinstance(effect, CallTool):
                    result = ToolResult(ok=True, value={"order": "x\0y", "n": 10**40})
                    return ToolReturned(at=iso_ms(self.clock.now()), effect_id=effect.id, result=result)
                return await super().perform(effect, live, output)

        body = a_body(store, Evil(FixedClock()))
        await body.handle(a_turn("keyed 1", "k1"), None)
        facts = [decode_record(raw).fact for raw in store.journals[SESSION]]
        assert [fact.result.value for fact in facts if isinstance(fact, ToolReturned)] == [{"order": "x�y", "n": 1e40}]
        assert not any(b"\\u0000" in raw for raw in store.journals[SESSION])
        assert body.live is not None
        assert b"\\u0000" not in body.live.snapshot()

    asyncio.run(story())


def test_memory_that_a_tool_has_set_is_durable_before_it_is_set_and_set_before_the_end() -> None:
    async def story() -> None:
        clock = FixedClock()
        store = MemoryStore()

        class Setting(TablePerformer):
            async def perform(self, effect, live, output):
                if isinstance(effect, CallTool):
                    result = ToolResult(ok=True, value={"order": "x"}, stores={"counts": {"tea": 1}})
                    return ToolReturned(at=iso_ms(self.clock.now()), effect_id=effect.id, result=result)
                return await super().perform(effect, live, output)

        seen: list[tuple[bool, int]] = []

        async def look(end: object) -> None:
            seen.append((end is not None, len(store.kept_stores)))

        store.before_append = look
        await a_body(store, Setting(clock)).handle(a_turn("keyed 1", "k1"), None)
        assert seen == [(False, 0), (True, 1)]
        facts = [decode_record(raw).fact for raw in store.journals[SESSION]]
        assert any(isinstance(fact, ToolReturned) and fact.result.stores for fact in facts)

    asyncio.run(story())


def test_memory_is_set_with_the_result_that_sets_it_and_after_a_crash_the_tool_runs_no_second_time() -> None:
    async def story() -> None:
        store = MemoryStore()

        class Setting(TablePerformer):
            async def perform(self, effect, live, output):
                fact = await super().perform(effect, live, output)
                if isinstance(fact, ToolReturned):
                    result = ToolResult(ok=True, value={"order": "x"}, stores={"counts": {"tea": 1}})
                    return ToolReturned(at=fact.at, effect_id=fact.effect_id, result=result)
                return fact

        append = store.append

        async def dies(*given, stores, **named) -> int:
            seq = await append(*given, stores=stores, **named)
            if stores:
                raise RuntimeError("the host dies here")
            return seq

        store.append = dies
        performer = Setting(FixedClock())
        with pytest.raises(RuntimeError):
            await a_body(store, performer).handle(a_turn("keyed 1", "k1"), None)
        store.append = append
        await a_body(store, performer).handle(a_turn("keyed 1", "k1"), None)
        assert store.stores[SESSION, "counts"] == {"tea": 1}
        assert len(performer.calls) == 1

    asyncio.run(story())
