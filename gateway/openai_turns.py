"""Turns that OpenAI's clients ask for, in whichever form: their project, their session, and how they are carried out.

Spec: OpenAI's API reference (Chat Completions, Responses). Decision: 0053.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

from starlette.requests import Request

from actors.agent_models import AT, ModelTarget
from actors.conversation_desk import Asked, Head, Named
from actors.runtime import ChatTurn, NewSession, SessionRef, StreamEvent, TurnReply
from domain.errors import AppError, InvalidInput, NotFound
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import Admission, admission_of
from gateway.asking import Target, check_chat_project, counted_turn, target_of
from gateway.audited import initiator_of
from gateway.bodies.openai import earlier_lines
from gateway.headers import headers_of
from gateway.idempotency import checked_key, sent_key
from gateway.measured import measured
from gateway.opening import begin_again, counted_name
from gateway.services import Services
from gateway.threads import OWN_KEY, Asking, Line, Thread, Threads, is_over_before

PROJECT_HEADER: Final = "openai-project"
NO_PROJECT: Final = "Say which project: use a key of one project, or the header OpenAI-Project"
RETRY_HEADER: Final = "x-stainless-retry-count"
"""In which OpenAI's clients say how often they have sent a request before."""
SESSIONS_TRIED_MAX: Final = 5
"""How many sessions that are over are passed by to find one that a conversation goes on in."""
TRANSPORT: Final = "openai"
PROJECT_PARAMETER: Final[JsonObject] = {
    "name": "OpenAI-Project",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "Id of the project, for keys that are not bound to one",
}
Result = TypeVar("Result")


class Spoken(NamedTuple):
    """What a request asks of an agent.

    Attributes:
        before: What was said before, as the client tells it.
        session_id: The session that it names, empty without one.
        person: Who speaks, among those behind one key whose conversations are found by their words.
        start: The place that the request names, where it names one; `earlier` was said until there.
    """

    model: str
    before: Sequence[Line]
    message: str
    session_id: str = ""
    user: str = ""
    person: str = ""
    start: bytes = b""
    earlier: Sequence[Line] = ()


async def project_of(request: Request, admitted: Admission, services: Services, permission: Permission) -> str:
    """Return the project that is asked. Raises InvalidInput, NotFound, Forbidden."""
    named = headers_of(request.scope).get(PROJECT_HEADER, "") or admitted.caller.project_id
    if not named:
        raise InvalidInput(NO_PROJECT)
    if permission is Permission.SESSION_EXECUTE:
        await check_chat_project(services, admitted, named)
    else:
        await services.gate.check_project(admitted.caller, named, permission)
    return named


def owner_of(admitted: Admission, person: str = "") -> str:
    """Return whose conversations are found by their words: those of one person behind one credential."""
    return repr((admitted.caller.kind, admitted.caller.subject, person))


def head_named(admitted: Admission, project_id: str, name: str) -> Head:
    """Return the place of a conversation that has a name of its own."""
    owner = owner_of(admitted)
    return Asking(admitted.caller.tenant_id, project_id, owner, (), "", named_owner=owner).named(name)


async def carried_by(request: Request, services: Services, spoken: Spoken, *, keeps_user: bool) -> Carried:
    """Return what carries a request out; `keeps_user`: a user has one session with each model.

    Raises:
        NotFound: There is no such project, model or session.
        InvalidInput, Forbidden: As anywhere.
    """
    admitted = admission_of(request)
    project_id = await project_of(request, admitted, services, Permission.SESSION_EXECUTE)
    model = await services.desks.agent_models.resolve(admitted.caller.tenant_id, project_id, spoken.model)
    wanted = Target(spoken.session_id, model.deployment_id, model.environment)
    target = await target_of(services, admitted, project_id, wanted)
    carried = Carried(request, services, project_id, model, spoken, target)
    if keeps_user and spoken.user and not target.session_id:
        await carried.keep_user()
    return carried


