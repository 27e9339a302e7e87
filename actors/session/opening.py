"""How a session comes to be: what it is pinned to, and the fact it begins with. Spec: platform-api 3.1, 4.1."""

from __future__ import annotations

import msgspec

from actors.messages import DelegateTask, OpenSession
from actors.runtime import ChatTurn, NewSession
from actors.session.live import LiveSession
from actors.session.services import Services
from actors.session.store import SessionPin
from domain.clock import iso_ms
from domain.errors import InvalidInput, NotFound
from domain.json_values import JsonObject
from engine import SessionBegun, TestContext


def found(live: LiveSession, tenant_id: str, project_id: str = "") -> LiveSession:
    """Return a session if the caller may know of it. Raises NotFound."""
    if live.pin.tenant_id != tenant_id or (project_id and live.pin.project_id != project_id):
        raise NotFound("Session not found")
    return live


async def pin_of_turn(asked: ChatTurn, services: Services) -> SessionPin:
    """Return the pin of a session that begins with a message."""
    return await _pin(asked, asked.session_id, services)


async def pin_of_new(message: OpenSession, services: Services) -> SessionPin:
    """Return the pin of a session that is opened without a message."""
    pin = await _pin(message.wanted, message.session_id, services)
    return msgspec.structs.replace(pin, variables=message.wanted.variables)


async def _pin(wanted: ChatTurn | NewSession, session_id: str, services: Services) -> SessionPin:
    chosen = await services.programs.choose(
        wanted.tenant_id,
        wanted.project_id,
        deployment_id=wanted.deployment_id,
        environment=wanted.environment,
        agent=wanted.agent,
    )
    return SessionPin(
        tenant_id=wanted.tenant_id,
        project_id=wanted.project_id,
        session_id=session_id,
        runtime_session_id=services.ids.new(""),
        program_id=chosen.program_id,
        entry_agent=chosen.entry_agent,
        channel=wanted.channel,
        transport=wanted.transport,
        environment=chosen.environment,
        deployment_id=chosen.deployment_id,
        user_id=wanted.user_id,
        contact_id=wanted.contact_id,
        created_at=iso_ms(services.clock.now()),
        test_context=wanted.test_context,
    )


async def pin_of_child(task: DelegateTask, services: Services) -> SessionPin:
    """Return the pin of a delegated child: it runs the program of its parent."""
    parent = await services.store.load(task.tenant_id, task.parent_session_id)
    if parent is None:
        raise NotFound("The delegating session is gone")
    return msgspec.structs.replace(
        parent.pin,
        session_id=task.session_id,
        runtime_session_id=services.ids.new(""),
        parent_session_id=task.parent_session_id,
        root_session_id=parent.pin.root_session_id or parent.pin.session_id,
        entry_agent=task.agent,
        transport="internal",
        created_at=iso_ms(services.clock.now()),
    )


def begun(
    live: LiveSession, services: Services, *, agent: str = "", task: str = "", given: JsonObject | None = None
) -> SessionBegun:
    """Return the fact a session begins with.

    Raises:
        InvalidInput: The test context does not have the form of platform-api 4.1.
    """
    pin = live.pin
    test_context: TestContext | None = None
    if pin.test_context is not None:
        try:
            test_context = msgspec.convert(pin.test_context, TestContext)
        except msgspec.ValidationError as error:
            raise InvalidInput(f"testContext: {error}") from error
    return SessionBegun(
        at=iso_ms(services.clock.now()),
        session_id=pin.session_id,
        project_id=pin.project_id,
        tenant_id=pin.tenant_id,
        user_id=pin.user_id,
        customer_id=pin.contact_id,
        agent=agent or pin.entry_agent,
        channel=pin.channel,
        environment=services.programs.environment(pin),
        has_model=services.has_model,
        task=task,
        input={**pin.variables, **(given or {})},
        test_context=test_context,
    )
