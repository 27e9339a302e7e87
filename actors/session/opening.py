"""How a session comes to be: what it is pinned to, and the fact it begins with. Spec: platform-api 3.1, 4.1."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from actors.messages import DelegateTask, RunTurn
from actors.runtime import ChatTurn, NewSession
from actors.session.family import waits_for
from actors.session.live import LiveSession
from actors.session.records import OWN_KEY, TurnOpening
from actors.session.repeating import spoken_id
from actors.session.services import Services
from actors.session.store import NewPin, SessionPin
from domain.clock import iso_ms
from domain.errors import InvalidInput, NotFound
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.limits import SESSION_IDLE_S
from domain.messages import ActionEvent
from engine import AnyFact, SessionBegun, TestContext, UserSpoke
from engine.program import AgentProgram

GUARDED = frozenset({"staging", "production"})
"""Environments in which nothing may be pretended. Spec: platform-api 4.1."""
_ACTION_FIELDS = {
    "actionId": "action_id",
    "value": "value",
    "source": "source",
    "formData": "form",
    "renderId": "render_id",
}


def found(live: LiveSession, tenant_id: str, project_id: str = "") -> LiveSession:
    """Return a session if the caller may know of it. Raises NotFound."""
    if live.pin.tenant_id != tenant_id or (project_id and live.pin.project_id != project_id):
        raise NotFound("Session not found")
    return live


def action_of(written: JsonObject | None) -> ActionEvent | None:
    """Return the button or form a turn brings, from its wire form.

    Raises:
        InvalidInput: It has no `actionId`, or a part of it is of another type.
    """
    if written is None:
        return None
    given = {_ACTION_FIELDS[name]: value for name, value in written.items() if name in _ACTION_FIELDS}
    try:
        return msgspec.convert(given, ActionEvent)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"action: {error}") from error


async def pin_of_turn(message: RunTurn, services: Services) -> NewPin:
    """Return the pin of a session that begins with a message. Raises NotFound: the message begins none."""
    asked = message.turn
    if message.new:
        return NewPin(await _pin(asked, asked.session_id, services), is_fresh=not message.may_be_known)
    if asked.opens is None:
        raise NotFound("Session not found")
    return await pin_of_new(asked.session_id, asked.opens, services)


async def pin_of_new(session_id: str, wanted: NewSession, services: Services) -> NewPin:
    """Return the pin of a session that is opened as it is wanted, without a message or with its first one."""
    pin = await _pin(wanted, session_id, services)
    pin = msgspec.structs.replace(pin, variables=wanted.variables, caller=wanted.caller)
    return NewPin(pin, is_named=bool(wanted.name), reopens=bool(wanted.name) and not wanted.is_once)


async def _pin(wanted: ChatTurn | NewSession, session_id: str, services: Services) -> SessionPin:
    chosen = await services.programs.choose(
        wanted.tenant_id,
        wanted.project_id,
        deployment_id=wanted.deployment_id,
        environment=wanted.environment,
        agent=wanted.agent,
    )
    if wanted.test_context is not None and chosen.environment in GUARDED:
        raise InvalidInput("testContext is for development only")
    program = await services.programs.get(wanted.tenant_id, wanted.project_id, chosen.program_id)
    execution: JsonObject = program.agents[chosen.entry_agent].ir.get("execution") or {}
    lifecycle: JsonObject = execution.get("sessionLifecycle") or {}
    own_idle_s = float(lifecycle.get("idleSeconds") or SESSION_IDLE_S)
    return SessionPin(
        tenant_id=wanted.tenant_id,
        project_id=wanted.project_id,
        session_id=session_id,
        runtime_session_id=services.ids.uuid(),
        program_id=chosen.program_id,
        entry_agent=chosen.entry_agent,
        channel=wanted.channel,
        transport=wanted.transport,
        environment=chosen.environment,
        deployment_id=chosen.deployment_id,
        user_id=wanted.user_id,
        user_kind=wanted.user_kind,
        contact_id=wanted.contact_id,
        created_at=iso_ms(services.clock.now()),
        idle_s=own_idle_s if own_idle_s != SESSION_IDLE_S else chosen.idle_s,  # the default stands in every program
        turn_s=chosen.turn_s,
        callback_s=chosen.callback_s,
        message_chars=chosen.message_chars,
        test_context=wanted.test_context,
    )


async def pin_of_child(task: DelegateTask, services: Services) -> NewPin:
    """Return the pin of a delegated child: it runs the program of its parent.

    Raises:
        NotFound: Its parent is gone, or waits for it no more.
    """
    parent = await services.store.load(task.tenant_id, task.parent_session_id)
    if parent is None or not await waits_for(parent, task.effect_key, services):
        raise NotFound("The delegating session waits for nothing of the kind")
    pin = msgspec.structs.replace(
        parent.pin,
        session_id=task.session_id,
        runtime_session_id=services.ids.uuid(),
        parent_session_id=task.parent_session_id,
        root_session_id=parent.pin.root_session_id or parent.pin.session_id,
        entry_agent=task.agent,
        transport="internal",
        created_at=iso_ms(services.clock.now()),
    )
    return NewPin(pin)


async def begun(
    live: LiveSession,
    services: Services,
    reply_id: str = "",
    asked: ChatTurn | None = None,
    *,
    agent: str = "",
    task: str = "",
    given: JsonObject | None = None,
) -> SessionBegun:
    """Return the fact a session begins with; `reply_id` is that of the message in which it answers.

    `asked` is the message it begins with: its agent, its test context, and its metadata, which the opening sees.

    Raises:
        InvalidInput: The test context does not have the form of platform-api 4.1.
    """
    pin = live.pin
    wanted = (asked.agent if asked is not None else agent) or pin.entry_agent
    written = asked.test_context if asked is not None and asked.test_context is not None else pin.test_context
    context = _test_context(with_mocks(written, pin.environment, services.mocks.tool_mocks), live.program.find(wanted))
    return SessionBegun(
        at=iso_ms(services.clock.now()),
        session_id=pin.session_id,
        project_id=pin.project_id,
        tenant_id=pin.tenant_id,
        user_id=pin.user_id,
        customer_id=pin.contact_id,
        agent=wanted,
        channel=pin.channel,
        caller=pin.caller,
        environment=await services.programs.environment(pin),
        has_model=await services.finds_model(pin),
        has_classifier=services.has_classifier,
        task=task,
        input={**pin.variables, **(given or {})},
        test_context=context,
        trace_prompts=context is not None,
        reply_id=reply_id,
        metadata=asked.metadata if asked is not None else {},
        with_message=asked is not None,
        may_wait=asked is None and not task,
        runs_once=asked is None and not task,
        earlier=asked.earlier if asked is not None else (),
    )


async def facts_of(
    live: LiveSession, asked: ChatTurn, services: Services, message_id: str
) -> list[tuple[AnyFact, TurnOpening]]:
    """Return the facts that a message is, with what each opens; the first of a session begins that too.

    Raises:
        InvalidInput: Its test context or its action has another form than platform-api 4.1 says, or it is too long.
    """
    if live.pin.message_chars and len(asked.message) > live.pin.message_chars:
        message = f"must have at most {live.pin.message_chars} characters in this project"
        raise InvalidInput("Invalid request", details={"fields": [{"path": "/message", "message": message}]})
    key, is_first = asked.idempotency_key, live.state is None
    spoke = UserSpoke(
        at=iso_ms(services.clock.now()),
        text=asked.message,
        message_id=spoken_id(live.pin.session_id, key) or services.ids.new(PREFIXES["message"]),
        metadata=asked.metadata,
        action=action_of(asked.action),
        agent="" if is_first else asked.agent,
        opening_unseen=is_first,
        unread=asked.unread,
        reply_id=message_id,
        attachments=asked.attachments,
    )
    kept_as = ("", "") if key.startswith(OWN_KEY) else (key, asked.request_hash)
    opening = TurnOpening("user", message_id, *kept_as, client_message_id=asked.client_message_id)
    said: tuple[AnyFact, TurnOpening] = (spoke, opening)
    if not is_first:
        return [said]
    return [(await begun(live, services, message_id, asked), TurnOpening("begin", message_id)), said]


def with_mocks(written: JsonObject | None, environment: str, installed: Sequence[JsonObject]) -> JsonObject | None:
    """Return a test context with the installation's mocks after its own: of a tool, the first that fits wins."""
    if not installed or environment in GUARDED:
        return written
    own = (written or {}).get("toolMocks") or []
    return {**(written or {}), "toolMocks": [*own, *installed]}


def _test_context(written: JsonObject | None, agent: AgentProgram | None) -> TestContext | None:
    if written is None:
        return None
    try:
        context = msgspec.convert(written, TestContext)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"testContext: {error}") from error
    if context.start_at_step and (agent is None or context.start_at_step not in agent.steps):
        message = "Unknown step in testContext.startAtStep"
        details = {"fields": [{"path": "/testContext/startAtStep", "message": message}]}
        raise InvalidInput(message, details=details)
    return context
