"""Sub-tasks and handed-over control as messages: what an effect says to another agent, and what its answer means.

A child is a session of its own, found through the router on whichever host it lives, or an agent in another system. Its
id is made from the parent's effect, so that a parent that was taken up after a crash finds the same child and its
stored answer. Spec: abl-language 7.2, 7.3.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2b
from typing import Protocol, TypeVar

import msgspec

from actors.hosts.port import HostGone
from actors.messages import CancelTurn, DelegateTask, Done, Failed, HandOver, HostAnswer, Replied
from actors.session import delivery
from actors.session.delivery import AskHost, Delivery
from actors.session.live import LiveSession
from actors.session.store import SessionPin
from actors.session.tool_calls import effect_key
from domain.clock import Clock, iso_ms
from domain.errors import NotFound
from domain.ids import PREFIXES
from engine import AnyFact, ChildReplied, Delegate, EndTurn, HandOff, OutcomeUnknown
from engine.children import child_replied

MS_PER_S = 1_000
PASSING = frozenset({"Unavailable", "Overloaded", "QueueFull"})
"""Refusals that another try may not meet."""
NOT_FOUND = NotFound.__name__
CERTAIN = frozenset({delivery.TIMEOUT, delivery.UNAVAILABLE, delivery.REFUSED, NOT_FOUND})
"""Refusals that say how far a child came; after any other one it may have begun."""
PAUSE_S = 0.2
RECALL_WAIT_S = 5.0
"""How long a parent waits for children that it gives up; who does not answer by then is told all the same."""
RECALL_S = 60.0
"""How long a child is told to give up that does not answer."""
ID_DIGEST_BYTES = 12
Message = TypeVar("Message")
log = logging.getLogger(__name__)


class Reach(delivery.Reach, Protocol):
    """What this module needs of the outside."""

    @property
    def clock(self) -> Clock:
        """Tells the moment of an answer."""


class Children:
    """Asks other agents, and has children give up whose answer is not wanted any more."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._deliver = Delivery(reach).deliver
        self._recalling: set[asyncio.Task[None]] = set()

    async def delegate(self, effect: Delegate, live: LiveSession) -> AnyFact:
        """Return the answer of a child, or why there is none."""
        task = task_of(effect, live.pin)
        started_s = time.monotonic()
        try:
            async with asyncio.timeout(effect.timeout_ms / MS_PER_S if not effect.remote else None):
                answer = await _answered(self._deliver, task)
        except TimeoutError:
            await self.recall((effect.id,), live.pin)
            answer = Failed(kind=delivery.TIMEOUT, message="The delegated agent did not answer in time")
        return replied(effect.id, answer, self._now(), round((time.monotonic() - started_s) * MS_PER_S))

    async def hand_over(self, effect: HandOff, live: LiveSession) -> AnyFact | None:
        """Give control, or the user's next message, to an agent; return its answer, None when it gives none."""
        started_s = time.monotonic()
        answer = await self._deliver(handover_of(effect, live.pin))
        if isinstance(answer, Done):
            return None
        return replied(effect.id, answer, self._now(), round((time.monotonic() - started_s) * MS_PER_S))

    async def recall(self, effect_ids: Sequence[str], pin: SessionPin) -> None:
        """Have children give up, with what they have asked of others, and wait for that at most `RECALL_WAIT_S`.

        A parent does so before it writes that it does not wait for them: when its host dies in between, whoever takes
        it up asks them again and hears that they have given up. Effects that have no child are passed over; a child
        that cannot be told is logged.
        """
        if self._reach.ask is None:
            return
        create_task = asyncio.get_running_loop().create_task
        told = [create_task(_given_up(self._reach.ask, recall_of(pin, one))) for one in effect_ids]
        for one in told:
            self._recalling.add(one)
            one.add_done_callback(self._recalling.discard)
        if told:
            await asyncio.wait(told, timeout=RECALL_WAIT_S)

    def _now(self) -> str:
        return iso_ms(self._reach.clock.now())


async def _answered(deliver: Callable[[Message], Awaitable[HostAnswer]], message: Message) -> HostAnswer:
    """Return what comes of a child, asked again while its host is away: asking twice finds the same child.

    The caller bounds the wait.
    """
    while True:
        try:
            answer = await deliver(message)
        except HostGone:
            answer = Failed(kind="Unavailable", message="The host of the delegated agent is gone")
        if not isinstance(answer, Failed) or answer.kind not in PASSING:
            return answer
        await asyncio.sleep(PAUSE_S)


