"""Sessions opened under a name, within the number that a tenant may have at once. Spec: platform-api 2.5, 4.1."""

from __future__ import annotations

from actors.runtime import NewSession, SessionView
from domain.errors import Overloaded
from gateway.services import Services


async def opened_session(services: Services, wanted: NewSession) -> SessionView:
    """Return the session of a name, opening it the first time; one that is there is not counted again.

    Raises:
        Overloaded: The tenant has as many active sessions as it may, and this would be one more.
    """
    try:
        await services.throttle.new_session(wanted.tenant_id, wanted.project_id)
    except Overloaded:
        if not await services.runtime.is_open(wanted):
            raise
    return await services.runtime.create_session(wanted)
