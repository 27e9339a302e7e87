"""One function per effect: what the engine wants of the world is done here and comes back as a fact.

Nothing in here decides anything: which model, which tool, which words is said by the effect and by the settings.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol

import msgspec

from actors.hosts.port import HostGone
from actors.messages import DelegateTask, Failed, HostAnswer, HostMessage, Replied
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.store import CallbackTicket, SessionPin, SessionStore
from domain.clock import Clock, iso_ms
from domain.errors import AppError, Unavailable
from domain.json_values import JsonObject
from domain.model_calls import ModelReply, ModelRequest
from domain.tool_calls import ToolCall, ToolResult
from engine import (
    AnyEffect,
    AnyFact,
    AskModel,
    CallTool,
    ChildReplied,
    Delegate,
    EndTurn,
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
from engine.children import child_replied
from providers.chat.assembly import ReplyAssembler
from providers.failures import ModelCallFailed
from providers.ports import CallbackAddress, Credentials, NoCredentials, ToolInvocation, ToolRunner
from providers.registry import ModelRegistry
from providers.resolve import NOT_CONFIGURED

STREAM_TRIES = 3
"""How often a model is asked that broke off in the middle of its answer."""
MS_PER_S = 1_000


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
        raise Unavailable("Persistent memory is not configured")


AskHost = Callable[[HostMessage], Awaitable[HostAnswer]]
"""Sends a message to the host of its session, wherever that is."""


@dataclass(slots=True)
class Outside:
    """What effects reach.

    Attributes:
        default_model: Asked when the agent names none; empty when none is configured.
        credentials: Tenant and project -> secrets.
    """

    models: ModelRegistry
    tools: ToolRunner
    store: SessionStore
    clock: Clock
    default_model: str = ""
    memories: Memories = field(default_factory=NoMemories)
    credentials: Callable[[str, str], Credentials] = lambda _tenant, _project: NoCredentials()
    ask: AskHost | None = None


class WorldPerformer:
    """Performs effects on the real world. Satisfies `actors.session.driver.Performer`."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    async def perform(self, effect: AnyEffect, live: LiveSession, output: TurnOutput) -> AnyFact | None:
        """Carry an effect out and return the fact that answers it; None for effects that are not answered."""
        match effect:
            case AskModel():
                return await self._ask_model(effect, output)
            case CallTool():
                return ToolReturned(at=self._now(), effect_id=effect.id, result=await self._call_tool(effect, live))
            case ReadMemory():
                return await self._read_memory(effect, live)
            case WriteMemory():
                return await self._write_memory(effect, live)
            case Delegate():
                return await self._delegate(effect, live)
            case HandOff():
                return self._no_remote(effect.id) if effect.remote else None
            case StartTimer():
                await asyncio.sleep(effect.delay_ms / MS_PER_S)
                return TimerFired(at=self._now(), effect_id=effect.id)
            case Suspend():
                await self._callback(live, effect.id, effect.agent, effect.subject, effect.expires_s)
                return None
            case OpenTask():
                return None
            case _:
                return None

    def _now(self) -> str:
        return iso_ms(self._outside.clock.now())

    # -- models ---------------------------------------------------------------------------------------------------

    async def _ask_model(self, effect: AskModel, output: TurnOutput) -> AnyFact:
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
                reply = await self._stream(name, effect, request, output)
        except ModelCallFailed as failure:
            latency_ms = _ms_since(started_s)
            return ModelFailed(
                at=self._now(), effect_id=effect.id, kind=failure.kind, message=failure.message, latency_ms=latency_ms
            )
        except AppError as error:
            return ModelFailed(at=self._now(), effect_id=effect.id, kind="credential_not_found", message=error.message)
        reply = msgspec.structs.replace(reply, latency_ms=_ms_since(started_s), provider=name.partition("/")[0])
        return ModelAnswered(at=self._now(), effect_id=effect.id, reply=reply)

    async def _stream(self, name: str, effect: AskModel, request: ModelRequest, output: TurnOutput) -> ModelReply:
        """Ask for a stream; one that breaks off is asked for again, and what was shown of it is void."""
        tries = STREAM_TRIES
        while True:
            tries -= 1
            model = self._outside.models.open(name, fallback=effect.fallback_model, timeout_ms=effect.timeout_ms)
            assembler = ReplyAssembler()
            started_s = time.monotonic()
            first_token_ms = 0
            try:
                async with aclosing(model.stream(request)) as deltas:
                    async for delta in deltas:
                        assembler.add(delta)
                        if delta.text:
                            first_token_ms = first_token_ms or _ms_since(started_s)
                            output.show_delta(delta.text)
                return assembler.reply(first_token_ms=first_token_ms, attempts=STREAM_TRIES - tries)
            except ModelCallFailed as failure:
                if assembler.text:
                    output.model_begins_again()
                if not (failure.after_output and failure.retryable and tries):
                    raise

    # -- tools ----------------------------------------------------------------------------------------------------

    async def _call_tool(self, effect: CallTool, live: LiveSession) -> ToolResult:
        pin = live.pin
        callback = None
        if effect.suspension_id:
            ticket = await self._callback(live, effect.suspension_id, effect.agent, effect.tool, None)
            callback = CallbackAddress(ticket.callback_id, ticket.url, ticket.secret, ticket.expires_at)
        invocation = ToolInvocation(
            call=ToolCall(effect.call_id, effect.tool, effect.arguments),
            kind=effect.kind,
            binding=effect.binding,
            scope=f"{pin.tenant_id}/{pin.project_id}",
            timeout_ms=effect.timeout_ms,
            variables=effect.variables,
            environment={name: str(value) for name, value in _environment(live).items()},
            idempotency_key=effect_key(pin, effect.idempotency_key or effect.id),
            auth_profile=effect.auth_profile,
            credentials=self._outside.credentials(pin.tenant_id, pin.project_id),
            callback=callback,
        )
        return await self._outside.tools.run(invocation)

    async def _callback(
        self, live: LiveSession, suspension_id: str, agent: str, tool: str, expires_s: float | None
    ) -> CallbackTicket:
        return await self._outside.store.open_callback(
            live.pin, suspension_id=suspension_id, agent=agent, tool=tool, expires_s=expires_s
        )

    # -- memory ---------------------------------------------------------------------------------------------------

    async def _read_memory(self, effect: ReadMemory, live: LiveSession) -> AnyFact:
        try:
            values = await self._outside.memories.read(live.pin, effect.scopes)
        except AppError as error:
            return MemoryRead(at=self._now(), effect_id=effect.id, error=error.message)
        return MemoryRead(at=self._now(), effect_id=effect.id, values=values)

    async def _write_memory(self, effect: WriteMemory, live: LiveSession) -> AnyFact:
        try:
            await self._outside.memories.write(live.pin, effect.writes, effect_key(live.pin, effect.id))
        except AppError as error:
            return MemoryWritten(at=self._now(), effect_id=effect.id, error=error.message)
        return MemoryWritten(at=self._now(), effect_id=effect.id)

    # -- other agents ---------------------------------------------------------------------------------------------

    async def _delegate(self, effect: Delegate, live: LiveSession) -> AnyFact:
        ask = self._outside.ask
        if effect.remote or ask is None:
            return self._no_remote(effect.id)
        pin = live.pin
        key = effect_key(pin, effect.id)
        task = DelegateTask(
            tenant_id=pin.tenant_id,
            project_id=pin.project_id,
            parent_session_id=pin.session_id,
            session_id=child_session_id(pin, effect.id),
            agent=effect.target,
            task=effect.task or effect.target,
            context={**effect.input, "_depth": effect.depth},
            effect_key=key,
            depth=effect.depth,
        )
        started_s = time.monotonic()
        try:
            async with asyncio.timeout(effect.timeout_ms / MS_PER_S):
                answer = await ask(task)
        except TimeoutError:
            answer = Failed(kind="timeout", message="The delegated agent did not answer in time")
        except HostGone as error:
            answer = Failed(kind="delegation_error", message=str(error))
        return self._child_replied(effect.id, answer, _ms_since(started_s))

    def _child_replied(self, effect_id: str, answer: HostAnswer, duration_ms: int) -> AnyFact:
        at = self._now()
        if isinstance(answer, Replied):
            told = answer.reply.outcome
            end = EndTurn(
                id="",
                reply=answer.reply.response,
                action=answer.reply.action,
                agent=answer.reply.agent_name,
                status=told.get("status", "completed"),
                values=told.get("values", {}),
                error=told.get("error", ""),
            )
            return child_replied(effect_id, end, at, duration_ms)
        failure = answer if isinstance(answer, Failed) else Failed(kind="delegation_error", message="No reply")
        kind = "timeout" if failure.kind == "timeout" else "delegation_error"
        return ChildReplied(
            at=at, effect_id=effect_id, error=kind, error_message=failure.message, duration_ms=duration_ms
        )

    def _no_remote(self, effect_id: str) -> AnyFact:
        message = "Agents outside this project cannot be reached from here"
        return ChildReplied(at=self._now(), effect_id=effect_id, error="delegation_error", error_message=message)


def effect_key(pin: SessionPin, effect_id: str) -> str:
    """Return the idempotency key of an effect: the same for every repetition, another one for every other effect.

    After a reset effect ids come again, so the key holds the runtime session id.
    """
    return f"{pin.session_id}:{pin.runtime_session_id}:{effect_id}"


def child_session_id(pin: SessionPin, effect_id: str) -> str:
    """Return the id of the session a Delegate effect opens."""
    digest = blake2b(effect_key(pin, effect_id).encode(), digest_size=12).hexdigest()
    return f"sess_c{digest}"


def _environment(live: LiveSession) -> JsonObject:
    return live.state.begun.environment if live.state is not None else {}


def _ms_since(started_s: float) -> int:
    return round((time.monotonic() - started_s) * MS_PER_S)
