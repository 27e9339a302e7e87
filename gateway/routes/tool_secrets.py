"""`/api/tool-secrets`: secrets of tools, sealed as they come in and never shown again. Spec: platform-api 7.2."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from domain import limits
from domain.errors import NotFound
from domain.permissions import Permission
from gateway import bounds
from gateway.access import Admission, Admitted, caller
from gateway.audited import Asking
from gateway.bodies.texts import QueryText
from gateway.bodies.tool_secrets import (
    CreatedSecretReply,
    NewSecretBody,
    RotatedSecretBody,
    RotatedSecretReply,
    SecretListReply,
    checked_value,
    created_secret,
    new_secret,
    rotated_secret,
    secret_item,
)
from gateway.envelope import PageLimit, Success
from gateway.guarded import guarded_router
from gateway.routes.api_keys import check_environments
from gateway.services import Services, Serving

CREATED = 201
NO_SECRET = "Secret not found"
FIRST_PAGE = 1
LAST_PAGE = bounds.OFFSET_MAX // limits.PAGE_LIMIT_MAX

router = guarded_router("/api/tool-secrets", "tool secrets")


@router.post(
    "",
    status_code=CREATED,
    response_model=CreatedSecretReply,
    dependencies=[caller("api_key", "user", permission=Permission.CREDENTIAL_WRITE, replay="reply")],
)
async def create_tool_secret(
    body: NewSecretBody, admitted: Admitted, asking: Asking, services: Serving
) -> CreatedSecretReply:
    """Keep a secret of a tool; from the next call on, the tool can use it."""
    wanted = new_secret(body, services.clock.now())
    await services.gate.check_project(admitted.caller, wanted.project_id, Permission.CREDENTIAL_WRITE)
    check_environments(admitted.caller, (wanted.environment,))
    made = await services.desks.tool_secrets.create(admitted.caller.tenant_id, wanted, asking)
    return CreatedSecretReply(secret=created_secret(made))


@router.get(
    "",
    response_model=SecretListReply,
    dependencies=[caller("api_key", "user", permission=Permission.CREDENTIAL_READ)],
)
async def list_tool_secrets(
    admitted: Admitted,
    services: Serving,
    project_id: Annotated[QueryText, Query(alias="projectId", min_length=1)],
    tool_name: Annotated[QueryText, Query(alias="toolName")] = "",
    environment: QueryText = "",
    page: Annotated[int, Query(ge=FIRST_PAGE, le=LAST_PAGE)] = FIRST_PAGE,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
) -> SecretListReply:
    """Return the secrets of a project without their values, the oldest first."""
    await services.gate.check_project(admitted.caller, project_id, Permission.CREDENTIAL_READ)
    found = await services.desks.tool_secrets.list(
        admitted.caller.tenant_id,
        project_id,
        tool_name=tool_name,
        environment=environment,
        limit=limit,
        offset=(page - FIRST_PAGE) * limit,
    )
    rows = [secret_item(one) for one in found.rows]
    return SecretListReply(secrets=rows, total=found.total, page=page, limit=limit)


@router.put(
    "/{secret_id}",
    response_model=RotatedSecretReply,
    dependencies=[caller("api_key", "user", permission=Permission.CREDENTIAL_WRITE)],
)
async def rotate_tool_secret(
    secret_id: str, body: RotatedSecretBody, admitted: Admitted, asking: Asking, services: Serving
) -> RotatedSecretReply:
    """Put another value in the place of the last one, under the next version."""
    value = checked_value(body.value)
    await _check_changeable(services, admitted, secret_id)
    rotated = await services.desks.tool_secrets.rotate(admitted.caller.tenant_id, secret_id, value, asking)
    return RotatedSecretReply(secret=rotated_secret(rotated))


@router.delete(
    "/{secret_id}",
    response_model=Success,
    dependencies=[caller("api_key", "user", permission=Permission.CREDENTIAL_WRITE)],
)
async def delete_tool_secret(secret_id: str, admitted: Admitted, asking: Asking, services: Serving) -> Success:
    """Delete a secret for good; the next call of its tool does without."""
    await _check_changeable(services, admitted, secret_id)
    await services.desks.tool_secrets.remove(admitted.caller.tenant_id, secret_id, asking)
    return Success()


async def _check_changeable(services: Services, admitted: Admission, secret_id: str) -> None:
    """Refuse a secret of a project that the caller cannot see, or of an environment that its key is not for.

    Raises:
        NotFound: There is none, or it is of such a project.
        Forbidden: The user lacks the permission there, or the key is for other environments.
    """
    found = await services.desks.tool_secrets.find(admitted.caller.tenant_id, secret_id)
    try:
        await services.gate.check_project(admitted.caller, found.project_id, Permission.CREDENTIAL_WRITE)
    except NotFound as error:
        raise NotFound(NO_SECRET) from error
    check_environments(admitted.caller, (found.environment,))
