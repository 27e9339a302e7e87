"""What a session's body is given: the store, the performer of effects, the programs, time and ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from actors.session.driver import Performer
from actors.session.models import Models
from actors.session.store import SessionPin, SessionStore, Stored
from domain.clock import Clock, IdSource
from domain.json_values import JsonObject
from domain.limits import SESSION_IDLE_S
from engine import Program


class Programs(Protocol):
    """The compiled programs that sessions are pinned to."""

    async def get(self, tenant_id: str, project_id: str, program_id: str) -> Program:
        """Return the program of that id. Raises NotFound when it is stored no more."""
        ...

    async def choose(
        self, tenant_id: str, project_id: str, *, deployment_id: str, environment: str, agent: str
    ) -> Chosen:
        """Return what a new session is pinned to. Raises NotFound, Gone as platform-api 4.1 says."""
        ...

    async def check_goes_on(self, tenant_id: str, project_id: str, deployment_id: str) -> None:
        """Refuse a deployment that takes no sessions any more. Raises Gone, NotFound. Spec: platform-api 5.5."""
        ...

    async def environment(self, pin: SessionPin) -> JsonObject:
        """Return the values of `env.` that a session sees for as long as it lives."""
        ...


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a new session runs: a program, its entry agent, and where that came from.

    Attributes:
        idle_s: How long it may be quiet where its agent says nothing.
        turn_s, callback_s: How long turns and suspensions may take; 0 where the project says nothing else than all.
        message_chars: How long a message may be; 0 where the project says nothing.
    """

    program_id: str
    entry_agent: str
    environment: str
    deployment_id: str = ""
    idle_s: float = SESSION_IDLE_S
    turn_s: float = 0.0
    callback_s: float = 0.0
    message_chars: int = 0


@dataclass(slots=True)
class Mocks:
    """`toolMocks` of the installation, for sessions that are not in front of customers; `abl dev` puts others in."""

    tool_mocks: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a body works with.

    Attributes:
        has_model: Whether a chat model is configured, where `models` does not tell for each project.
        has_classifier: Whether texts can be compared by meaning.
        mocks: Answers of tools without a call; those of a session's own come before them.
        numbers: The clock that the numbers of the output go by, which hosts share; without one it is `clock`.
        takes_over: Told of a session when a turn of it that was not finished is taken up.
    """

    store: SessionStore
    performer: Performer
    programs: Programs
    clock: Clock
    ids: IdSource
    has_model: bool = True
    models: Models | None = None
    has_classifier: bool = False
    mocks: Mocks = field(default_factory=Mocks)
    takes_over: Callable[[Stored], None] = lambda _stored: None
    numbers: Clock | None = None

    def number_from(self) -> datetime:
        """Return the moment that numbers of the output go on from; see `stream.never_shown`."""
        return (self.numbers or self.clock).now()

    async def finds_model(self, pin: SessionPin) -> bool:
        """Return whether a call that names no model would find one in a session."""
        return await self.models.has_model(pin) if self.models is not None else self.has_model