async def _given_up(ask: AskHost, message: CancelTurn) -> None:
    """Tell a child to give up until its host has heard it, for at most `RECALL_S`.

    A child that cannot be reached hears it from its parent when it is next begun or taken up (`session.family`).
    """
    try:
        async with asyncio.timeout(RECALL_S):
            answer = await _answered(ask, message)
    except TimeoutError:
        log.warning("%s could not be told to give up", message.session_id)
    except Exception:
        log.exception("%s could not be told to give up", message.session_id)
    else:
        if isinstance(answer, Failed) and answer.kind != NOT_FOUND:
            log.warning("%s could not give up: %s", message.session_id, answer.message)


def recall_of(pin: SessionPin, effect_id: str) -> CancelTurn:
    """Return the message that has the child of an effect give up, whether it has begun or not."""
    return CancelTurn(
        tenant_id=pin.tenant_id,
        project_id=pin.project_id,
        session_id=child_session_id(pin, effect_id),
        for_good=True,
    )


def task_of(effect: Delegate, pin: SessionPin) -> DelegateTask:
    """Return the message to the child of an effect."""
    return DelegateTask(
        tenant_id=pin.tenant_id,
        project_id=pin.project_id,
        parent_session_id=pin.session_id,
        session_id=child_session_id(pin, effect.id),
        agent=effect.target,
        task=effect.task or effect.target,
        context={**effect.input, "_depth": effect.depth},
        effect_key=effect_key(pin, effect.id),
        environment=pin.environment,
        depth=effect.depth,
        sender=effect.agent,
        remote=effect.remote,
        timeout_ms=effect.timeout_ms,
    )


def work_of(effect: HandOff, pin: SessionPin, timeout_ms: int) -> DelegateTask:
    """Return the message to the child that works while its parent's session waits."""
    return DelegateTask(
        tenant_id=pin.tenant_id,
        project_id=pin.project_id,
        parent_session_id=pin.session_id,
        session_id=child_session_id(pin, effect.suspension_id),
        agent=effect.target,
        task=effect.text or effect.summary or effect.target,
        context=effect.context,
        effect_key=effect_key(pin, effect.suspension_id),
        environment=pin.environment,
        sender=effect.agent,
        remote=effect.remote,
        timeout_ms=timeout_ms,
    )


def handover_of(effect: HandOff, pin: SessionPin) -> HandOver:
    """Return the message to the agent that gets control."""
    return HandOver(
        tenant_id=pin.tenant_id,
        project_id=pin.project_id,
        session_id=pin.session_id,
        sender=f"{pin.session_id}/{effect.agent}",
        receiver=f"{pin.session_id}/{effect.target}",
        text=effect.text,
        context=effect.context,
        summary=effect.summary,
        grants=effect.grants,
        history=effect.history,
        returns=effect.returns,
        effect_key=effect_key(pin, effect.id),
        environment=pin.environment,
        remote=effect.remote,
        conversation=effect.conversation,
        timeout_ms=effect.timeout_ms,
    )


def replied(effect_id: str, answer: HostAnswer, at: str, duration_ms: int) -> AnyFact:
    """Return the answer of a child's host as the fact it means to the parent."""
    if isinstance(answer, Replied):
        told = answer.reply.outcome
        end = EndTurn(
            id="",
            reply=answer.reply.response,
            action=answer.reply.action,
            agent=answer.reply.agent_name,
            status=answer.reply.status,
            values=told.get("values", {}),
            error=told.get("error", ""),
            changes=told.get("changes", ""),
        )
        fact = child_replied(effect_id, end, at, duration_ms)
        return msgspec.structs.replace(fact, conversation=told.get("conversation") or {})
    failure = answer if isinstance(answer, Failed) else Failed(kind=delivery.REFUSED, message="No reply")
    if failure.kind == delivery.UNKNOWN:
        return OutcomeUnknown(at=at, effect_id=effect_id, message=failure.message)
    kind = failure.kind if failure.kind in CERTAIN else delivery.LOST
    kind = delivery.REFUSED if kind == NOT_FOUND else kind
    return ChildReplied(at=at, effect_id=effect_id, error=kind, error_message=failure.message, duration_ms=duration_ms)


def child_session_id(pin: SessionPin, effect_id: str) -> str:
    """Return the id of the session a Delegate effect opens."""
    digest = blake2b(effect_key(pin, effect_id).encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
    return f"{PREFIXES['session']}_c{digest}"