class Carried:
    """One request while it is carried out.

    Attributes:
        is_repeated: What is answered was answered before, under the same key.
    """

    def __init__(
        self,
        request: Request,
        services: Services,
        project_id: str,
        model: ModelTarget,
        spoken: Spoken,
        target: Target,
    ) -> None:
        self._request = request
        self._services = services
        self._admitted = admission_of(request)
        self._model = model
        self._spoken = spoken
        self._target = target
        self._key = checked_key(sent_key(request.scope))
        self._opens: NewSession | None = None
        self._thread: Thread | None = None
        self._named: Asked | None = None
        self._is_told = False
        self.is_repeated = False
        self.project_id = project_id
        self.session_id = target.session_id

    async def keep_user(self) -> None:
        """Take the session of the user with the model."""
        caller, services = self._admitted.caller, self._services
        new = NewSession(
            tenant_id=caller.tenant_id,
            project_id=self.project_id,
            agent=self._model.agent,
            environment=self._target.environment,
            deployment_id=self._target.deployment_id,
            channel="api",
            user_id=self._user_id,
            user_kind=caller.kind,
            name=_conversation(self.project_id, caller.subject, self._spoken.model, self._spoken.user),
        )
        self.session_id, self._opens = await counted_name(services, new), new

    async def reply(self) -> TurnReply:
        """Run the turn to its end and return its reply."""
        began = perf_counter()
        reply = await self._carried(self._services.runtime.chat)
        self.is_repeated = reply.repeated
        self._services.metrics.turn("json", perf_counter() - began)
        return reply

    async def events(self) -> AsyncGenerator[StreamEvent]:
        """Return the events of the turn, which has begun; what keeps it from beginning is raised here."""
        began = perf_counter()

        async def begun(turn: ChatTurn) -> tuple[AsyncGenerator[StreamEvent], StreamEvent | None]:
            events = measured(self._services.runtime.stream(turn), self._services.metrics, "sse", began)
            first = await anext(events, None)
            self.is_repeated = first is not None and first.repeated
            return events, first

        return self._followed(*await self._carried(begun))

    async def answered(self, *replies: str, name: str = "", about: JsonObject | None = None) -> None:
        """Write where the conversation stands, before its client can know: it is found there again, also by a name.

        `about` is kept with the name.
        """
        self._is_told = True
        at = self._asking().named(name)
        named = Named(at.head, about or {}) if name else None
        if self._thread is not None:
            await self._thread.answered(*replies, named=named)
        elif named is not None:
            await self._services.desks.conversations.answer(at, self.session_id, (), named)

    async def model_name(self) -> str:
        """Return the name of the model that answers: a session that the request names goes on with its own."""
        is_new = self._thread is not None and not self._thread.is_found
        if is_new or not (self._spoken.session_id or self._spoken.start):
            return self._spoken.model
        session = SessionRef(self._admitted.caller.tenant_id, self.project_id, self.session_id)
        view = await self._services.runtime.session(session)
        own = (view.entry_agent_name, view.environment, view.deployment_id)
        if all(asked in ("", has) for asked, has in zip(self._model, own, strict=True)):
            return self._spoken.model
        return f"{view.entry_agent_name}{AT}{view.environment}" if view.deployment_id else view.entry_agent_name

    @property
    def _user_id(self) -> str:
        caller = self._admitted.caller
        return caller.subject if caller.kind != "api_key" else self._spoken.user

    async def _carried(self, run: Callable[[ChatTurn], Awaitable[Result]]) -> Result:
        """Begin the turn; where the session that was found is over, in the next, at last in a new one."""
        for tried in range(SESSIONS_TRIED_MAX + 1):
            turn = await self._turn()
            try:
                turn = await counted_turn(self._request, self._services, turn)
                self.session_id = turn.session_id or turn.new_session_id
                return await run(turn)
            except AppError as error:
                if self._thread is None:
                    if tried < SESSIONS_TRIED_MAX and await self._begins_again(error):
                        continue
                    await self._unnamed(error)
                    raise
                if tried == SESSIONS_TRIED_MAX or not await self._thread.is_over(error):
                    await self._thread.failed(error)
                    raise
        raise InvalidInput("Too many sessions of this conversation are over; begin a new one")

    async def _turn(self) -> ChatTurn:
        """Return the turn in the session that the request names, or in the one that its conversation stands in."""
        services, asking = self._services, self._asking()
        threads = Threads(services.desks.conversations, services.runtime, services.ids)
        if self.session_id and self._thread is None:
            if self._key:
                return self._built(asking, Asked(self.session_id, self._key, opens=False))
            self._named = self._named or await threads.in_session(asking, self.session_id)
            return self._built(asking, self._named)
        self._thread = await threads.of(asking, self._built)
        return self._built(asking, self._thread.place)

    async def _begins_again(self, error: AppError) -> bool:
        """Begin the session of the user again where it has ended; what it has answered before is told without that."""
        if self._opens is None or not is_over_before(error):
            return False
        session = SessionRef(self._opens.tenant_id, self._opens.project_id, self.session_id)
        with suppress(NotFound):  # one that is not there is opened by the message
            await begin_again(self._services, session, initiator_of(self._request), TRANSPORT)
        return True

    async def _unnamed(self, error: AppError) -> None:
        """Forget what was asked in a session that is not there."""
        if self._named is not None and isinstance(error, NotFound):
            await self._services.desks.conversations.remove(self._asking().in_session(self.session_id))

    def _asking(self) -> Asking:
        headers, spoken = headers_of(self._request.scope), self._spoken
        owner = owner_of(self._admitted, spoken.user or spoken.person)
        return Asking(
            tenant_id=self._admitted.caller.tenant_id,
            project_id=self.project_id,
            owner=owner_of(self._admitted) if spoken.start else repr((owner, spoken.model)),
            before=spoken.before,
            message=spoken.message,
            start=spoken.start,
            key=self._key,
            is_repeated=headers.get(RETRY_HEADER, "0") != "0",
            named_owner=owner_of(self._admitted),
            is_one_person=self._admitted.caller.kind == "user" or bool(spoken.user or spoken.person),
        )

    def _built(self, asking: Asking, place: Asked) -> ChatTurn:
        earlier = [*self._spoken.earlier, *asking.before]
        has_own_key = place.turn_key.startswith(OWN_KEY)  # a client's is good for one body, byte for byte
        return ChatTurn(
            tenant_id=asking.tenant_id,
            project_id=asking.project_id,
            message=asking.message,
            session_id="" if place.opens else place.session_id,
            new_session_id=place.session_id if place.opens else "",
            opens=self._opens,
            idempotency_key=place.turn_key,
            request_hash=(asking.head().head + asking.question).hex() if has_own_key else "",
            agent=self._model.agent if place.opens else "",
            deployment_id=self._target.deployment_id,
            environment=self._target.environment,
            user_id=self._user_id,
            user_kind=self._admitted.caller.kind,
            deadline_s=self._services.settings.turn_deadline_s,
            earlier=earlier_lines(earlier) if place.opens else (),
        )

    async def _followed(
        self, events: AsyncGenerator[StreamEvent], first: StreamEvent | None
    ) -> AsyncGenerator[StreamEvent]:
        try:
            async with aclosing(events):
                if first is not None:
                    yield first
                async for event in events:
                    yield event
        finally:
            if self._thread is not None and not self._is_told:
                with suppress(AppError):  # nobody is there to be told; the place is free again in a while
                    await self._thread.left()


def _conversation(project_id: str, subject: str, model: str, user: str) -> str:
    digest = hashlib.sha256(repr((project_id, subject, model, user)).encode()).hexdigest()
    return f"openai:{digest}"
