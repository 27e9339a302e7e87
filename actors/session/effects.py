"""One function per effect: what the engine wants of the world is done here and comes back as a fact.

Nothing in here decides anything: which model, which tool, which words is said by the effect and by the settings.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from actors.patience import is_passing, patiently
from actors.session.children import Children, work_of
from actors.session.delivery import AskHost
from actors.session.failing import TOOL_ERROR, model_failure, outcome_of_failure
from actors.session.live import LiveSession
from actors.session.models import ChosenModel, ModelBudgets, Models
from actors.session.output import TurnOutput
from actors.session.store import EffectStoreLost, SessionPin
from actors.session.tool_calls import ToolCaller, effect_key
from actors.session.waits import open_task, open_wait
from actors.tally import OK, OUTCOME_UNKNOWN, RATE_LIMITED, Tally
from domain.budgets import Spender
from domain.clock import Clock, iso_ms
from domain.errors import AppError
from domain.json_values import JsonObject
from domain.limits import TURN_DEADLINE_S
from domain.model_calls import UNANSWERABLE, ModelRequest, split_name
from domain.tool_calls import RATE_LIMIT_EXCEEDED, ToolResult
from engine import (
    AnyEffect,
    AnyFact,
    AskModel,
    CallTool,
    Classified,
    Classify,
    Delegate,
    HandOff,
    MemoryRead,
    MemoryWrite,
    MemoryWritten,
    ModelAnswered,
    ModelFailed,
    OpenTask,
    OutcomeUnknown,
    ReadMemory,
    StartTimer,
    Suspend,
    TimerFired,
    ToolReturned,
    WriteMemory,
)
from engine.streaming import Gate
from providers.chat.streaming import streamed_reply
from providers.failures import ModelCallFailed
from providers.ports import (
    Catalogue,
    ChatModel,
    Credentials,
    NoCatalogue,
    NoCredentials,
    Sandbox,
    TextClassifier,
    ToolRunner,
)
from providers.remote import RemoteAgents
from storage.errors import Closing

MS_PER_S = 1_000
MOCK = "mock"
_log = logging.getLogger(__name__)


class Memories(Protocol):
    """Persistent memory by scope."""

    async def read(self, pin: SessionPin, scopes: Mapping[str, str]) -> JsonObject:
        """Return path -> value of the paths that have one."""
        ...

    async def write(self, pin: SessionPin, writes: tuple[MemoryWrite, ...], key: str) -> None:
        """Keep values; doing so again under the same key changes nothing."""
        ...


class ToolQuotas(Protocol):
    """How many tool calls tenants have left."""

    async def refused_tool(self, tenant_id: str) -> ToolResult | None:
        """Count a tool call; return what comes of one beyond the limit, None of one that may be made."""
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
        credentials: Session -> the secrets its tools may use.
        catalogues: Session -> what its tools may name.
        sandboxes: Session and agent -> how code that runs elsewhere reaches the session's memory stores.
        ask: Sends a message to the host of its session; None until the router is there.
        remotes: Asks agents in other systems.
        budgets: Opens models under the budgets of their sessions; None where there are none.
        classifier: Compares texts by meaning; None where nothing here can.
        secret_variables: Session -> values of `{{env.KEY}}` that only its tools may have.
        tally: Counts how models and tools fare.
        quotas: Refuses tool calls that are too many; None where nothing is counted.
    """

    models: Models
    tools: ToolRunner
    clock: Clock
    memories: Memories = field(default_factory=NoMemories)
    credentials: Callable[[SessionPin], Credentials] = lambda _pin: NoCredentials()
    catalogues: Callable[[SessionPin], Catalogue] = lambda _pin: NoCatalogue()
    sandboxes: Callable[[SessionPin, str], Sandbox] | None = None
    ask: AskHost | None = None
    remotes: RemoteAgents | None = None
    budgets: ModelBudgets | None = None
    classifier: TextClassifier | None = None
    secret_variables: Callable[[SessionPin], Awaitable[Mapping[str, str]]] | None = None
    tally: Tally = field(default_factory=Tally)
    quotas: ToolQuotas | None = None


