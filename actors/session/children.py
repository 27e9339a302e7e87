"""Delegation: a child is a session of its own, found through the router on whichever host it lives.

Its id is made from the parent's effect, so that a parent that was taken up after a crash finds the same child and its
stored answer. Spec: abl-language 7.3.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import Protocol

from actors.hosts.port import HostGone
from actors.messages import CancelTurn, DelegateTask, Failed, HostAnswer, HostMessage, Replied
from actors.session.live import LiveSession
from actors.session.store import SessionPin
from actors.session.tool_calls import effect_key
from domain.clock import Clock, iso_ms
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from engine import AnyFact, ChildReplied, Delegate, EndTurn, HandOff
from engine.children import child_replied

MS_PER_S = 1_000
PASSING = frozenset({"Unavailable", "Overloaded", "QueueFull"})
"""Refusals that another try may not meet."""
PAUSE_S = 0.2
ID_DIGEST_BYTES = 12
TIMEOUT = "timeout"
REFUSED = "delegation_error"
NO_ROUTE = "Agents outside this project cannot be reached from here"

AskHost = Callable[[HostMessage], Awaitable[HostAnswer]]
"""Sends a message to the host of its session, wherever that is."""


class Reach(Protocol):
    """What delegation needs of the outside; `ask` is set once the router is there."""

    clock: Clock
    ask: AskHost | None


class Children:
    """Asks children and cancels those whose answer is no longer wanted."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._cancelling: set[asyncio.Task[HostAnswer]] = set()

    async def delegate(self, effect: Delegate, live: LiveSession) -> AnyFact:
        """Return the answer of a child, or why there is none."""
        ask = self._reach.ask
        if effect.remote or ask is None:
            return self.no_remote(effect.id, effect.remote)
        task = task_of(effect, live.pin)
        started_s = time.monotonic()
        try:
            async with asyncio.timeout(effect.timeout_ms / MS_PER_S):
                answer = await _answered(ask, task)
        except TimeoutError:
            self._cancel(ask, task)
            answer = Failed(kind=TIMEOUT, message="The delegated agent did not answer in time")
        return replied(effect.id, answer, self._now(), round((time.monotonic() - started_s) * MS_PER_S))

    def no_remote(self, effect_id: str, remote: JsonObject) -> AnyFact:
        """Return the answer for an agent elsewhere: the specification names protocols and defines none of them."""
        protocol = str(remote.get("protocol") or "")
        message = f"{NO_ROUTE}: the protocol {protocol!r} is not defined" if protocol else NO_ROUTE
        return ChildReplied(at=self._now(), effect_id=effect_id, error=REFUSED, error_message=message)

    def _cancel(self, ask: AskHost, task: DelegateTask) -> None:
        """Have a child stop whose answer comes too late; nobody waits for that."""
        message = CancelTurn(tenant_id=task.tenant_id, project_id=task.project_id, session_id=task.session_id)
        cancelling = asyncio.get_running_loop().create_task(_told(ask, message))
        self._cancelling.add(cancelling)
        cancelling.add_done_callback(self._let_go)

    def _let_go(self, cancelling: asyncio.Task[HostAnswer]) -> None:
        self._cancelling.discard(cancelling)
        if not cancelling.cancelled():
            cancelling.exception()  # a child that cannot be reached ends by its own deadline

    def _now(self) -> str:
        return iso_ms(self._reach.clock.now())


async def _answered(ask: AskHost, task: DelegateTask) -> HostAnswer:
    """Return what comes of a child, asked again while its host is away: asking twice finds the same child.

    The caller bounds the wait.
    """
    while True:
        try:
            answer = await ask(task)
        except HostGone:
            answer = Failed(kind="Unavailable", message="The host of the delegated agent is gone")
        if not isinstance(answer, Failed) or answer.kind not in PASSING:
            return answer
        await asyncio.sleep(PAUSE_S)


async def _told(ask: AskHost, message: HostMessage) -> HostAnswer:
    return await ask(message)


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
        depth=effect.depth,
    )


def work_of(effect: HandOff, pin: SessionPin) -> DelegateTask:
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
        )
        return child_replied(effect_id, end, at, duration_ms)
    failure = answer if isinstance(answer, Failed) else Failed(kind=REFUSED, message="No reply")
    kind = TIMEOUT if failure.kind == TIMEOUT else REFUSED
    return ChildReplied(at=at, effect_id=effect_id, error=kind, error_message=failure.message, duration_ms=duration_ms)


def child_session_id(pin: SessionPin, effect_id: str) -> str:
    """Return the id of the session a Delegate effect opens."""
    digest = blake2b(effect_key(pin, effect_id).encode(), digest_size=ID_DIGEST_BYTES).hexdigest()
    return f"{PREFIXES['session']}_c{digest}"
