"""One token family, one session: which session an SDK caller speaks in. Spec: platform-api 2.4, 12.1.

No table joins the two. The session is opened under a name made from the family, so every gateway finds the same one,
before and after a crash.
"""

from __future__ import annotations

from actors.runtime import NewSession, SessionRef
from domain.errors import NotFound
from domain.permissions import Permission
from gateway.access import Admission
from gateway.auth.public_keys import PublicKey
from gateway.auth.sdk_tokens import SdkClaims
from gateway.opening import opened_session
from gateway.services import Services

ENTRY_AGENT = ""
"""No agent named: the runtime takes the entry agent of what the key is bound to. Spec: platform-api 4.1."""


async def open_session(services: Services, claims: SdkClaims, key: PublicKey, transport: str) -> str:
    """Return the session of a family, opening it the first time. Raises Overloaded when that is one too many."""
    if claims.session_id:
        return claims.session_id
    wanted = NewSession(
        tenant_id=claims.tenant_id,
        project_id=claims.project_id,
        agent=ENTRY_AGENT,
        environment=key.environment,
        deployment_id=key.deployment_id,
        channel="api",
        transport=transport,
        user_id=claims.subject,
        user_kind="sdk",
        caller=claims.user,
        name=f"sdk-family:{claims.family}",
    )
    return (await opened_session(services, wanted)).id


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
    if admission.claims is not None and admission.key is not None:
        own = await open_session(services, admission.claims, admission.key, "http")
        if session_id != own:
            raise NotFound("Session not found")
    return SessionRef(caller.tenant_id, project_id or caller.project_id, session_id)
