"""Carries a message to the host of its session, and again when that host has died or moved the session.

A turn is safe to send again because it has an idempotency key: the caller's own, or one made here.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import msgspec

from actors.directory import Directory
from actors.hosts.port import Host, HostGone
from actors.messages import Failed, HostAnswer, HostMessage, OpenSession, RunTurn
from actors.placement import is_dedicated
from actors.session.stream import Listener

Summon = Callable[[str], Awaitable[Failed | None]]
"""Has a dedicated host started; returns the refusal when there are too many or it does not start."""
OWNER, DRAINING, BEGUN = "owner", "draining", "begun"
"""What a host says of a session that it does not serve: who does, that it takes no new ones, that a turn had begun."""
PATIENCE_S = 30.0
"""How long a message looks for a host that takes it: longer than a lease lasts and a host takes to start."""
PAUSE_S = 0.2
MAX_HOPS = 3
"""Hosts that are asked one after the other, each named by the one before, until a pause is made."""
NO_HOST = Failed(kind="Unavailable", message="No host serves this session at the moment.", retry_after_ms=1_000)

WORKER_LOST = Failed(
    kind="Unavailable",
    message="The worker of this turn was lost, and no other one has taken it up. Send the same message again, under "
    "the same Idempotency-Key or messageId if it had one",
    retry_after_ms=1_000,
    details={"reason": "WORKER_LOST"},
)
"""Of a turn that nobody has acknowledged. Spec: platform-api 3.1."""


class Router:
    """Finds the host, asks it, and asks again where that is safe."""

    def __init__(self, directory: Directory, summon: Summon | None = None) -> None:
        """`summon` has a dedicated host started; without it such a session is served by whoever finds its host."""
        self._directory = directory
        self._summon = summon

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Return the answer of the session's host."""
        session_id = session_of(message)
        give_up_s = time.monotonic() + PATIENCE_S
        answer: HostAnswer = NO_HOST
        hops = 0
        while True:
            host = self._directory.find(session_id)
            if host is not None:
                try:
                    answer = await host.ask(message, listener)
                except HostGone:
                    self._directory.leave(host.host_id)
                    self._directory.pin(session_id, "")
                    answer = WORKER_LOST if isinstance(message, RunTurn) else NO_HOST
                    if isinstance(message, RunTurn):
                        message = msgspec.structs.replace(message, may_be_known=True, attempt=message.attempt + 1)
                else:
                    if not (isinstance(answer, Failed) and answer.moved):
                        return answer
                    if isinstance(message, RunTurn):
                        tries = message.attempt + bool(answer.details.get(BEGUN))
                        message = msgspec.structs.replace(message, may_be_known=True, attempt=tries)
                    refused = await self._follow(session_id, host, answer)
                    if refused is not None:
                        return refused
                    hops += 1
                    if hops < MAX_HOPS and self._directory.find(session_id) is not host:
                        continue
            if time.monotonic() >= give_up_s:
                return msgspec.structs.replace(answer, moved=False) if isinstance(answer, Failed) else answer
            hops = 0
            await self._directory.next_reading(PAUSE_S)

    async def _follow(self, session_id: str, host: Host, answer: Failed) -> Failed | None:
        """Learn from a host where a session is that it does not serve; return a refusal that ends the search."""
        owner = str(answer.details.get(OWNER, ""))
        self._directory.pin(session_id, owner)
        if answer.details.get(DRAINING):
            self._directory.drains(host.host_id)
        if is_dedicated(owner) and owner not in self._directory.host_ids and self._summon is not None:
            return await self._summon(owner)
        return None


def session_of(message: HostMessage) -> str:
    """Return the session a message is for."""
    return message.turn.session_id if isinstance(message, RunTurn) else message.session_id


def tenant_of(message: HostMessage) -> str:
    """Return the tenant a message belongs to."""
    if isinstance(message, RunTurn):
        return message.turn.tenant_id
    return message.wanted.tenant_id if isinstance(message, OpenSession) else message.tenant_id