class WorldPerformer:
    """Performs effects on the real world. Satisfies `actors.session.driver.Performer`."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._tools = ToolCaller(
            outside.tools, outside.credentials, outside.catalogues, outside.sandboxes, outside.secret_variables
        )
        self._children = Children(outside)

    async def perform(self, effect: AnyEffect, live: LiveSession, output: TurnOutput) -> AnyFact | None:
        """Carry an effect out and return the fact that answers it; None for effects that are not answered.

        Raises:
            EffectStoreLost: The store stayed away, which is no outcome.
            Closing: This process ends.
            AppError: Something that outlives the turn cannot be set up.
        """
        try:
            return await self._perform(effect, live, output)
        except AppError as error:
            if isinstance(error, Closing):
                raise
            if is_passing(error):
                raise EffectStoreLost from error
            return self._failed(effect, live, error)

    async def recall(self, effect_ids: Sequence[str], live: LiveSession) -> None:
        """Have the sessions give up that work for these effects."""
        await self._children.recall(effect_ids, live.pin)

    def _failed(self, effect: AnyEffect, live: LiveSession, error: AppError) -> AnyFact:
        """Return what the agent learns of an effect that cannot be carried out; raises the error where nothing can."""
        fact = outcome_of_failure(effect, error, self._now())
        if fact is None:
            raise error
        what = type(effect).__name__
        _log.warning("%s of %s cannot be done: %s", what, live.pin.session_id, error.message, exc_info=error)
        if isinstance(effect, AskModel):
            self._outside.tally.model(model_failure(error))
        elif isinstance(effect, CallTool):
            self._outside.tally.tool(TOOL_ERROR)
        return fact

    async def _perform(self, effect: AnyEffect, live: LiveSession, output: TurnOutput) -> AnyFact | None:
        match effect:
            case AskModel():
                return await self._ask_model(effect, live, output)
            case Classify():
                classifier = self._outside.classifier
                scores = await classifier.scores(effect.text, effect.labels) if classifier is not None else {}
                return Classified(at=self._now(), effect_id=effect.id, scores=scores)
            case CallTool():
                result = await self._tools.call(effect, live, refused=await self._refused(effect, live.pin))
                self._outside.tally.tool(_end_of(result))
                if result.is_unknown:
                    return OutcomeUnknown(at=self._now(), effect_id=effect.id, message=result.error_message)
                return ToolReturned(at=self._now(), effect_id=effect.id, result=result)
            case ReadMemory():
                return await self._read_memory(effect, live)
            case WriteMemory():
                return await self._write_memory(effect, live)
            case Delegate():
                return await self._children.delegate(effect, live)
            case HandOff() if effect.suspension_id:
                work = work_of(effect, live.pin, round(TURN_DEADLINE_S * MS_PER_S))
                await live.store.start_work(live.pin, live.epoch, effect.suspension_id, work)
                return None  # what it brings comes as the callback of the suspension
            case HandOff():
                return await self._children.hand_over(effect, live)
            case StartTimer() if effect.outlives_turn:
                await live.store.start_timer(live.pin, live.epoch, effect.id, effect.delay_ms / MS_PER_S)
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

    async def _refused(self, effect: CallTool, pin: SessionPin) -> ToolResult | None:
        quotas = self._outside.quotas
        if quotas is None or effect.kind == MOCK:
            return None
        return await quotas.refused_tool(pin.tenant_id)

    def _now(self) -> str:
        return iso_ms(self._outside.clock.now())

    # -- models ---------------------------------------------------------------------------------------------------

    async def _ask_model(self, effect: AskModel, live: LiveSession, output: TurnOutput) -> AnyFact:
        started_s = time.monotonic()
        chosen, model = await patiently(lambda: self._open(effect, live.pin))
        request = _as_deployed(effect.request, chosen)
        try:
            if effect.stream:
                reply = await streamed_reply(model, request, _ShownTurn(effect, live, output))
            else:
                reply = await model.answer(request)
        except ModelCallFailed as failure:
            self._outside.tally.model(failure.kind)
            provider, name = ("", "") if failure.kind in UNANSWERABLE else split_name(chosen.name)
            return ModelFailed(
                at=self._now(),
                effect_id=effect.id,
                kind=failure.kind,
                message=failure.message,
                latency_ms=_ms_since(started_s),
                model=name,
                provider=provider,
                is_final=failure.is_final,
            )
        self._outside.tally.model()
        reply = msgspec.structs.replace(reply, latency_ms=_ms_since(started_s))
        return ModelAnswered(at=self._now(), effect_id=effect.id, reply=reply)

    async def _open(self, effect: AskModel, pin: SessionPin) -> tuple[ChosenModel, ChatModel]:
        chosen = await self._outside.models.choose(pin, effect)
        fallback, timeout_ms = effect.fallback_model, effect.timeout_ms
        budgets = self._outside.budgets
        if budgets is None:
            return chosen, chosen.registry.open(chosen.name, fallback=fallback, timeout_ms=timeout_ms)
        spender = Spender(
            project_id=pin.project_id,
            session_id=pin.root_session_id or pin.session_id,
            contact_id=pin.contact_id,
            agent=effect.agent,
        )
        return chosen, await budgets.open(pin.tenant_id, spender, chosen, fallback=fallback, timeout_ms=timeout_ms)

    # -- memory ---------------------------------------------------------------------------------------------------

    async def _read_memory(self, effect: ReadMemory, live: LiveSession) -> AnyFact:
        memories = self._outside.memories
        values = await patiently(lambda: memories.read(live.pin, effect.scopes))
        return MemoryRead(at=self._now(), effect_id=effect.id, values=values)

    async def _write_memory(self, effect: WriteMemory, live: LiveSession) -> AnyFact:
        memories, key = self._outside.memories, effect_key(live.pin, effect.id)
        await patiently(lambda: memories.write(live.pin, effect.writes, key))
        return MemoryWritten(at=self._now(), effect_id=effect.id)


class _ShownTurn:
    """Shows an answer while it comes, but only what has passed the gate: rules for outputs hold for pieces too."""

    def __init__(self, effect: AskModel, live: LiveSession, output: TurnOutput) -> None:
        self._effect = effect
        self._live = live
        self._output = output
        self._gate = _gate(effect, live)

    def add(self, text: str) -> None:
        """Show a piece."""
        self._output.show_delta(self._gate.add(text))

    def end(self) -> None:
        """Show what the gate has held back."""
        self._output.show_delta(self._gate.close())

    def void(self) -> None:
        """Take back what was shown."""
        self._output.model_begins_again()
        self._gate = _gate(self._effect, self._live)


def _as_deployed(request: ModelRequest, chosen: ChosenModel) -> ModelRequest:
    """Return the request to the chosen model with what the deployment says of it."""
    changed: JsonObject = {"model": chosen.name}
    if chosen.temperature is not None:
        changed["temperature"] = chosen.temperature
    if chosen.max_tokens is not None:
        changed["max_tokens"] = chosen.max_tokens
    return msgspec.structs.replace(request, **changed)


def _gate(effect: AskModel, live: LiveSession) -> Gate:
    if live.state is None:
        raise ValueError("a session without a state asks no model")
    return Gate(live.program, live.state, effect.agent)


def _end_of(result: ToolResult) -> str:
    if result.is_unknown:
        return OUTCOME_UNKNOWN
    if result.error_code == RATE_LIMIT_EXCEEDED:
        return RATE_LIMITED
    return OK if result.ok or result.accepted else result.error_kind


def _ms_since(started_s: float) -> int:
    return round((time.monotonic() - started_s) * MS_PER_S)
