"""The loop of one turn: fact -> step -> journal -> effects -> facts, until the turn ends.

Three rules make "an acknowledged turn is never lost and never run twice" true, and they stand in `Turn._take`,
`actors.session.commit` and `LiveSession.write`: an effect that changes the outside world is performed only after the
record that asks for it is durable; what ends a turn is shown only after the transaction that holds it; every write
carries the lease epoch.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar

from actors.session.delivery import may_be_asked_again
from actors.session.live import LiveSession
from actors.session.output import TurnOutput
from actors.session.records import TurnOpening
from domain.clock import Clock, iso_ms
from domain.errors import AppError, QueueFull, Unavailable
from domain.json_values import storable
from engine import (
    AnyEffect,
    AnyFact,
    AskModel,
    CallTool,
    Classify,
    Delegate,
    EndTurn,
    HandOff,
    OpenTask,
    OutcomeUnknown,
    ReadMemory,
    Say,
    SessionBegun,
    StartTimer,
    Step,
    Suspend,
    Trace,
    TurnCancelled,
    WriteMemory,
    advance,
    begin,
    expects_outcome,
)

CANCEL_GRACE_S = 5.0
"""How long performers may take to let go of a cancelled turn."""
MAX_ASIDES = 64
ASIDE_RETRY_MS = 500
Told = TypeVar("Told")
_HARMLESS = frozenset({AskModel, ReadMemory, Say, Trace, EndTurn})
"""Nearly all effects of a turn; for them the kinds need not be gone through one by one."""


def longest_s(deadline_s: float) -> float:
    """Return how long a turn with a deadline may take, its cancellation and letting go of its work included."""
    return deadline_s + 2 * CANCEL_GRACE_S


class Performer(Protocol):
    """Does what effects ask for."""

    async def perform(self, effect: AnyEffect, live: LiveSession, output: TurnOutput) -> AnyFact | None:
        """Carry an effect out and return the fact that answers it; None for effects that are not answered."""
        ...

    async def recall(self, effect_ids: Sequence[str], live: LiveSession) -> None:
        """Have the sessions give up that work for these effects; never called for none."""
        ...


class Aside:
    """Something that is done between two facts, with the place for what it gives."""

    def __init__(self, act: Callable[[], Awaitable[Any]], told: asyncio.Future[Any]) -> None:
        self._act = act
        self.told = told

    async def do(self) -> None:
        """Do it; what goes wrong with the session's own writes is raised here too."""
        if self.told.done():
            return  # whoever asked has left
        try:
            given = await self._act()
        except AppError as error:
            self._settle(error)
        except BaseException as error:
            self._settle(Unavailable("The session could not write it down", details={"kind": type(error).__name__}))
            raise
        else:
            if not self.told.done():
                self.told.set_result(given)

    def leave(self) -> None:
        """The turn is over: it is not done here."""
        if not self.told.done():
            self.told.set_result(None)

    def _settle(self, error: Exception) -> None:
        if not self.told.done():
            self.told.set_exception(error)


class TurnStopped(Exception):
    """The turn was interrupted and is not to be ended: the session is being reset, ended or let go."""


def changes_the_world(effect: AnyEffect) -> bool:
    """Whether an effect may be performed only after the record that asks for it is durable.

    >>> changes_the_world(StartTimer(id="1.1", agent="A", delay_ms=5, reason="wait"))
    False
    """
    if type(effect) in _HARMLESS:
        return False
    match effect:
        case CallTool():
            return not effect.safe or bool(effect.suspension_id)
        case Delegate() | WriteMemory() | OpenTask() | Suspend():
            return True
        case HandOff():
            return bool(effect.remote or effect.suspension_id)
        case StartTimer():
            return effect.outlives_turn
        case AskModel() | Classify() | ReadMemory() | Say() | Trace() | EndTurn():
            return False


