"""What clients of Agent2Agent ask of an agent: each message is a turn, tasks stand in the store. Decision: 0054.

The id that a client gives its message is the key of its turn: a message that is sent again runs nothing again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from hashlib import blake2b
from typing import Final, NamedTuple

import msgspec
from starlette.requests import Request

from actors.a2a_desk import CANCELED, FAILED, OVER, SUSPENDED, WORKING, WORKS_MAX_S, NewTask, StandingTask, TaskFilter
from actors.a2a_forms import status_event, task_event, task_form
from actors.agent_models import ModelTarget
from actors.runtime import ChatTurn, SessionRef, StreamEvent
from actors.session.repeating import derived_id, spoken_id
from actors.turn_keys import key_of
from domain.errors import AppError, NotFound, Unavailable
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from gateway.a2a.pieces import Pieces
from gateway.a2a.words import (
    INVALID_PARAMS,
    NOT_CANCELABLE,
    TASK_NOT_FOUND,
    UNSUPPORTED,
    AskedMessage,
    Dialect,
    RpcFault,
    artifact_event,
    history_of,
    list_form,
    push_form,
    read_list,
    read_message,
    read_push,
    text_of,
)
from gateway.access import Admission
from gateway.asking import Target, bound_target, counted_turn
from gateway.bodies.texts import checked_metadata
from gateway.services import Services

TRANSPORT: Final = "a2a"
STABLE: Final = f"{PREFIXES['session']}_"
KEY: Final = "a2a:"
LOOK_EVERY_S: Final = 0.1
"""Between two looks for what a task that is followed has come to, while its session says nothing."""
TURN_ENDS: Final = frozenset({"complete", "error"})
DIGEST_BYTES: Final = 12


class Sent(NamedTuple):
    """A message whose task is kept and whose turn is to be run.

    Attributes:
        is_past: It was answered, and others after it: nothing is run, and the task stays as they have left it.
    """

    task: NewTask
    turn: ChatTurn
    is_new: bool
    is_past: bool = False


class AgentTasks:
    """The tasks of one caller with one agent of a project."""

    def __init__(
        self,
        request: Request,
        services: Services,
        admitted: Admission,
        project_id: str,
        agent: str,
        model: ModelTarget,
        dialect: Dialect,
    ) -> None:
        self._request = request
        self._services = services
        self._admitted = admitted
        self._project_id = project_id
        self._agent = agent
        self._model = model
        self._dialect = dialect
        self._tenant_id = admitted.caller.tenant_id
        self._owner = f"{admitted.caller.kind}:{admitted.caller.subject}"
        self._desk = services.desks.a2a

    async def send(self, params: JsonObject) -> JsonObject:
        """Run a message to its answer, or begin it, and return its task."""
        asked = self._read(params)
        sent = await self._keep(asked)
        await self._have_told(asked, sent.task.task_id)
        if asked.waits:
            await self._run(sent)
        elif not sent.is_past:
            await self._begin(sent)
        return await self._told(sent.task.task_id, asked.history)

    async def stream(self, params: JsonObject) -> AsyncGenerator[JsonObject]:
        """Begin a message and return the events of its task; what keeps it from beginning is raised here."""
        asked = self._read(params)
        sent = await self._keep(asked)
        await self._have_told(asked, sent.task.task_id)
        if sent.is_past:
            return self._now(await self._look(sent.task.task_id))
        try:
            events = self._services.runtime.stream(sent.turn)
            first = await anext(events, None)
        except AppError as error:
            await self._refused(sent, error)
            raise
        return self._events(sent.task.task_id, events, first)

    async def get(self, params: JsonObject) -> JsonObject:
        """Return a task as it stands."""
        return task_form(await self._standing(params), self._dialect, history=history_of(params))

    async def list_tasks(self, params: JsonObject) -> JsonObject:
        """Return tasks of the caller with this agent, the last changed first."""
        asked = read_list(params)
        wanted = TaskFilter(
            project_id=self._project_id,
            owner=self._owner,
            agent=self._agent,
            session_id=asked.context_id,
            state=asked.state,
            since=asked.since,
        )
        found, total = await self._desk.list(self._tenant_id, wanted, limit=asked.limit, offset=asked.offset)
        forms = [
            task_form(one, self._dialect, history=asked.history, with_artifacts=asked.with_artifacts) for one in found
        ]
        return list_form(forms, asked, total)

    async def cancel(self, params: JsonObject) -> JsonObject:
        """Give a task up: its turn, if it runs; one that waits for somebody else cannot be taken back."""
        standing = await self._standing(params)
        task = standing.task
        if task.state in OVER or task.state == SUSPENDED:
            raise RpcFault(NOT_CANCELABLE, "The task is over" if task.state in OVER else "The task waits for somebody")
        if task.state == WORKING:
            session = SessionRef(self._tenant_id, self._project_id, task.session_id)
            try:
                is_stopped = await self._services.runtime.cancel_turn(session, task.answer_id)
            except NotFound:  # it begins in this moment
                is_stopped = False
            if not is_stopped and (await self._standing(params)).task.state in (WORKING, *OVER):
                raise RpcFault(NOT_CANCELABLE, "The task cannot be canceled now")
        await self._desk.move(self._tenant_id, task, CANCELED)
        return await self._told(task.task_id, history_of(params), as_event=False)

    async def subscribe(self, params: JsonObject) -> AsyncGenerator[JsonObject]:
        """Return the events of a task that works: the pieces of its reply, earlier ones too, and its end.

        Where pieces can be had no more, the whole reply is told at the end.
        """
        standing = await self._standing(params)
        if self._dialect == "1.0" and standing.task.state in OVER:
            raise RpcFault(UNSUPPORTED, "The task is over: GetTask tells it")
        return self._now(standing)

    def _now(self, standing: StandingTask) -> AsyncGenerator[JsonObject]:
        return self._followed(standing) if standing.task.state == WORKING else self._resting(standing)

    async def set_push(self, params: JsonObject) -> JsonObject:
        """Have an address told when a task rests."""
        standing = await self._standing(params, "taskId")
        given = params if self._dialect == "1.0" else params.get("pushNotificationConfig")
        if not isinstance(given, dict):
            raise RpcFault(INVALID_PARAMS, "pushNotificationConfig must be an object")
        config = read_push(given, self._dialect, self._services.ids.new("push"))
        await self._desk.put_push(self._tenant_id, standing.task, config)
        return push_form(standing.task.task_id, config, self._dialect)

    async def get_push(self, params: JsonObject) -> JsonObject:
        """Return an address that is told of a task, by its id or the first."""
        standing, wanted = await self._push_named(params)
        for one in await self._desk.pushes(self._tenant_id, standing.task.task_id):
            if wanted in ("", one.config_id):
                return push_form(standing.task.task_id, one, self._dialect)
        raise RpcFault(TASK_NOT_FOUND, "There is no such push notification config")

    async def list_pushes(self, params: JsonObject) -> JsonObject | list[JsonObject]:
        """Return the addresses that are told of a task."""
        standing, _ = await self._push_named(params)
        task_id = standing.task.task_id
        told = [push_form(task_id, one, self._dialect) for one in await self._desk.pushes(self._tenant_id, task_id)]
        return {"configs": told, "nextPageToken": ""} if self._dialect == "1.0" else told

    async def delete_push(self, params: JsonObject) -> JsonObject | None:
        """Have an address told of a task no more; again, it changes nothing."""
        standing, wanted = await self._push_named(params)
        await self._desk.remove_push(self._tenant_id, standing.task.task_id, wanted)
        return {} if self._dialect == "1.0" else None

    def _read(self, params: JsonObject) -> AskedMessage:
        return read_message(params, self._dialect, self._services.ids.new("push"))

    async def _push_named(self, params: JsonObject) -> tuple[StandingTask, str]:
        if self._dialect == "1.0":
            return await self._standing(params, "taskId"), text_of(params, "id", needed=False)
        return await self._standing(params), text_of(params, "pushNotificationConfigId", needed=False)

    async def _standing(self, params: JsonObject, name: str = "id") -> StandingTask:
        return await self._look(text_of(params, name))

    async def _look(self, task_id: str) -> StandingTask:
        try:
            standing = await self._desk.look(self._tenant_id, task_id, self._owner)
        except NotFound as error:
            raise RpcFault(TASK_NOT_FOUND, "Task not found") from error
        if (standing.task.project_id, standing.task.agent) != (self._project_id, self._agent):
            raise RpcFault(TASK_NOT_FOUND, "Task not found")
        return standing

    async def _told(self, task_id: str, history: int | None, *, as_event: bool = True) -> JsonObject:
        told = task_form(await self._look(task_id), self._dialect, history=history)
        return task_event(told, self._dialect) if as_event else told

    async def _keep(self, asked: AskedMessage) -> Sent:
        """Count a message and keep its task: from now on it is known, whatever becomes of its turn."""
        session_id, over_with = asked.context_id, ""
        if asked.task_id:
            standing = await self._look(asked.task_id)
            over_with = standing.task.turn_key if standing.task.state in OVER else ""
            if session_id not in ("", standing.task.session_id):
                raise RpcFault(INVALID_PARAMS, "The task has another contextId")
            session_id = standing.task.session_id
        turn = await self._turn(asked, session_id)
        turn = await counted_turn(self._request, self._services, turn)
        session_id = turn.session_id or turn.new_session_id
        if turn.session_id and not turn.session_id.startswith(STABLE):
            session = SessionRef(self._tenant_id, self._project_id, session_id)
            session_id = (await self._services.runtime.session(session)).id
        key = key_of(turn)
        task = NewTask(
            task_id=asked.task_id or self._task_id(asked.message_id),
            project_id=self._project_id,
            owner=self._owner,
            agent=self._agent,
            session_id=session_id,
            turn_key=key,
            first_id=spoken_id(session_id, key),
            answer_id=derived_id(session_id, key),
        )
        if over_with == task.turn_key or await self._desk.is_past(self._tenant_id, task):
            return Sent(task, turn, is_new=False, is_past=True)
        if over_with:
            raise RpcFault(UNSUPPORTED, "The task is over: send the message without taskId to begin another one")
        return Sent(task, turn, await self._desk.put(self._tenant_id, task))

    async def _turn(self, asked: AskedMessage, session_id: str) -> ChatTurn:
        caller = self._admitted.caller
        wanted = Target(session_id, self._model.deployment_id, self._model.environment)
        target = await bound_target(self._services, caller, self._project_id, wanted)
        return ChatTurn(
            tenant_id=self._tenant_id,
            project_id=self._project_id,
            message=asked.text,
            session_id=session_id,
            idempotency_key=KEY + asked.message_id,
            agent="" if session_id else self._model.agent,
            deployment_id=target.deployment_id,
            environment=target.environment,
            transport=TRANSPORT,
            user_id=caller.subject if caller.kind != "api_key" else "",
            user_kind=caller.kind,
            metadata=checked_metadata(asked.metadata or None),
            deadline_s=self._services.settings.turn_deadline_s,
        )

    def _task_id(self, message_id: str) -> str:
        """Return the id of the task that a message begins: the same one when it is sent again."""
        said = repr((self._tenant_id, self._project_id, self._owner, self._agent, message_id))
        return f"task_{blake2b(said.encode(), digest_size=DIGEST_BYTES).hexdigest()}"

    async def _have_told(self, asked: AskedMessage, task_id: str) -> None:
        if asked.push is not None:
            await self._desk.put_push(self._tenant_id, (await self._look(task_id)).task, asked.push)

    async def _run(self, sent: Sent) -> None:
        if sent.is_past:
            return
        try:
            await self._services.runtime.chat(sent.turn)
        except AppError as error:
            await self._refused(sent, error)
            raise

    async def _refused(self, sent: Sent, error: AppError) -> None:
        """Write what an error means for a task: what was refused never was one; the rest may be sent again."""
        if isinstance(error, Unavailable):
            return
        if sent.is_new:
            await self._desk.remove(self._tenant_id, sent.task)
        else:
            await self._fail(sent.task.task_id)

    async def _fail(self, task_id: str) -> bool:
        """Write that a task has failed, unless its turn has ended after all."""
        standing = await self._desk.look(self._tenant_id, task_id, self._owner)
        return standing.task.state == WORKING and await self._desk.move(self._tenant_id, standing.task, FAILED)

    async def _begin(self, sent: Sent) -> None:
        """Have a turn run while nobody waits for it, whatever becomes of this gateway."""

        async def refused(error: AppError) -> None:
            await self._refused(sent, error)
            await self._services.desks.refusals.told(sent.turn)

        try:
            await self._services.feeds.begin(sent.turn, refused)
        except AppError as error:
            await self._refused(sent, error)
            raise

    async def _resting(self, standing: StandingTask) -> AsyncGenerator[JsonObject]:
        yield task_event(task_form(standing, self._dialect), self._dialect)
        if self._dialect == "0.3":
            yield status_event(standing, self._dialect)

    async def _followed(self, standing: StandingTask) -> AsyncGenerator[JsonObject]:
        """Yield a task that works, the pieces of its reply as its sender hears them, and how it rests."""
        yield task_event(task_form(standing, self._dialect), self._dialect)
        pieces = Pieces(standing, self._dialect)
        task_id = standing.task.task_id
        session = SessionRef(self._tenant_id, self._project_id, standing.task.session_id)
        after: int | None = None
        async with asyncio.timeout(WORKS_MAX_S):
            while (standing := await self._look(task_id)).task.state == WORKING:
                with suppress(NotFound):  # the session of a task that was just taken
                    if after is None:
                        view = await self._services.runtime.session(session)
                        last = int(view.detail.get("lastSeq", 0))
                        after = last if view.held_after is None else view.held_after
                    async with aclosing(_from_first(self._services.runtime.resume(session, after), None)) as events:
                        async for event in events:
                            after = max(after, event.seq)
                            if event.data.get("messageId") != standing.task.answer_id:
                                continue  # of another turn of the session
                            for told in pieces.of(event):
                                yield told
                            if event.kind in TURN_ENDS:
                                break
                await asyncio.sleep(LOOK_EVERY_S)
        if standing.reply and standing.reply != pieces.text:
            reply = (standing.reply_id, standing.reply)
            yield artifact_event(standing, *reply, self._dialect, appends=False, is_last=True)
        yield status_event(standing, self._dialect)

    async def _events(
        self, task_id: str, events: AsyncIterator[StreamEvent], first: StreamEvent | None
    ) -> AsyncGenerator[JsonObject]:
        """Yield the events of a task while its turn runs: itself, the pieces of its reply, how it rests."""
        standing = await self._look(task_id)
        working = StandingTask(msgspec.structs.replace(standing.task, state=WORKING), standing.lines)
        yield task_event(task_form(working, self._dialect, with_artifacts=False), self._dialect)
        pieces = Pieces(working, self._dialect)
        async for event in _from_first(events, first):
            for told in pieces.of(event):
                yield told
            if event.kind == "complete":
                whole = event.data["response"]
                if whole != pieces.text:
                    answer_id = standing.task.answer_id
                    yield artifact_event(working, answer_id, whole, self._dialect, appends=False, is_last=True)
                break
            if event.kind == "error":
                await self._fail(task_id)
                break
        yield status_event(await self._look(task_id), self._dialect)


async def _from_first(events: AsyncIterator[StreamEvent], first: StreamEvent | None) -> AsyncGenerator[StreamEvent]:
    try:
        if first is not None:
            yield first
        async for event in events:
            yield event
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
