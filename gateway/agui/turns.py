"""A run of AG-UI as a turn: its thread is a session of the caller with the agent, its id the key of the turn.

Nothing is written beside the session and its turns: a thread finds its session by a name made of it and of whose it is.
Decision: 0058.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from hashlib import blake2b
from time import perf_counter
from typing import Final, NamedTuple

import msgspec
from starlette.requests import Request

from actors.agent_models import ModelTarget
from actors.runtime import ChatTurn, SessionRef, StreamEvent
from actors.session.repeating import derived_id
from actors.turn_keys import key_of
from domain.errors import AppError, Conflict, NotFound
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import Admission
from gateway.agui.reading import AskedRun, Warned, question_of, read_run, said_before
from gateway.agui.telling import RESTARTED, TURN_ENDS, RunNames, RunTelling, custom, finished, started
from gateway.asking import Target, bound_target, counted_turn
from gateway.audited import initiator_of
from gateway.bodies.agui import AgUiBody, AgUiMessage
from gateway.errors import error_event
from gateway.gate import check_permission
from gateway.measured import measured
from gateway.opening import begin_again
from gateway.services import Services
from gateway.threads import is_over_before

TRANSPORT: Final = "ag-ui"
THREAD, RUN, ANSWER = "ag-ui-thread:", "ag-ui-run:", "ag-ui-answer:"
"""What a session, a turn and the answer to an interrupt are named by."""
HISTORY_MAX: Final = 200
"""How many of its last messages a thread is told in."""
CUT: Final[JsonObject] = {
    "error": "The answer has broken off; send the same runId again to hear it",
    "code": "SERVICE_UNAVAILABLE",
}


class Run(NamedTuple):
    """A run that has begun: its events, and whether it was told before."""

    events: AsyncGenerator[JsonObject]
    repeated: bool = False


class ThreadRuns:
    """The runs of one request: a thread of one caller with one agent of a project."""

    def __init__(
        self,
        request: Request,
        services: Services,
        admitted: Admission,
        project_id: str,
        agent: str,
        model: ModelTarget,
        body: AgUiBody,
    ) -> None:
        self._request = request
        self._services = services
        self._admitted = admitted
        self._project_id = project_id
        self._agent = agent
        self._model = model
        self._body = body
        self._names = RunNames(
            thread_id=body.thread_id,
            run_id=body.run_id,
            parent_run_id=body.parent_run_id or "",
            knows_interrupts=bool(body.protocol_version),
        )

    async def begin(self) -> Run:
        """Begin the run; what keeps it from beginning is raised here.

        Raises:
            InvalidInput: There is nothing to answer, or it cannot be read.
            Conflict: The run was asked something else, or its interrupt is no longer open.
            NotFound, Forbidden, Gone, Overloaded, Unavailable: As of any message.
        """
        asked = read_run(self._body)
        if asked.kind == "history":
            return Run(_told(await self._history()))
        if asked.kind == "nothing":
            return Run(_told([started(self._names), finished(self._names, {"type": "success"})]))
        turn = await self._named_turn(asked)
        own = derived_id(turn.session_id, key_of(turn))
        before = said_before(self._body.messages, own)
        if asked.kind == "message":
            asked = question_of(asked, before)
        else:
            asked = await self._answer(asked, turn.session_id, own)
        self._names = self._names._replace(own=own)
        telling = RunTelling(
            self._names,
            [_as_sent(one) for one in before],
            state=self._body.state,
            holds_own=len(before) < len(self._body.messages),
            shows_tools=self._admitted.caller.may_see_traces,
        )
        return await self._begun(await self._asking(turn, asked), asked, telling)

    async def _history(self) -> list[JsonObject]:
        """Return the run that tells a thread and begins nothing. Raises Forbidden."""
        check_permission(self._admitted.caller, Permission.SESSION_READ, self._project_id)
        turn = await self._named_turn(AskedRun("history"))
        session = SessionRef(turn.tenant_id, self._project_id, turn.session_id)
        messages: list[JsonObject] = []
        if await self._is_there(session):
            view = await self._services.runtime.session(session, messages=HISTORY_MAX)
            messages = [
                {"id": one["id"], "role": one["role"], "content": one["content"]}
                for one in view.detail["messages"]
                if one["role"] in ("user", "assistant", "system")
            ]
        told: JsonObject = {"type": "MESSAGES_SNAPSHOT", "messages": messages}
        return [started(self._names), told, finished(self._names, {"type": "success"})]

    async def _named_turn(self, asked: AskedRun) -> ChatTurn:
        """Return the turn of the run without what is said, in the session of its thread, which may not be there yet."""
        caller = self._admitted.caller
        target = Target("", self._model.deployment_id, self._model.environment)
        target = await bound_target(self._services, caller, self._project_id, target)
        whose = (caller.kind, caller.subject, self._agent, *self._model, target.environment, self._body.thread_id)
        named = ChatTurn(
            tenant_id=caller.tenant_id,
            project_id=self._project_id,
            message="",
            idempotency_key=THREAD + _digest(*whose),
            agent=self._model.agent,
            deployment_id=target.deployment_id,
            environment=target.environment,
            transport=TRANSPORT,
            user_id=caller.subject if caller.kind != "api_key" else "",
            user_kind=caller.kind,
            metadata=asked.metadata,
            deadline_s=self._services.settings.turn_deadline_s,
        )
        session_id = self._services.runtime.new_session_id(named)
        key = ANSWER + asked.interrupt_id if asked.kind == "answer" else RUN + self._body.run_id
        return msgspec.structs.replace(named, session_id=session_id, idempotency_key=key)

    async def _answer(self, asked: AskedRun, session_id: str, own: str) -> AskedRun:
        """Return the answer to an interrupt that is open, or that this very answer has closed.

        An answer to an earlier question is none to the one that stands now: it could be a yes to something else.

        Raises:
            Conflict: The interrupt is not the last thing that the agent has said.
        """
        tenant_id = self._admitted.caller.tenant_id
        session = SessionRef(tenant_id, self._project_id, session_id)
        if await self._is_there(session):
            if await self._services.desks.conversations.said_until(tenant_id, session_id, own, 1):
                return asked
            view = await self._services.runtime.session(session, messages=1)
            last: JsonObject = next(iter(view.detail["messages"]), {})
            if last.get("id") == asked.interrupt_id:
                return _of_render(asked, last.get("actions") or {})
        raise Conflict(
            f"The interrupt {asked.interrupt_id!r} is not open: it was answered, or something else was said since. "
            "Send what the user says as a message, without resume",
            details={"reason": "INTERRUPT_NOT_OPEN"},
        )

    async def _asking(self, turn: ChatTurn, asked: AskedRun) -> ChatTurn:
        """Return the turn with what is said, counted; the session of a new thread is opened by it."""
        is_new = not await self._is_there(SessionRef(turn.tenant_id, turn.project_id, turn.session_id))
        session_id = turn.session_id
        turn = msgspec.structs.replace(
            turn,
            message=asked.message,
            action=asked.action,
            request_hash=_digest(asked.message, asked.action),
            session_id="" if is_new else session_id,
            new_session_id=session_id if is_new else "",
            agent=turn.agent if is_new else "",
        )
        return await counted_turn(self._request, self._services, turn)

    async def _begun(self, turn: ChatTurn, asked: AskedRun, telling: RunTelling) -> Run:
        """Begin the turn; where the session of the thread is over, it starts again first, and the client is told so."""
        began, is_restarted = perf_counter(), False
        try:
            events, first = await self._first(turn, began)
        except Conflict as error:
            if not is_over_before(error):
                raise
            turn = await self._restart(turn)
            events, first = await self._first(turn, began)
            is_restarted = True
        repeated = first is not None and first.repeated
        return Run(_events(telling, events, first, asked.warnings, is_restarted=is_restarted), repeated)

    async def _first(self, turn: ChatTurn, began: float) -> tuple[AsyncGenerator[StreamEvent], StreamEvent | None]:
        events = measured(self._services.runtime.stream(turn), self._services.metrics, "sse", began)
        return events, await anext(events, None)

    async def _restart(self, turn: ChatTurn) -> ChatTurn:
        """Put the session of a thread back to its start, once for each time that it was over."""
        session_id = turn.session_id or turn.new_session_id
        session = SessionRef(turn.tenant_id, turn.project_id, session_id)
        await begin_again(self._services, session, initiator_of(self._request), TRANSPORT)
        return msgspec.structs.replace(turn, session_id=session_id, new_session_id="")

    async def _is_there(self, session: SessionRef) -> bool:
        try:
            await self._services.desks.insight.resolve(session)
        except NotFound:
            return False
        return True


async def _events(
    telling: RunTelling,
    events: AsyncGenerator[StreamEvent],
    first: StreamEvent | None,
    warnings: tuple[Warned, ...],
    *,
    is_restarted: bool,
) -> AsyncGenerator[JsonObject]:
    """Yield the events of a run to its end, which it has however the turn ends."""
    async with aclosing(events):
        for told in telling.begin(warnings):
            yield told
        if is_restarted:
            yield custom(RESTARTED, {"message": "The conversation was over: the agent has begun a new one"})
        try:
            event = first
            while event is not None:
                for told in telling.take(event):
                    yield told
                if event.kind in TURN_ENDS:
                    break
                event = await anext(events, None)
        except AppError as error:
            yield telling.fail(error_event(error))
        if not telling.is_over:
            yield telling.fail(CUT)


async def _told(events: list[JsonObject]) -> AsyncGenerator[JsonObject]:
    for event in events:
        yield event


def _of_render(asked: AskedRun, actions: JsonObject) -> AskedRun:
    """Return an answer with the rendering that it is for, where its client does not say."""
    if asked.action is None or "renderId" in asked.action or not actions.get("render_id"):
        return asked
    return asked._replace(action={**asked.action, "renderId": actions["render_id"]})


def _as_sent(message: AgUiMessage) -> JsonObject:
    sent: JsonObject = message.model_dump(by_alias=True)
    return {name: value for name, value in sent.items() if value is not None}


def _digest(*parts: object) -> str:
    return blake2b(msgspec.json.encode(parts, order="deterministic"), digest_size=16).hexdigest()