def stands_beyond(effect: AnyEffect) -> bool:
    """Whether an effect sets something up that outlives the turn: done at once, and again after a crash."""
    match effect:
        case Suspend() | OpenTask():
            return True
        case StartTimer():
            return effect.outlives_turn
        case HandOff():
            return bool(effect.suspension_id)
        case _:
            return False


def may_be_repeated(effect: AnyEffect) -> bool:
    """Whether an effect without a known outcome is performed again, under the same key, after a crash."""
    match effect:
        case CallTool():
            return effect.safe
        case HandOff() if effect.suspension_id:
            return True  # a job does it, which knows itself whether it has been begun
        case Delegate() | HandOff():
            return may_be_asked_again(effect.remote)
        case _:
            return True


def fold(live: LiveSession, fact: AnyFact) -> Step:
    """Return the step of one fact over the session's state, and make its state the session's."""
    if isinstance(fact, SessionBegun):
        live.acted_in = -1
        step = begin(live.program, fact)
    elif live.state is None:
        raise ValueError("the journal of a session does not begin with SessionBegun")
    else:
        step = advance(live.program, live.state, fact)
    live.state = step.state
    return step


def _children(live: LiveSession) -> list[str]:
    """Return the effects for which other sessions work."""
    pending = live.state.pending if live.state is not None else {}
    return [effect_id for effect_id, asked in pending.items() if asked.kind == Delegate.__name__]


