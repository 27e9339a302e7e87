"""Variables of projects: what `{{env.KEY}}` and `{{config.KEY}}` stand for. Spec: platform-api 6.5."""

from __future__ import annotations

from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.texts import QueryText
from gateway.bodies.variables import (
    Environment,
    Kind,
    VariableBody,
    VariableListReply,
    VariableReply,
    variable_item,
)
from gateway.envelope import DeletedReply
from gateway.guarded import guarded_router
from gateway.routes.api_keys import check_environments
from gateway.services import Serving

READER = caller("api_key", "user", permission=Permission.VARIABLE_READ)
WRITER = caller("api_key", "user", permission=Permission.VARIABLE_WRITE)

router = guarded_router("/api/projects/{project_id}/variables", "variables")


@router.get("", response_model=VariableListReply, dependencies=[READER])
async def list_variables(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    kind: Kind | None = None,
    environment: Environment | None = None,
) -> VariableListReply:
    """Return the variables of a project; of secret ones no value."""
    found = await services.desks.variables.list(
        admitted.caller.tenant_id, project_id, kind=kind, environment=environment
    )
    return VariableListReply(variables=[variable_item(one) for one in found])


@router.put("", response_model=VariableReply, dependencies=[WRITER])
async def put_variable(
    project_id: str, body: VariableBody, admitted: Admitted, asking: Asking, services: Serving
) -> VariableReply:
    """Write a variable; one that has this kind, key and environment gets the new value.

    One of `base`, as all config variables are, holds in every environment: keys for some of them may not change it.
    """
    check_environments(admitted.caller, (body.environment,))
    kept = await services.desks.variables.put(admitted.caller.tenant_id, project_id, body.wanted(), asking)
    return VariableReply(variable=variable_item(kept))


@router.delete("/{variable_id}", response_model=DeletedReply, dependencies=[WRITER])
async def delete_variable(
    project_id: str, variable_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Delete a variable."""
    who = admitted.caller
    if who.environments:
        found = await services.desks.variables.get(who.tenant_id, project_id, variable_id)
        check_environments(who, (found.environment,))
    await services.desks.variables.remove(admitted.caller.tenant_id, project_id, variable_id, asking)
    return DeletedReply()
