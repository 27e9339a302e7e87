"""Parents and children over a store of lists: who waits for whom, also when a host dies in between."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import msgspec
import pytest

from actors.grain import Grain
from actors.messages import CancelTurn, DelegateTask, Done, EndSession, Failed, Follow, Replied, ResetSession
from actors.session.body import SessionBody
from actors.session.children import child_session_id, recall_of
from actors.session.family import is_wanted
from actors.session.live import LiveSession
from actors.session.services import Services
from actors.session.store import SessionPin, Stored
from actors.session.tool_calls import effect_key
from domain.tool_calls import ToolResult
from engine import AnyEffect, AnyFact, CallTool, Delegate, Program, ToolReturned
from engine.testing import program_of
from tests.support.sessions import PROJECT, SESSION, TENANT, MemoryStore, a_turn, some_services
from tests.support.until import until

PARENT = """\
AGENT: Parent
GOAL: "Give work out"
DELEGATE:
  - AGENT: Clerk
    WHEN: input == "go"
FLOW:
  entry_point: a
  a:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "heard {{input}}"
        THEN: a
"""
CLERK = """\
AGENT: Clerk
GOAL: "Pay twice"
TOOLS:
  pay(order: string) -> {done: boolean}
    side_effects: true
    type: http
    endpoint: "https://bank.example"
    method: POST
FLOW:
  entry_point: a
  a:
    REASONING: false
    CALL: pay("first")
      AS: one
    ON_FAILURE:
      THEN: b
    ON_SUCCESS:
      THEN: b
  b:
    REASONING: false
    CALL: pay("second")
      AS: two
    THEN: COMPLETE
"""
PROGRAM = program_of({"a.abl": PARENT, "b.abl": CLERK})
UNKNOWN = "I cannot tell whether Clerk was done. Please check before you ask again."


class Performer:
    """Writes calls and recalls down. Sub-tasks are never answered, calls only when `answers`."""

    def __init__(self, store: MemoryStore, *, answers: bool = True) -> None:
        self._store = store
        self._answers = answers
        self.asked: list[AnyEffect] = []
        self.recalled: list[tuple[list[str], int]] = []

    async def perform(self, effect: AnyEffect, live: LiveSession, output: object) -> AnyFact | None:
        self.asked.append(effect)
        if isinstance(effect, Delegate) or (isinstance(effect, CallTool) and not self._answers):
            await asyncio.Event().wait()
        if isinstance(effect, CallTool):
            return ToolReturned(at=output_at(live), effect_id=effect.id, result=ToolResult(ok=True, value={}))
        return None

    async def recall(self, effect_ids: Sequence[str], live: LiveSession) -> None:
        """Note which effects, and how many turns had been written by then."""
        self.recalled.append((list(effect_ids), len(self._store.commits)))

    @property
    def calls(self) -> list[str]:
        return [one.tool for one in self.asked if isinstance(one, CallTool)]

    @property
    def delegated(self) -> list[Delegate]:
        return [one for one in self.asked if isinstance(one, Delegate)]


def output_at(live: LiveSession) -> str:
    return live.state.at if live.state is not None else ""


class TwoAgents:
    """Programs in which every session runs the same two agents."""

    def __init__(self, services: Services) -> None:
        self._programs = services.programs

    async def get(self, tenant_id: str, project_id: str, program_id: str) -> Program:
        return PROGRAM

    def __getattr__(self, name: str) -> Any:
        return getattr(self._programs, name)


def a_grain(store: MemoryStore, performer: Performer, session_id: str = SESSION) -> Grain:
    services = some_services(store, performer, PARENT)
    services = Services(
        store, performer, TwoAgents(services), services.clock, services.ids, has_model=False  # type: ignore[arg-type]
    )  # fmt: skip
    return Grain(session_id, SessionBody(TENANT, session_id, services))


def services_of(store: MemoryStore, performer: Performer) -> Services:
    return a_grain(store, performer).body._services


class Family:
    """A parent whose turn waits for its child."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.performer = Performer(self.store)
        self.parent = a_grain(self.store, self.performer)
        self.turn: asyncio.Task[Any] | None = None

    async def begin(self) -> None:
        self.turn = asyncio.get_running_loop().create_task(self.parent.ask(a_turn("go", agent="Parent")))
        await until(lambda: bool(self.performer.delegated))

    @property
    def pin(self) -> SessionPin:
        return self.store.pins[SESSION]

    @property
    def effect_id(self) -> str:
        return self.performer.delegated[0].id

    @property
    def child_id(self) -> str:
        return child_session_id(self.pin, self.effect_id)

    @property
    def task(self) -> DelegateTask:
        return DelegateTask(
            tenant_id=TENANT,
            project_id=PROJECT,
            parent_session_id=SESSION,
            session_id=self.child_id,
            agent="Clerk",
            task="pay",
            effect_key=effect_key(self.pin, self.effect_id),
        )

    async def wanted(self) -> bool:
        pin = msgspec.structs.replace(self.pin, parent_session_id=SESSION)
        return await is_wanted(pin, self.task.effect_key, services_of(self.store, self.performer))

    def child(self, *, answers: bool = True) -> tuple[Grain, Performer]:
        performer = Performer(self.store, answers=answers)
        return a_grain(self.store, performer, self.child_id), performer


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(story)


CANCEL = CancelTurn(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION)
END = EndSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION, reason="api")
RESET = ResetSession(tenant_id=TENANT, project_id=PROJECT, session_id=SESSION)


