"""What effects meet: a store that is away for a moment is waited for, what lasts is an outcome like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count

import pytest

from actors import patience
from actors.patience import is_passing, patiently
from actors.session.effects import Outside, WorldPerformer
from actors.session.failing import UNREADABLE, UNREADABLE_SENTENCE, outcome_of_failure
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.store import EffectStoreLost
from actors.session.tool_calls import ToolCaller
from domain.clock import FixedClock
from domain.errors import AppError, Forbidden, InvalidInput, LastingOutage, Overloaded, Unavailable
from domain.model_calls import ModelRequest
from domain.tool_calls import ToolResult
from engine import (
    AnyEffect,
    AskModel,
    CallTool,
    ChildReplied,
    Classified,
    Classify,
    Delegate,
    HandOff,
    MemoryRead,
    MemoryWritten,
    ModelFailed,
    OpenTask,
    OutcomeUnknown,
    ReadMemory,
    StartTimer,
    Suspend,
    ToolReturned,
    WriteMemory,
)
from providers.failures import CallFailed, FailureKind
from providers.ports import NoCredentials, ToolInvocation
from providers.resolve import ModelWishes, resolve_model
from storage.crypto import NoMasterKey, Unopenable
from storage.errors import Closing, ConnectionLost
from tests.support.sessions import PIN, MemoryStore, a_program

AT = "2026-03-02T09:00:00.000Z"
GONE = Unopenable("The master key 00ff is not configured; add it to the master keys.")
ASK = AskModel(id="1", agent="A", request=ModelRequest(messages=()), operation="reasoning")
CALL = CallTool(id="1", agent="A", call_id="c", tool="t", arguments={}, kind="http", safe=True)
REMOTE = {"endpoint": "https://x.example", "protocol": "rest"}
EXPECTED: list[tuple[AnyEffect, object]] = [
    (ASK, ModelFailed(at=AT, effect_id="1", kind="llm_error", message="no")),
    (Classify(id="1", agent="A", text="x", labels={}), Classified(at=AT, effect_id="1")),
    (
        CALL,
        ToolReturned(
            at=AT,
            effect_id="1",
            result=ToolResult(ok=False, error_kind="tool_error", error_code="FORBIDDEN", error_message="no"),
        ),
    ),
    (ReadMemory(id="1", agent="A", scopes={}), MemoryRead(at=AT, effect_id="1", error="no")),
    (WriteMemory(id="1", agent="A", writes=()), MemoryWritten(at=AT, effect_id="1", error="no")),
    (
        Delegate(id="1", agent="A", target="B"),
        ChildReplied(at=AT, effect_id="1", error="delegation_error", error_message="no"),
    ),
    (
        HandOff(id="1", agent="A", target="B", remote=REMOTE),
        ChildReplied(at=AT, effect_id="1", error="delegation_error", error_message="no"),
    ),
    (HandOff(id="1", agent="A", target="B", suspension_id="1.0"), None),
    (Suspend(id="1", agent="A", kind="human"), None),
    (OpenTask(id="1", agent="A", suspension_id="1", task_type="x", priority="low", reason="r"), None),
    (StartTimer(id="1", agent="A", delay_ms=1, reason="r", outlives_turn=True), None),
]


class Away:
    """Raises an error some times, then gives what a test says. Satisfies `Models`, `Memories` and `ToolRunner`."""

    def __init__(self, error: Exception, times: int = 1_000_000) -> None:
        self.error, self.times, self.tries = error, times, 0

    async def __call__(self, *_: object, **__: object) -> dict[str, str]:
        self.tries += 1
        if self.tries <= self.times:
            raise self.error
        return {"user.name": "Ada"}

    choose = read = write = __call__

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        await self(invocation)
        return ToolResult(ok=True, value=1)

    async def has_model(self, pin: object) -> bool:
        return True

    async def close(self) -> None:
        """There is nothing to close."""


def performed(effect: AnyEffect, away: Away, **more: object) -> object:
    async def story() -> object:
        live = LiveSession(PIN, a_program(), MemoryStore(), 1)
        outside = Outside(models=away, tools=away, clock=FixedClock(), memories=away, **more)
        return await WorldPerformer(outside).perform(effect, live, TurnOutput(live, "msg_1", 1))

    return asyncio.run(story())


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "STORE_PATIENCE_S", 0.05)
    monkeypatch.setattr(patience, "STORE_PAUSE_S", 0.001)


@pytest.mark.parametrize(("effect", "fact"), EXPECTED)
def test_a_lasting_failure_is_the_outcome_of_each_effect_that_has_one(effect: AnyEffect, fact: object) -> None:
    assert outcome_of_failure(effect, Forbidden("no"), AT) == fact


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (Unavailable("away"), True),
        (ConnectionLost("away"), True),
        (Overloaded("busy", retry_after_ms=5), True),
        (LastingOutage("not there"), False),
        (GONE, False),
        (NoMasterKey(), False),
        (CallFailed(FailureKind.TIMEOUT, "somebody else"), False),
        (InvalidInput("no"), False),
        (AppError("no"), False),
    ],
)
def test_only_what_the_store_does_for_a_moment_passes(error: AppError, passes: bool) -> None:
    assert is_passing(error) is passes


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "effect", [ASK, ReadMemory(id="1", agent="A", scopes={}), WriteMemory(id="1", agent="A", writes=())]
)
def test_a_store_that_stays_away_is_no_outcome(effect: AnyEffect) -> None:
    away = Away(Unavailable("The database does not answer."))
    with pytest.raises(EffectStoreLost):
        performed(effect, away)
    assert away.tries > 1


@pytest.mark.usefixtures("hurried")
def test_a_store_that_comes_back_was_never_away() -> None:
    read = performed(ReadMemory(id="1", agent="A", scopes={"user.name": "user"}), Away(ConnectionLost("away"), 3))
    assert isinstance(read, MemoryRead)
    assert (read.values, read.error) == ({"user.name": "Ada"}, "")


def test_a_process_that_ends_waits_for_nothing() -> None:
    away = Away(Closing("The server is ending."))
    with pytest.raises(Closing):
        performed(ASK, away)
    assert away.tries == 1


def test_only_a_credential_that_is_missing_is_told_as_one() -> None:
    with pytest.raises(LastingOutage) as unset:
        resolve_model(ModelWishes())
    kinds = [
        fact.kind
        for error in (GONE, NoMasterKey(), unset.value, LastingOutage("configured wrongly"), InvalidInput("no"))
        if isinstance(fact := performed(ASK, Away(error)), ModelFailed)
    ]
    assert kinds == ["credential_not_found"] * 3 + ["llm_error"] * 2


def test_a_tool_whose_secret_cannot_be_read_fails_and_says_so_without_naming_a_key() -> None:
    async def secrets(pin: object) -> dict[str, str]:
        raise GONE

    for safe in (True, False):  # nothing has gone out: also of a call that changes something it is known
        effect = CallTool(id="1", agent="A", call_id="c", tool="t", arguments={}, kind="http", safe=safe)
        fact = performed(effect, Away(GONE, 0), secret_variables=secrets)
        assert isinstance(fact, ToolReturned)
        result = fact.result
        assert (result.ok, result.error_kind, result.error_code) == (False, "tool_error", UNREADABLE)
        assert result.error_message == UNREADABLE_SENTENCE
        assert "00ff" not in result.error_message


@pytest.mark.parametrize(("safe", "kind"), [(True, ToolReturned), (False, OutcomeUnknown)])
def test_a_tool_that_fails_while_it_runs_may_have_changed_something(safe: bool, kind: type) -> None:
    effect = CallTool(id="1", agent="A", call_id="c", tool="t", arguments={}, kind="http", safe=safe)
    assert isinstance(performed(effect, Away(Forbidden("no"))), kind)


def test_an_asynchronous_tool_that_cannot_be_run_is_waited_for_no_more() -> None:
    async def story() -> None:
        store = MemoryStore()
        caller = ToolCaller(Away(GONE), lambda _pin: NoCredentials())
        effect = CallTool(
            id="1", agent="A", call_id="c", tool="t", arguments={}, kind="async_webhook", suspension_id="1.0"
        )
        result = await caller.call(effect, LiveSession(PIN, a_program(), store, 1))
        assert not result.ok
        assert store.closed == [("1.0", False)]

    asyncio.run(story())


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("make", [lambda: Unavailable("away"), lambda: Overloaded("busy", retry_after_ms=1)])
def test_patience_has_an_end(make: Callable[[], AppError]) -> None:
    tries = count(1)

    async def act() -> None:
        next(tries)
        raise make()

    with pytest.raises((Unavailable, Overloaded)):
        asyncio.run(patiently(act))
    assert next(tries) > 2
