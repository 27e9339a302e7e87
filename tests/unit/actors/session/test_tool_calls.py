"""A tool call of the engine as a run of a tool."""

import asyncio
from dataclasses import dataclass, field

import pytest

from actors.session.effects import Outside, WorldPerformer
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.tool_calls import MAX_RESULT_BYTES, LentStores, ToolCaller, bounded, effect_key
from domain.clock import FixedClock
from domain.errors import Conflict, InvalidInput, TooLarge
from domain.json_values import MAX_JSON_DEPTH, storable
from domain.limits import MEMORY_STORE_MAX_BYTES, MEMORY_STORES_PER_SESSION
from domain.tool_calls import ToolResult
from engine import CallTool, Suspend, ToolReturned
from providers.ports import NoCredentials, ToolInvocation
from tests.support.sessions import PIN, SESSION, MemoryStore, a_program

SHOP = """\
AGENT: Shop
GOAL: "Sell"

TOOLS:
  price(code: string, region: string = "EU", count: number = 1) -> {price: number}
    description: "Prices"
    type: sandbox
    runtime: python
    code: |
      1

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    RESPOND: "hello"
"""


@dataclass
class Runner:
    """Keeps what it was asked and does what a test says. Satisfies `ToolRunner`."""

    result: ToolResult = field(default_factory=lambda: ToolResult(ok=True, value=1))
    asked: list[ToolInvocation] = field(default_factory=list)
    sets: dict[str, dict[str, object]] = field(default_factory=dict)

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        self.asked.append(invocation)
        for name, content in self.sets.items():
            assert invocation.memory is not None
            await invocation.memory.act("set", name, content)
        return self.result

    async def close(self) -> None:
        return None


def a_live(store: MemoryStore | None = None) -> LiveSession:
    return LiveSession(PIN, a_program(SHOP), store or MemoryStore(), 1)


def a_call(**more: object) -> CallTool:
    given: dict[str, object] = {
        "id": "1.4",
        "agent": "Shop",
        "call_id": "c1",
        "tool": "price",
        "arguments": {"code": "x"},
        "kind": "sandbox",
    }
    return CallTool(**{**given, **more})


def called(runner: Runner, effect: CallTool, live: LiveSession | None = None) -> ToolResult:
    caller = ToolCaller(runner, lambda _pin: NoCredentials())
    return asyncio.run(caller.call(effect, live or a_live()))


def test_what_was_left_out_has_its_default_and_what_was_given_stays() -> None:
    runner = Runner()
    called(runner, a_call(arguments={"code": "x", "count": 3}))
    assert runner.asked[0].call.arguments == {"code": "x", "count": 3, "region": "EU"}


def test_the_key_is_the_same_for_every_repetition_and_another_after_a_reset() -> None:
    runner = Runner()
    called(runner, a_call())
    called(runner, a_call())
    assert runner.asked[0].idempotency_key == runner.asked[1].idempotency_key == effect_key(PIN, "1.4")
    assert SESSION in runner.asked[0].idempotency_key
    assert PIN.runtime_session_id in runner.asked[0].idempotency_key


def test_what_code_sets_is_part_of_the_result_and_written_nowhere_yet() -> None:
    store = MemoryStore()
    result = called(Runner(sets={"counts": {"tea": 1}}), a_call(), a_live(store))
    assert result.stores == {"counts": {"tea": 1}}
    assert store.stores == {}


def test_what_failing_code_has_set_is_forgotten() -> None:
    runner = Runner(result=ToolResult(ok=False, error_kind="tool_error"), sets={"counts": {"tea": 1}})
    assert called(runner, a_call()).stores == {}


def test_only_code_is_lent_memory() -> None:
    runner = Runner()
    called(runner, a_call(kind="http"))
    assert runner.asked[0].memory is None


def test_code_reads_what_it_has_set_and_what_was_set_before() -> None:
    async def story() -> None:
        store = MemoryStore()
        store.stores[SESSION, "old"] = {"a": 1}
        lent = LentStores(a_live(store))
        assert await lent.act("get", "old", None) == {"a": 1}
        assert await lent.act("get", "new", None) == {}
        await lent.act("set", "new", {"b": 2})
        assert await lent.act("get", "new", None) == {"b": 2}
        assert await lent.act("delete", "old", None) == {"deleted": True}
        assert await lent.act("delete", "old", None) == {"deleted": False}
        assert lent.changed == {"new": {"b": 2}, "old": None}

    asyncio.run(story())