@pytest.mark.parametrize("message", [CANCEL, END, RESET], ids=lambda one: type(one).__name__)
def test_children_are_recalled_before_it_is_written_that_nobody_waits_for_them(message: Any) -> None:
    async def story() -> None:
        family = Family()
        await family.begin()
        task = family.task
        assert await family.wanted()
        await family.parent.ask(message)
        assert family.turn is not None
        reply = await family.turn
        if message in (END, RESET):
            assert isinstance(reply, Failed)
            assert reply.details["reason"] == ("SESSION_ENDED" if message is END else "SESSION_RESET")
            assert reply.details["response"] == UNKNOWN
        else:
            assert isinstance(reply, Replied)
            assert reply.reply.response == UNKNOWN
        assert family.performer.recalled == [([task.effect_key.rsplit(":", 1)[1]], 0)]
        child, performer = family.child()
        answer = await child.ask(task)
        assert isinstance(answer, Failed)
        assert performer.asked == []

    run(story())


def test_a_child_is_wanted_as_long_as_its_parent_waits_for_that_very_task() -> None:
    async def story() -> None:
        family = Family()
        await family.begin()
        assert await family.wanted()
        await family.parent.ask(CANCEL)
        assert not await family.wanted()
        family.store.pins.pop(SESSION)
        services = services_of(family.store, family.performer)
        assert not await is_wanted(SessionPin(**PIN_OF_CHILD), f"{SESSION}:c1:1.1", services)

    run(story())


def test_a_child_that_was_not_reached_is_given_up_by_whoever_takes_it_up() -> None:
    async def story() -> None:
        family = Family()
        await family.begin()
        task = family.task
        dead, before = family.child(answers=False)
        asked = asyncio.get_running_loop().create_task(dead.ask(task))
        await until(lambda: before.calls == ["pay"])
        family.store.epoch += 1  # its host is gone, and so was the parent's word to it
        family.parent = a_grain(family.store, family.performer)
        await family.parent.ask(END)
        child, performer = family.child()
        await child.ask(Follow(tenant_id=TENANT, session_id=family.child_id, after=0))
        assert performer.calls == []
        assert family.store.transcript[-1] == ("assistant", UNKNOWN.replace("Clerk", "pay"))
        asked.cancel()

    run(story())


def test_a_child_whose_parent_waits_goes_on_after_a_crash() -> None:
    async def story() -> None:
        family = Family()
        await family.begin()
        task = family.task
        dead, before = family.child(answers=False)
        asked = asyncio.get_running_loop().create_task(dead.ask(task))
        await until(lambda: before.calls == ["pay"])
        family.store.epoch += 1
        child, performer = family.child()
        assert isinstance(await child.ask(task), Replied)
        assert performer.calls == ["pay"]  # the second one: nobody knows of the first
        asked.cancel()

    run(story())


def test_a_recall_ends_a_turn_whose_host_died_and_one_that_was_not_begun() -> None:
    async def story() -> None:
        family = Family()
        await family.begin()
        task, recall = family.task, recall_of(family.pin, family.effect_id)
        dead, before = family.child(answers=False)
        asked = asyncio.get_running_loop().create_task(dead.ask(task))
        await until(lambda: before.calls == ["pay"])
        family.store.epoch += 1
        child, performer = family.child()
        assert isinstance(await child.ask(recall), Done)
        assert performer.calls == []
        reply = await child.ask(task)
        assert isinstance(reply, Replied)
        assert (reply.reply.status, reply.reply.outcome["values"]) == ("cancelled", {})
        asked.cancel()

    run(story())


def test_a_recall_that_overtakes_the_beginning_keeps_the_turn_from_beginning() -> None:
    async def story() -> None:
        family = Family()
        await family.begin()
        task, recall = family.task, recall_of(family.pin, family.effect_id)
        child, performer = family.child()
        answer, _ = await asyncio.gather(child.ask(task), child.ask(recall))
        assert isinstance(answer, Failed)
        assert performer.asked == []
        assert family.store.status[family.child_id] == "ended"

    run(story())


def test_a_recall_that_meets_a_child_before_its_turn_keeps_it_from_beginning() -> None:
    async def story() -> None:
        family = Family()
        await family.begin()
        task, recall = family.task, recall_of(family.pin, family.effect_id)
        child, performer = family.child()
        load, reached, held = family.store.load, asyncio.Event(), asyncio.Event()

        async def load_slowly(tenant_id: str, session_id: str) -> Stored | None:
            stored = await load(tenant_id, session_id)
            reached.set()
            await held.wait()
            return stored

        family.store.load = load_slowly  # type: ignore[method-assign]
        asked = asyncio.get_running_loop().create_task(child.ask(task))
        await reached.wait()
        recalled = asyncio.get_running_loop().create_task(child.ask(recall))
        await until(lambda: child.waiting == 1)
        held.set()
        assert isinstance(await asked, Failed)
        assert isinstance(await recalled, Done)
        assert performer.asked == []
        assert family.store.status[family.child_id] == "ended"

    run(story())


PIN_OF_CHILD: dict[str, Any] = {
    "tenant_id": TENANT,
    "project_id": PROJECT,
    "session_id": "sess_c1",
    "runtime_session_id": "c9",
    "program_id": "prog_1",
    "entry_agent": "Clerk",
    "parent_session_id": SESSION,
}
