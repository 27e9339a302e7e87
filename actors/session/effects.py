"""One function per effect: what the engine wants of the world is done here and comes back as a fact.

Nothing in here decides anything: which model, which tool, which words is said by the effect and by the settings.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import msgspec

from actors.session.children import AskHost, Children, work_of
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.store import SessionPin
from actors.session.tool_calls import ToolCaller, effect_key
from actors.session.waits import open_task, open_wait
from domain.clock import Clock, iso_ms
from domain.errors import AppError, Overloaded, Unavailable
from domain.json_values import JsonObject
from domain.model_calls import ModelReply, ModelRequest
from engine import (
    AnyEffect,
    AnyFact,
    AskModel,
    CallTool,
    Delegate,
    HandOff,
    MemoryRead,
    MemoryWrite,
    MemoryWritten,
    ModelAnswered,
    ModelFailed,
    OpenTask,
    ReadMemory,
    StartTimer,
    Suspend,
    TimerFired,
    ToolReturned,
    WriteMemory,
)
from engine.streaming import Gate
from providers.chat.assembly import ReplyAssembler
from providers.failures import ModelCallFailed
from providers.ports import Credentials, NoCredentials, ToolRunner
from providers.registry import ModelRegistry
from providers.resolve import NOT_CONFIGURED

STREAM_TRIES = 3
"""How often a model is asked that broke off in the middle of its answer."""
MS_PER_S = 1_000
MEMORY_PATIENCE_S = 20.0
MEMORY_PAUSE_S = 0.2
Given = TypeVar("Given")


class Memories(Protocol):
    """Persistent memory by scope."""

    async def read(self, pin: SessionPin, scopes: Mapping[str, str]) -> JsonObject:
        """Return path -> value of the paths that have one."""
        ...

    async def write(self, pin: SessionPin, writes: tuple[MemoryWrite, ...], key: str) -> None:
        """Keep values; doing so again under the same key changes nothing."""
        ...


class NoMemories:
    """An installation without persistent memory."""

    async def read(self, pin: SessionPin, scopes: Mapping[str, str]) -> JsonObject:
        """Return nothing."""
        return {}

    async def write(self, pin: SessionPin, writes: tuple[MemoryWrite, ...], key: str) -> None:
        """Refuse."""
        raise AppError("Persistent memory is not configured")


@dataclass(slots=True)
class Outside:
    """What effects reach.

    Attributes:
        default_model: Asked when the agent names none; empty when none is configured.
        credentials: Session -> the secrets its tools may use.
    """

    models: ModelRegistry
    tools: ToolRunner
    clock: Clock
    default_model: str = ""
    memories: Memories = field(default_factory=NoMemories)
    credentials: Callable[[SessionPin], Credentials] = lambda _pin: NoCredentials()
    ask: AskHost | None = None


class WorldPerformer:
    """Performs effects on the real world. Satisfies `actors.session.driver.Performer`."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._tools = ToolCaller(outside.tools, outside.credentials)
        self._children = Children(outside)

    async def perform(self, effect: AnyEffect, live: LiveSession, output: TurnOutput) -> AnyFact | None:
        """Carry an effect out and return the fact that answers it; None for effects that are not answered."""
        match effect:
            case AskModel():
                return await self._ask_model(effect, live, output)
            case CallTool():
                result = await self._tools.call(effect, live)
                return ToolReturned(at=self._now(), effect_id=effect.id, result=result)
            case ReadMemory():
                return await self._read_memory(effect, live)
            case WriteMemory():
                return await self._write_memory(effect, live)
            case Delegate():
                return await self._children.delegate(effect, live)
            case HandOff() if effect.suspension_id:
                if not effect.remote:
                    await live.store.start_work(live.pin, effect.suspension_id, work_of(effect, live.pin))
                return None  # an agent elsewhere answers by the callback of the suspension
            case HandOff():
                return self._children.no_remote(effect.id, effect.remote) if effect.remote else None
            case StartTimer() if effect.outlives_turn:
                await live.store.start_timer(live.pin, effect.id, effect.delay_ms / MS_PER_S)
                return None
            case StartTimer():
                await asyncio.sleep(effect.delay_ms / MS_PER_S)
                return TimerFired(at=self._now(), effect_id=effect.id)
            case Suspend():
                await open_wait(live, output, effect.id, effect.agent, effect.subject, effect.expires_s)
                return None
            case OpenTask():
                await open_task(live, output, effect)
                return None
            case _:
                return None

    def _now(self) -> str:
        return iso_ms(self._outside.clock.now())

    # -- models ---------------------------------------------------------------------------------------------------

    async def _ask_model(self, effect: AskModel, live: LiveSession, output: TurnOutput) -> AnyFact:
        outside = self._outside
        name = effect.request.model or outside.default_model
        started_s = time.monotonic()
        if not name:
            return ModelFailed(at=self._now(), effect_id=effect.id, kind="credential_not_found", message=NOT_CONFIGURED)
        try:
            if outside.models.find(name) is None and outside.default_model:
                name = outside.default_model
            model = outside.models.open(name, fallback=effect.fallback_model, timeout_ms=effect.timeout_ms)
            request = msgspec.structs.replace(effect.request, model=name)
            if not effect.stream:
                reply = await model.answer(request)
            else:
                reply = await self._stream(name, effect, request, live, output)
        except ModelCallFailed as failure:
            latency_ms = _ms_since(started_s)
            return ModelFailed(
                at=self._now(), effect_id=effect.id, kind=failure.kind, message=failure.message, latency_ms=latency_ms
            )
        except AppError as error:
            return ModelFailed(at=self._now(), effect_id=effect.id, kind="credential_not_found", message=error.message)
        reply = msgspec.structs.replace(reply, latency_ms=_ms_since(started_s), provider=name.partition("/")[0])
        return ModelAnswered(at=self._now(), effect_id=effect.id, reply=reply)

    async def _stream(
        self, name: str, effect: AskModel, request: ModelRequest, live: LiveSession, output: TurnOutput
    ) -> ModelReply:
        """Ask for a stream; one that breaks off is asked for again, and what was shown of it is void.

        Only what has passed the gate is shown: the local rules for outputs hold for pieces too.
        """
        tries = STREAM_TRIES
        while True:
            tries -= 1
            model = self._outside.models.open(name, fallback=effect.fallback_model, timeout_ms=effect.timeout_ms)
            assembler = ReplyAssembler()
            gate = _gate(effect, live)
            started_s = time.monotonic()
            first_token_ms = 0
            try:
                async with aclosing(model.stream(request)) as deltas:
                    async for delta in deltas:
                        assembler.add(delta)
                        if delta.text:
                            first_token_ms = first_token_ms or _ms_since(started_s)
                            output.show_delta(gate.add(delta.text))
                output.show_delta(gate.close())
                return assembler.reply(first_token_ms=first_token_ms, attempts=STREAM_TRIES - tries)
            except ModelCallFailed as failure:
                if assembler.text:
                    output.model_begins_again()
                if not (failure.after_output and failure.retryable and tries):
                    raise

    # -- memory ---------------------------------------------------------------------------------------------------

    async def _read_memory(self, effect: ReadMemory, live: LiveSession) -> AnyFact:
        memories = self._outside.memories
        try:
            values = await _patiently(lambda: memories.read(live.pin, effect.scopes))
        except AppError as error:
            return MemoryRead(at=self._now(), effect_id=effect.id, error=error.message)
        return MemoryRead(at=self._now(), effect_id=effect.id, values=values)

    async def _write_memory(self, effect: WriteMemory, live: LiveSession) -> AnyFact:
        memories, key = self._outside.memories, effect_key(live.pin, effect.id)
        try:
            await _patiently(lambda: memories.write(live.pin, effect.writes, key))
        except AppError as error:
            return MemoryWritten(at=self._now(), effect_id=effect.id, error=error.message)
        return MemoryWritten(at=self._now(), effect_id=effect.id)


async def _patiently(act: Callable[[], Awaitable[Given]]) -> Given:
    """Return what comes of using the memory, tried again while the store is away: it is restarted within seconds."""
    give_up_s = time.monotonic() + MEMORY_PATIENCE_S
    while True:
        try:
            return await act()
        except (Unavailable, Overloaded):
            if time.monotonic() >= give_up_s:
                raise
        await asyncio.sleep(MEMORY_PAUSE_S)


def _gate(effect: AskModel, live: LiveSession) -> Gate:
    if live.state is None:
        raise ValueError("a session without a state asks no model")
    return Gate(live.program, live.state, effect.agent)


def _ms_since(started_s: float) -> int:
    return round((time.monotonic() - started_s) * MS_PER_S)