class Turn:
    """One turn under way."""

    __slots__ = (
        "_asides",
        "_clock",
        "_facts",
        "_failure",
        "_is_late",
        "_more",
        "_opens",
        "_owes",
        "_performer",
        "_running",
        "_stop",
        "live",
        "output",
    )

    def __init__(self, live: LiveSession, performer: Performer, clock: Clock, output: TurnOutput) -> None:
        self.live = live
        self.output = output
        self._performer = performer
        self._clock = clock
        self._opens: TurnOpening | None = None
        self._facts: deque[AnyFact] = deque()
        self._asides: deque[Aside] = deque()
        self._more = asyncio.Event()
        self._running: dict[str, tuple[AnyEffect, asyncio.Task[None]]] = {}
        self._stop = ""
        self._owes = False
        self._is_late = False
        self._failure: BaseException | None = None

    def give_up(self, reason: str) -> None:
        """Have the turn cancelled by the engine: it ends with what it has to say about that."""
        self._add(TurnCancelled(at=iso_ms(self._clock.now()), reason=reason))

    async def aside(self, act: Callable[[], Awaitable[Told]]) -> Told | None:
        """Have something done between two facts and return what it gives; None when the turn is over before.

        Raises:
            QueueFull: Too much waits to be done.
            AppError: What `act` raises; anything else it raises ends the turn.
        """
        if len(self._asides) >= MAX_ASIDES:
            raise QueueFull("Execution queue full", retry_after_ms=ASIDE_RETRY_MS)
        one = Aside(act, asyncio.get_running_loop().create_future())
        self._asides.append(one)
        self._more.set()
        told: Told | None = await one.told
        return told

    def stop(self, reason: str) -> None:
        """Break the turn off without an end."""
        self._stop = reason
        self._more.set()

    async def run(self, fact: AnyFact, opening: TurnOpening, *, deadline_s: float) -> EndTurn:
        """Fold a fact that begins something, perform what follows, and return the end, which is not yet committed.

        Raises:
            TurnStopped: `stop` was called.
            SessionMoved, StoreLost: As for every write.
        """
        self._opens = opening
        self._facts.appendleft(fact)  # before a cancellation that came while the session was still beginning
        return await self._until_end(deadline_s)

    async def take_up(self, effects: Sequence[AnyEffect], *, deadline_s: float) -> EndTurn:
        """Go on with a turn whose host died: these effects were asked for and have no outcome."""
        for effect in effects:
            if may_be_repeated(effect):
                self._start(effect)
            else:
                self._add(OutcomeUnknown(at=iso_ms(self._clock.now()), effect_id=effect.id))
        return await self._until_end(deadline_s)

    async def set_up(self, effects: Sequence[AnyEffect]) -> None:
        """Do once more what stands beyond the turn; doing it again changes nothing."""
        for effect in effects:
            await self._performer.perform(effect, self.live, self.output)

    async def _until_end(self, deadline_s: float) -> EndTurn:
        loop = asyncio.get_running_loop()
        timer = loop.call_later(deadline_s, self._be_late)  # one for all waits: a timeout for each costs more than it
        try:
            while True:
                if self._stop:
                    raise TurnStopped(self._stop)
                if self._failure is not None:
                    raise self._failure
                if self._facts:
                    end = await self._take(self._facts.popleft())
                    if end is not None:
                        return end
                    continue
                if self._asides:
                    await self._asides.popleft().do()
                    continue
                if self._owes:
                    await self._make_durable()
                    continue
                if self._is_late:
                    self._is_late = False
                    timer = loop.call_later(CANCEL_GRACE_S, self._be_late)
                    self.give_up("deadline")
                    continue
                self._more.clear()
                await self._more.wait()
        finally:
            timer.cancel()
            for one in self._asides:
                one.leave()
            self._asides.clear()
            await self._let_go()

    def _be_late(self) -> None:
        self._is_late = True
        self._more.set()

    def _add(self, fact: AnyFact) -> None:
        self._facts.append(fact)
        self._more.set()

    async def _take(self, fact: AnyFact) -> EndTurn | None:
        """Fold one fact, write what has to be durable before the effects, and start them.

        The outcome of something that may not be done again is written before the turn next waits, together with the
        outcomes that have come meanwhile, or with the end of the turn. Here is where everything comes in from outside:
        tools, models, callbacks and people may say what nobody can keep.
        """
        fact = storable(fact)
        children = _children(self.live) if isinstance(fact, TurnCancelled) else []
        step = fold(self.live, fact)
        self.output.open()
        self.live.note(fact, step.effects, self._opens)
        self._opens = None
        if isinstance(fact, TurnCancelled):
            await self._let_go()
        if children:
            await self._performer.recall(children, self.live)
        self._owes |= self._answers_for_good(fact)
        acts = any(map(changes_the_world, step.effects))
        if acts:
            self.live.acted_in = step.state.turn_number
        if acts or self.live.stores:
            await self._make_durable()
        end: EndTurn | None = None
        for effect in step.effects:
            match effect:
                case Say():
                    self.output.say(effect)
                case Trace():
                    self.output.trace(effect.event)
                case EndTurn():
                    end = effect
                case _ if stands_beyond(effect):
                    await self._performer.perform(effect, self.live, self.output)
                case _:
                    self._start(effect)
        return end

    async def _make_durable(self) -> None:
        self._owes = False
        await self.live.write()

    def _answers_for_good(self, fact: AnyFact) -> bool:
        """Whether losing this fact would lose the outcome of something that may not be done again."""
        effect_id = getattr(fact, "effect_id", "")
        known = self._running.pop(effect_id, None) if effect_id else None
        return known is not None and changes_the_world(known[0])

    def _start(self, effect: AnyEffect) -> None:
        task = asyncio.get_running_loop().create_task(self._perform(effect))
        task.add_done_callback(self._look_at)
        if expects_outcome(effect):
            self._running[effect.id] = (effect, task)
        else:
            self._running["-" + effect.id] = (effect, task)

    async def _perform(self, effect: AnyEffect) -> None:
        fact = await self._performer.perform(effect, self.live, self.output)
        if fact is not None:
            self._add(fact)

    def _look_at(self, task: asyncio.Task[None]) -> None:
        """A performer that raises ends the turn; what it could say about the world it says as a fact."""
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failure = failure
            self._more.set()

    async def _let_go(self) -> None:
        """Cancel what is still being performed and wait until it has let go; its outcomes are not wanted any more."""
        tasks = [task for _, task in self._running.values() if not task.done()]
        self._running.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CANCEL_GRACE_S)
