"""What all routes share that send a message to an agent: project, session, count. Spec: platform-api 2.4, 4.1."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import NamedTuple

import msgspec
from starlette.requests import Request

from actors.counters import Taken
from actors.runtime import Caller, ChatTurn, NewSession, SessionRef
from domain.errors import Forbidden, NotFound
from domain.permissions import Permission
from gateway.access import RATE, Admission
from gateway.auth.public_keys import check_may_chat
from gateway.sdk_sessions import check_own_session, session_to_speak_in
from gateway.services import Services
from gateway.throttle import RateExceeded, tightest


class Target(NamedTuple):
    """Where a message goes; empty means that nothing is asked for.

    Attributes:
        opens: What the message opens the session as, where it is not there yet.
    """

    session_id: str = ""
    deployment_id: str = ""
    environment: str = ""
    opens: NewSession | None = None


async def check_chat_project(services: Services, admitted: Admission, project_id: str) -> None:
    """Refuse a project that the caller cannot see, or may not chat in. Raises NotFound, Forbidden."""
    try:
        await services.gate.check_project(admitted.caller, project_id, Permission.SESSION_EXECUTE)
    except NotFound as error:
        raise NotFound("Project not found or has no agents") from error


async def target_of(services: Services, admitted: Admission, project_id: str, asked: Target) -> Target:
    """Return where the message goes: of an SDK caller to its own session, on what its key is bound to.

    Raises:
        NotFound: An SDK caller names another session.
        Overloaded: The session of an SDK caller is not there yet, and would be one too many.
        Forbidden: The key of the page is not for chat, or an API key runs nothing in that environment.
    """
    if admitted.claims is None or admitted.key is None:
        return await bound_target(services, admitted.caller, project_id, asked)
    check_may_chat(admitted.key)
    if asked.session_id:
        check_own_session(services, admitted, asked.session_id)
    own, opens = await session_to_speak_in(services, admitted.claims, admitted.key, "http")
    return Target(own, admitted.key.deployment_id, admitted.key.environment, opens)


async def bound_target(services: Services, caller: Caller, project_id: str, asked: Target) -> Target:
    """Return the target that a key asks for: of one that is bound to environments, within these. Spec: 2.3, 14.4.

    Raises:
        NotFound: There is no such session or deployment.
        Forbidden: It is in another environment.
    """
    if not caller.environments:
        return asked
    if asked.session_id:
        session = SessionRef(caller.tenant_id, project_id, asked.session_id)
        environment = (await services.runtime.session(session)).environment
    elif asked.deployment_id:
        environment = await services.desks.keys.environment_of(caller.tenant_id, project_id, asked.deployment_id)
    else:
        environment = asked.environment or caller.environments[0]
        asked = asked._replace(environment=environment)
    if environment not in caller.environments:
        raise Forbidden("This API key is for other environments")
    return asked


async def counted_turn(request: Request, services: Services, turn: ChatTurn) -> ChatTurn:
    """Count the message of a session, and the session that it opens: its id is in the turn returned, chosen if need be.

    Raises:
        Overloaded: It is a message or a session too many.
    """
    if not turn.session_id:
        await services.throttle.new_session(turn.tenant_id, turn.project_id)
        opened = turn.new_session_id or services.runtime.new_session_id(turn)
        turn = msgspec.structs.replace(turn, new_session_id=opened)
    named = turn.session_id or turn.new_session_id
    await count_message(request, services, turn.tenant_id, named, turn.project_id)
    return turn


async def count_message(request: Request, services: Services, tenant_id: str, session_id: str, project_id: str) -> None:
    """Count a message of a session. Raises Overloaded."""
    await counted(request, services.throttle.session_message(tenant_id, session_id, project_id))


async def counted(request: Request, counting: Awaitable[Taken | None]) -> None:
    """Count a request against one limit more: its headers describe whichever is tightest. Raises Overloaded."""
    try:
        taken = await counting
    except RateExceeded as excess:
        request.scope[RATE] = excess.taken
        raise
    request.scope[RATE] = tightest([request.scope[RATE], taken])
