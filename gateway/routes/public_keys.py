"""The public keys of a project: what its pages may carry. Spec: platform-api 2.1, 12.8, 14.4."""

from __future__ import annotations

from actors.runtime import Caller
from domain import limits
from domain.keys import NewPublicKey
from gateway.access import Admitted
from gateway.audited import Asking
from gateway.bodies.keys import (
    MadePublicKeyReply,
    PublicKeyBody,
    PublicKeyListReply,
    PublicKeyPatch,
    PublicKeyReply,
    RevokedReply,
    changes_of,
    made_public_key,
    public_key_item,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.routes.api_keys import CREATED, MAKER, READER, WRITER, check_environments, future
from gateway.services import Services, Serving

router = guarded_router("/api/projects/{project_id}/public-keys", "keys")


@router.get("", response_model=PublicKeyListReply, dependencies=[READER])
async def list_public_keys(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> PublicKeyListReply:
    """Return the public keys of a project, revoked ones too, the newest first."""
    tenant_id = admitted.caller.tenant_id
    keys, total = await services.desks.keys.public_keys(tenant_id, project_id, limit=limit, offset=offset)
    return PublicKeyListReply(
        keys=[public_key_item(one) for one in keys], pagination=Totals(total=total, limit=limit, offset=offset)
    )


@router.post("", status_code=CREATED, response_model=MadePublicKeyReply, dependencies=[MAKER])
async def make_public_key(
    project_id: str, body: PublicKeyBody, admitted: Admitted, asking: Asking, services: Serving
) -> MadePublicKeyReply:
    """Make a public key and show it, this once."""
    wanted = NewPublicKey(**changes_of(body))
    future(body.expires_at, services.clock.now())
    await check_target(services, admitted.caller, project_id, wanted.environment, wanted.deployment_id)
    tenant_id = admitted.caller.tenant_id
    return made_public_key(await services.desks.keys.make_public(tenant_id, project_id, wanted, asking))


@router.patch("/{key_id}", response_model=PublicKeyReply, dependencies=[WRITER])
async def change_public_key(
    project_id: str, key_id: QueryText, body: PublicKeyPatch, admitted: Admitted, asking: Asking, services: Serving
) -> PublicKeyReply:
    """Change a public key; its open sockets are checked again."""
    tenant_id, changes = admitted.caller.tenant_id, changes_of(body)
    future(body.expires_at, services.clock.now())
    if changes.get("name") == "":
        del changes["name"]  # a name cannot be cleared
    if {"environment", "deployment_id"} & set(changes):
        target = changes.get("environment", ""), changes.get("deployment_id", "")
        await check_target(services, admitted.caller, project_id, *target)
    key = await services.desks.keys.change_public(tenant_id, project_id, key_id, changes, asking)
    services.public_keys.changed(tenant_id, key.id)
    return PublicKeyReply(key=public_key_item(key))


@router.delete("/{key_id}", response_model=RevokedReply, dependencies=[WRITER])
async def revoke_public_key(
    project_id: str, key_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> RevokedReply:
    """Revoke a public key: it opens nothing from now on, and its sockets close."""
    tenant_id = admitted.caller.tenant_id
    await services.desks.keys.revoke_public(tenant_id, project_id, key_id, asking)
    services.public_keys.changed(tenant_id, key_id)
    return RevokedReply(id=key_id)


async def check_target(services: Services, who: Caller, project_id: str, environment: str, deployment_id: str) -> None:
    """Refuse agents that a caller of some environments may not run. Raises NotFound, Forbidden."""
    if not who.environments:
        return
    if deployment_id:
        environment = await services.desks.keys.environment_of(who.tenant_id, project_id, deployment_id)
    check_environments(who, (environment,) if environment else ())
