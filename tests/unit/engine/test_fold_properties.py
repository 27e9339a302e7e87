"""Whatever comes in whatever order: the fold never raises, repeats exactly, survives its encoding, and stays quick."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import Conflict
from domain.messages import ActionEvent, Attachment
from domain.model_calls import ModelReply, Usage
from domain.tool_calls import ToolCall, ToolResult
from engine import (
    AnyFact,
    CallbackArrived,
    ChildReplied,
    HumanResolved,
    MemoryRead,
    MemoryWritten,
    ModelAnswered,
    ModelFailed,
    OutcomeUnknown,
    Program,
    SessionBegun,
    SessionState,
    StartTimer,
    SuspensionExpired,
    TimerFired,
    ToolReturned,
    TurnCancelled,
    UserSpoke,
    advance,
    begin,
    decode_state,
    encode_state,
    expects_outcome,
)
from tests.support.turn_corpus import CORPUS, FILES, program_of_case

PROGRAMS = tuple(path.stem for path in FILES)
"""The agents of all recorded conversations."""

MAX_STEP_S = 1.0
"""One step of a small program takes well under a millisecond; this only finds what runs in circles."""

TEXTS = (
    "hello", "yes", "no", "cancel", "a claim please", "AB12", "50", "next friday", "actually, the code is B2", "back",
    "AT61 1904 3002 3457 3201", "my phone is +43 1 234567", "", "{{code}} {{#if", "a human", "2", "\x00\ud7ff", "x" * 5_000,
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10_000) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("code", "status", "text", "values", "id", "error")), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
READINGS = (
    '{"intents": [{"category": "claim", "confidence": 0.9, "target": "Claims"}, {"category": "trace", "confidence": 0.7}]}',
    '{"entities": {"code": "A1"}, "confidence": {"code": "x"}}',
    '{"valid": false, "reason": "no", "score": "high"}',
    '{"intents": "claim", "tools": [1], "relationship": 3}',
    '{"intents": [{"category": 5, "confidence": "sure"}]}',
    "{",
    "No JSON at all. [[IBAN_1]]",
)  # fmt: skip
TOOLS = (
    "__handoff__", "__delegate__", "__fan_out__", "__complete__", "__escalate__", "__return_to_parent__",
    "__set_context__", "_extract_entities", "nothing", "share", "refund", "price", "mails",
)  # fmt: skip
STEPS = st.integers(0, 10_000)


@cache
def program(name: str) -> Program:
    return program_of_case(yaml.safe_load((CORPUS / f"{name}.yaml").read_text("utf-8")))


class Player:
    """Draws the next fact from what the session waits for, and now and then something nobody waits for."""

    def __init__(self, draw: Any, name: str) -> None:
        self.draw = draw
        self.program = program(name)
        self.waiting: list[Any] = []
        self.timers: list[str] = []
        self.clock = 0

    def at(self) -> str:
        self.clock += self.draw(st.integers(0, 90))
        return f"2026-03-02T{9 + self.clock // 3600:02d}:{self.clock // 60 % 60:02d}:{self.clock % 60:02d}.000Z"

    def next(self, state: SessionState) -> AnyFact:
        choice = self.draw(st.integers(0, 19))
        if choice == 0:
            return TurnCancelled(at=self.at(), reason="deadline")
        if choice == 1:
            return ModelAnswered(at=self.at(), effect_id="9.9", reply=ModelReply(text="late"))
        if state.suspensions and not state.is_running and choice < 12:
            return self.outside(self.draw(st.sampled_from(sorted(state.suspensions))))
        if self.timers and not state.is_running and choice < 4:
            return TimerFired(at=self.at(), effect_id=self.draw(st.sampled_from(self.timers)))
        open_effects = [one for one in self.waiting if one.id in state.pending]
        if open_effects:
            return self.outcome(self.draw(st.sampled_from(open_effects)))
        return self.message()

    def message(self) -> UserSpoke:
        action = ActionEvent(
            self.draw(st.sampled_from(("rate", "go", "over", "local", "none"))), "v", form={"stars": 3}
        )
        file = Attachment("f", "a.png", "image/png", 10, "image")
        return UserSpoke(
            at=self.at(),
            text=self.draw(st.sampled_from(TEXTS)),
            opening_unseen=self.draw(st.booleans()),
            action=action if self.draw(st.integers(0, 5)) == 0 else None,
            attachments=(file,) if self.draw(st.integers(0, 5)) == 0 else (),
            metadata={"vip": True},
        )

    def outside(self, suspension: str) -> AnyFact:
        payload = self.draw(JSON)
        fields = payload if isinstance(payload, dict) else {}
        approved = self.draw(st.sampled_from((None, True, False)))
        kinds: tuple[AnyFact, ...] = (
            CallbackArrived(at=self.at(), suspension_id=suspension, payload=payload),
            HumanResolved(at=self.at(), suspension_id=suspension, fields=fields, approved=approved),
            SuspensionExpired(at=self.at(), suspension_id=suspension),
        )
        return self.draw(st.sampled_from(kinds))

    def outcome(self, effect: Any) -> AnyFact:
        at, kind = self.at(), type(effect).__name__
        if self.draw(st.integers(0, 14)) == 0:
            return OutcomeUnknown(at=at, effect_id=effect.id)
        match kind:
            case "AskModel":
                return self.model(effect, at)
            case "CallTool":
                result = ToolResult(
                    ok=self.draw(st.booleans()),
                    value=self.draw(JSON),
                    error_kind=self.draw(st.sampled_from(("", "tool_timeout", "invalid_input", "api_error"))),
                    accepted=effect.kind == "async_webhook" and self.draw(st.booleans()),
                )
                return ToolReturned(at=at, effect_id=effect.id, result=result)
            case "ReadMemory":
                values = {path: self.draw(JSON) for path in effect.scopes}
                return MemoryRead(at=at, effect_id=effect.id, values=values)
            case "WriteMemory":
                return MemoryWritten(at=at, effect_id=effect.id, error=self.draw(st.sampled_from(("", "down"))))
            case "StartTimer":
                return TimerFired(at=at, effect_id=effect.id)
            case _:
                payload = self.draw(JSON)
                error = self.draw(st.sampled_from(("", "", "needs_input", "timeout", "delegation_error")))
                values = payload if isinstance(payload, dict) else {}
                return ChildReplied(at=at, effect_id=effect.id, values=values, text="It is done.", error=error)

    def model(self, effect: Any, at: str) -> AnyFact:
        if self.draw(st.integers(0, 6)) == 0:
            kind = self.draw(st.sampled_from(("llm_timeout", "llm_error", "llm_content_filter", "odd")))
            return ModelFailed(at=at, effect_id=effect.id, kind=kind, message="no")
        if effect.request.json_schema is not None or self.draw(st.booleans()):
            text = self.draw(st.sampled_from((*READINGS, "A short answer.", "")))
            return ModelAnswered(
                at=at, effect_id=effect.id, reply=ModelReply(text=text, usage=Usage(3, 4), latency_ms=2)
            )
        count = self.draw(st.integers(1, 3))
        arguments = {"target": self.draw(st.sampled_from(("Claims", "Rates", "Nobody"))), "tasks": self.draw(JSON)}
        calls = tuple(
            ToolCall(
                f"c{number}",
                self.draw(st.sampled_from(TOOLS)),
                {**arguments, "iban": "[[IBAN_1]]", "n": self.draw(JSON)},
            )
            for number in range(count)
        )
        return ModelAnswered(at=at, effect_id=effect.id, reply=ModelReply(text="", tool_calls=calls))


def play(data: Any, name: str, has_model: bool) -> None:
    player = Player(data.draw, name)
    step = begin(player.program, SessionBegun(at=player.at(), session_id="s", has_model=has_model))
    for _ in range(data.draw(st.integers(1, 25))):
        state = step.state
        player.waiting += [one for one in step.effects if expects_outcome(one)]
        player.timers += [one.id for one in step.effects if isinstance(one, StartTimer) and one.outlives_turn]
        saved = encode_state(state)
        woken = decode_state(saved)
        assert encode_state(woken) == saved
        fact = player.next(state)
        started = time.thread_time()
        try:
            step = advance(player.program, state, fact)
        except Conflict:
            assert state.is_ended or state.is_running
            continue
        assert time.thread_time() - started < MAX_STEP_S
        assert encode_state(state) == saved, "a step leaves the state it was given as it was"
        again = advance(player.program, woken, fact)
        assert again.effects == step.effects
        assert encode_state(again.state) == encode_state(step.state)
        assert step.state.pending or not step.state.is_running, "a turn that runs waits for something"
        if step.end is not None:
            assert not step.state.is_running


@settings(max_examples=60)
@given(st.data(), st.sampled_from(PROGRAMS), st.booleans())
def test_any_facts_fold_without_raising_and_the_same_from_a_saved_state(data: Any, name: str, has_model: bool) -> None:
    play(data, name, has_model)


@pytest.mark.soak
@settings(max_examples=5_000)
@given(st.data(), st.sampled_from(PROGRAMS), st.booleans())
def test_very_many_facts_fold_the_same(data: Any, name: str, has_model: bool) -> None:
    play(data, name, has_model)
