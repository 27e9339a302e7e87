"""SDK channels: under which name and look a page or an app reaches which deployment. Spec: platform-api 6.6."""

from __future__ import annotations

from actors.runtime import Caller
from domain import limits
from domain.json_values import JsonObject
from domain.permissions import Permission
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.sdk_channels import (
    ChannelChangeBody,
    ChannelListReply,
    ChannelReply,
    NewChannelBody,
    channel_item,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import DeletedReply, Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.routes.public_keys import check_target
from gateway.services import Services, Serving

CREATED = 201
READER = caller("api_key", "user", permission=Permission.CHANNEL_READ)

router = guarded_router("/api/projects/{project_id}/sdk-channels", "sdk-channels")


@router.get("", response_model=ChannelListReply, dependencies=[READER])
async def list_channels(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> ChannelListReply:
    """Return the channels of a project, the oldest first."""
    page = await services.desks.channels.list(admitted.caller.tenant_id, project_id, limit=limit, offset=offset)
    return ChannelListReply(
        channels=[channel_item(one) for one in page.rows],
        pagination=Totals(total=page.total, limit=limit, offset=offset),
    )


@router.post(
    "",
    status_code=CREATED,
    response_model=ChannelReply,
    dependencies=[caller("api_key", "user", permission=Permission.CHANNEL_CREATE, replay="reply")],
)
async def create_channel(
    project_id: str, body: NewChannelBody, admitted: Admitted, asking: Asking, services: Serving
) -> ChannelReply:
    """Make a channel for a public key of the project."""
    target = body.environment or "", body.deployment_id or ""
    await check_target(services, admitted.caller, project_id, *target)
    made = await services.desks.channels.create(admitted.caller.tenant_id, project_id, body.fields(), asking)
    return ChannelReply(channel=channel_item(made))


@router.get("/{channel_id}", response_model=ChannelReply, dependencies=[READER])
async def get_channel(project_id: str, channel_id: QueryText, admitted: Admitted, services: Serving) -> ChannelReply:
    """Return a channel."""
    found = await services.desks.channels.get(admitted.caller.tenant_id, project_id, channel_id)
    return ChannelReply(channel=channel_item(found))


@router.patch(
    "/{channel_id}",
    response_model=ChannelReply,
    dependencies=[caller("api_key", "user", permission=Permission.CHANNEL_UPDATE)],
)
async def change_channel(
    project_id: str,
    channel_id: QueryText,
    body: ChannelChangeBody,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
) -> ChannelReply:
    """Change a channel; what is not given stays."""
    changes = body.changed()
    await _check_channel(services, admitted.caller, project_id, channel_id, changes)
    changed = await services.desks.channels.change(admitted.caller.tenant_id, project_id, channel_id, changes, asking)
    return ChannelReply(channel=channel_item(changed))


@router.delete(
    "/{channel_id}",
    response_model=DeletedReply,
    dependencies=[caller("api_key", "user", permission=Permission.CHANNEL_DELETE)],
)
async def delete_channel(
    project_id: str, channel_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Delete a channel."""
    await _check_channel(services, admitted.caller, project_id, channel_id, {})
    await services.desks.channels.remove(admitted.caller.tenant_id, project_id, channel_id, asking)
    return DeletedReply()


async def _check_channel(
    services: Services, who: Caller, project_id: str, channel_id: str, changes: JsonObject
) -> None:
    """Refuse a channel that reaches, or is to reach, agents that a caller of some environments may not run.

    Raises:
        NotFound: There is no such channel or deployment.
        Forbidden: It is in another environment.
    """
    if not who.environments:
        return
    found = await services.desks.channels.get(who.tenant_id, project_id, channel_id)
    before: JsonObject = {"environment": found.environment, "deployment_id": found.deployment_id}
    for target in (before, {**before, **changes}):
        await check_target(services, who, project_id, target["environment"] or "", target["deployment_id"] or "")
