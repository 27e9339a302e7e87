"""Carries a message to the host of its session, and again when that host has died or moved the session.

A turn is safe to send again because it has an idempotency key: the caller's own, or one made here.
"""

from __future__ import annotations

import time

import msgspec

from actors.directory import Directory
from actors.hosts.port import HostGone
from actors.messages import (
    CallbackReady,
    DelegateTask,
    EndSession,
    Failed,
    Follow,
    ForgetSession,
    HostAnswer,
    HostMessage,
    Look,
    OpenSession,
    ResetSession,
    RunTurn,
    SuspensionDue,
)
from actors.session.stream import Listener

PATIENCE_S = 30.0
"""How long a message looks for a host that takes it: longer than a lease lasts and a host takes to start."""
PAUSE_S = 0.2
NO_HOST = Failed(kind="Unavailable", message="No host serves this session at the moment.", retry_after_ms=1_000)


class Router:
    """Finds the host, asks it, and asks again where that is safe."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    async def ask(self, message: HostMessage, listener: Listener | None = None) -> HostAnswer:
        """Return the answer of the session's host."""
        session_id = session_of(message)
        give_up_s = time.monotonic() + PATIENCE_S
        answer: HostAnswer = NO_HOST
        while True:
            host = self._directory.find(session_id)
            if host is not None:
                try:
                    answer = await host.ask(message, listener)
                except HostGone:
                    self._directory.leave(host.host_id)
                    self._directory.pin(session_id, "")
                    answer = NO_HOST
                    if isinstance(message, RunTurn):
                        message = msgspec.structs.replace(message, may_be_known=True, attempt=message.attempt + 1)
                else:
                    if not (isinstance(answer, Failed) and answer.moved):
                        return answer
                    owner = str(answer.details.get("owner", ""))
                    self._directory.pin(session_id, owner)
                    if owner and owner != host.host_id and owner in self._directory.host_ids:
                        continue
            if time.monotonic() >= give_up_s:
                return msgspec.structs.replace(answer, moved=False) if isinstance(answer, Failed) else answer
            await self._directory.next_reading(PAUSE_S)


def session_of(message: HostMessage) -> str:
    """Return the session a message is for."""
    return message.turn.session_id if isinstance(message, RunTurn) else message.session_id


def tenant_of(message: HostMessage) -> str:
    """Return the tenant a message belongs to."""
    match message:
        case RunTurn():
            return message.turn.tenant_id
        case OpenSession():
            return message.wanted.tenant_id
        case (
            EndSession()
            | ResetSession()
            | CallbackReady()
            | SuspensionDue()
            | DelegateTask()
            | Follow()
            | Look()
            | ForgetSession()
        ):
            return message.tenant_id
