"""Sessions that have a name: opened, and begun again when they are over, within the number that a tenant may have.

Spec: platform-api 2.5, 4.1.

A message opens the session of a name itself, once it is taken; only a socket opens one before anybody speaks.
Decision: 0060.
"""

from __future__ import annotations

from actors.runtime import NewSession, SessionRef
from domain.audit import Initiator
from domain.errors import Overloaded
from domain.request_keys import owned_key
from gateway.services import Services

ENDED = "ended"


async def counted_name(services: Services, wanted: NewSession) -> str:
    """Return the id of the session of a name, which a message may open; one that is there is not counted again.

    Raises:
        Overloaded: The tenant has as many active sessions as it may, and this would be one more.
    """
    try:
        await services.throttle.new_session(wanted.tenant_id, wanted.project_id)
    except Overloaded:
        if not await services.runtime.is_open(wanted):
            raise
    return services.runtime.named_session_id(wanted)


async def begin_again(services: Services, session: SessionRef, asking: Initiator, protocol: str) -> None:
    """Put a session that has ended back to its start, once for each time that it was over; others are left as they are.

    Raises:
        NotFound: There is no such session.
        Overloaded: The tenant has as many active sessions as it may.
    """
    view = await services.runtime.session(session)
    if view.status == ENDED:
        await services.throttle.new_session(session.tenant_id, session.project_id)
        await services.runtime.reset_session(session, owned_key("reset", protocol, view.runtime_session_id))
        await services.desks.audit.note_session(session, "reset", asking)
