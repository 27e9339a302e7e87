"""One token family, one session: which session an SDK caller speaks in. Spec: platform-api 2.4, 12.1.

No table joins the two. The session is opened under a name made from the family, so every gateway finds the same one,
before and after a crash; by a socket, else by the first message that is taken. A family whose session was deleted gets
no other one. Decisions: 0060, 0069.
"""

from __future__ import annotations

from actors.runtime import NewSession, SessionRef
from domain.errors import NotFound
from domain.permissions import Permission, insufficient
from gateway.access import Admission
from gateway.auth.public_keys import MAY_NAME_AGENTS, PublicKey
from gateway.auth.sdk_tokens import SdkClaims
from gateway.opening import counted_name
from gateway.services import Services


def _wanted(claims: SdkClaims, key: PublicKey, transport: str) -> NewSession:
    return NewSession(
        tenant_id=claims.tenant_id,
        project_id=claims.project_id,
        agent=claims.agent,  # none named: the entry agent of what the key is bound to. Spec: platform-api 4.1
        environment=key.environment,
        deployment_id=key.deployment_id,
        channel="api",
        transport=transport,
        user_id=claims.subject,
        user_kind="sdk",
        caller=claims.user,
        name=f"sdk-family:{claims.family}",
        is_once=True,
    )


def check_own_session(services: Services, admission: Admission, session_id: str) -> None:
    """Refuse an SDK caller a session that is not its family's, whether that is there or not. Raises NotFound."""
    claims, key = admission.claims, admission.key
    if claims is None or key is None:
        return
    own = claims.session_id or services.runtime.named_session_id(_wanted(claims, key, "http"))
    if session_id != own:
        raise NotFound("Session not found")


async def session_to_speak_in(
    services: Services, claims: SdkClaims, key: PublicKey, transport: str
) -> tuple[str, NewSession | None]:
    """Return the session of a family, and what a message opens it as where it is not there (or was removed: 0060).

    Raises:
        Overloaded: It is not there, and would be one too many.
        Forbidden: It is not there, and its page has named an agent, which the key allows no more.
    """
    wanted = _wanted(claims, key, transport)
    if claims.session_id and claims.session_id != services.runtime.named_session_id(wanted):
        return claims.session_id, None
    if claims.session_id and await services.runtime.is_open(wanted):
        return claims.session_id, wanted
    if claims.agent and not key.allow_agent_override:
        raise insufficient(MAY_NAME_AGENTS)
    return await counted_name(services, wanted), wanted


async def visible_session(
    services: Services, admission: Admission, session_id: str, permission: Permission, project_id: str = ""
) -> SessionRef:
    """Return the session a caller names: for an SDK caller its own only, for a user one of a project of the user's.

    Raises:
        NotFound: The caller cannot see it.
        Forbidden: The user lacks the permission in its project.
    """
    caller = admission.caller
    if caller.projects is not None and not project_id:
        found = await services.desks.insight.resolve(SessionRef(caller.tenant_id, "", session_id))
        try:
            await services.gate.check_project(caller, found.project_id, permission)
        except NotFound as error:
            raise NotFound("Session not found") from error
        return found
    check_own_session(services, admission, session_id)
    return SessionRef(caller.tenant_id, project_id or caller.project_id, session_id)