@pytest.mark.parametrize(
    ("action", "name", "content"),
    [("set", "a/b", {}), ("set", "", {}), ("set", "x" * 129, {}), ("set", "x", None), ("drop", "x", None)],
)
def test_what_a_store_cannot_be_is_refused(action: str, name: str, content: dict[str, object] | None) -> None:
    with pytest.raises(InvalidInput):
        asyncio.run(LentStores(a_live()).act(action, name, content))


def test_a_store_is_bounded() -> None:
    with pytest.raises(TooLarge):
        asyncio.run(LentStores(a_live()).act("set", "x", {"text": "y" * MEMORY_STORE_MAX_BYTES}))


def test_a_session_has_a_bounded_number_of_stores() -> None:
    async def story() -> None:
        store = MemoryStore()
        for number in range(MEMORY_STORES_PER_SESSION - 1):
            store.stores[SESSION, f"s{number}"] = {}
        lent = LentStores(a_live(store))
        await lent.act("set", "last", {})
        await lent.act("set", "last", {"again": 1})
        with pytest.raises(Conflict):
            await lent.act("set", "one-more", {})
        await lent.act("delete", "s0", None)
        await lent.act("set", "one-more", {})

    asyncio.run(story())


def test_a_result_is_bounded() -> None:
    small = ToolResult(ok=True, value="x" * (MAX_RESULT_BYTES - 2))
    assert bounded(small) is small
    large = bounded(ToolResult(ok=True, value="x" * MAX_RESULT_BYTES, attempts=2))
    assert (large.ok, large.error_code, large.value, large.attempts) == (False, "RESULT_TOO_LARGE", None, 2)


def test_a_start_call_that_fails_closes_the_callback_it_was_given() -> None:
    store = MemoryStore()
    result = ToolResult(ok=False, error_kind="api_error")
    runner = Runner(result=result)
    called(runner, a_call(kind="async_webhook", suspension_id="1.3"), a_live(store))
    assert runner.asked[0].callback is not None
    assert store.closed == [("1.3", False)]


def test_a_start_call_that_was_taken_leaves_the_callback_open() -> None:
    store = MemoryStore()
    runner = Runner(result=ToolResult(ok=True, accepted=True))
    called(runner, a_call(kind="async_webhook", suspension_id="1.3"), a_live(store))
    assert store.closed == []


class SpentQuota:
    """Refuses every tool call. Satisfies `ToolQuotas`."""

    refused = ToolResult(ok=False, error_kind="tool_error", error_code="RATE_LIMIT_EXCEEDED")

    async def refused_tool(self, tenant_id: str) -> ToolResult | None:
        return self.refused


def test_a_start_call_beyond_the_quota_is_not_made_and_closes_what_was_opened_for_it() -> None:
    async def story() -> None:
        store, runner = MemoryStore(), Runner()
        live = a_live(store)
        performer = WorldPerformer(
            Outside(models=None, tools=runner, clock=FixedClock(), quotas=SpentQuota())  # type: ignore[arg-type]
        )
        output = TurnOutput(live, "msg_1", 1)
        waits = Suspend(id="1.3", agent="Shop", kind="tool", subject="price")
        assert await performer.perform(waits, live, output) is None
        fact = await performer.perform(a_call(kind="async_webhook", suspension_id="1.3"), live, output)
        assert isinstance(fact, ToolReturned)
        assert fact.result == SpentQuota.refused
        assert store.closed == [("1.3", False)]
        assert runner.asked == []

    asyncio.run(story())


def test_a_result_with_half_a_character_becomes_one_that_can_be_kept() -> None:
    half = chr(0xD800)
    assert bounded(ToolResult(ok=True, value={"text": half})).value == storable({"text": half})


def nested(levels: int) -> object:
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value


def test_a_result_that_may_be_kept_is_kept_whole() -> None:
    value = nested(MAX_JSON_DEPTH)
    assert bounded(ToolResult(ok=True, value=value)).value == value


@pytest.mark.parametrize("levels", [MAX_JSON_DEPTH + 1, 200, 5_000])
def test_a_result_that_is_nested_too_deep_is_an_error_that_names_the_limit(levels: int) -> None:
    for deep in (ToolResult(ok=True, value=nested(levels)), ToolResult(ok=True, stores={"x": {"in": nested(levels)}})):
        result = bounded(deep)
        assert (result.ok, result.error_code, result.value, result.stores) == (False, "RESULT_TOO_DEEP", None, {})
        assert str(MAX_JSON_DEPTH) in result.error_message


def test_a_store_that_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(InvalidInput, match=str(MAX_JSON_DEPTH)):
        asyncio.run(LentStores(a_live()).act("set", "x", {"in": nested(MAX_JSON_DEPTH)}))
