"""API keys of a tenant and of its projects: seen, made, rotated, revoked. Spec: platform-api 2.3, 14.4."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

from fastapi import Query

from actors.runtime import Caller
from domain import limits
from domain.errors import Forbidden, InvalidInput, NotFound
from domain.keys import ApiKeyView, NewApiKey
from domain.permissions import Permission, beyond, insufficient
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.keys import (
    ApiKeyBody,
    ApiKeyListReply,
    MadeApiKeyReply,
    RevokedReply,
    RotateBody,
    api_key_item,
    made_api_key,
)
from gateway.bodies.moments import utc_moment
from gateway.bodies.texts import QueryText
from gateway.envelope import Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.services import Services, Serving
from gateway.visible import sees_whole_tenant, visible_projects

CREATED = 201
NO_KEY = "API key not found"
READER = caller("api_key", "user", permission=Permission.APIKEY_READ)
WRITER = caller("api_key", "user", permission=Permission.APIKEY_WRITE)
MAKER = caller("api_key", "user", permission=Permission.APIKEY_WRITE, replay="reply")

router = guarded_router("/api/api-keys", "keys")


@router.get("", response_model=ApiKeyListReply, dependencies=[READER])
async def list_api_keys(
    admitted: Admitted,
    services: Serving,
    project_id: Annotated[QueryText, Query(alias="projectId")] = "",
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> ApiKeyListReply:
    """Return the API keys that the caller may see, revoked ones too, the newest first."""
    projects = visible_projects(admitted.caller, Permission.APIKEY_READ)
    if project_id:
        await services.gate.check_project(admitted.caller, project_id, Permission.APIKEY_READ)
        projects = (project_id,)
    keys, total = await services.desks.keys.api_keys(admitted.caller.tenant_id, projects, limit=limit, offset=offset)
    return ApiKeyListReply(
        keys=[api_key_item(one) for one in keys], pagination=Totals(total=total, limit=limit, offset=offset)
    )


@router.post("", status_code=CREATED, response_model=MadeApiKeyReply, dependencies=[MAKER])
async def make_api_key(body: ApiKeyBody, admitted: Admitted, asking: Asking, services: Serving) -> MadeApiKeyReply:
    """Make an API key and show its secret, this once; nobody gives a key more than they may themselves."""
    who = admitted.caller
    if body.project_id is not None:
        await services.gate.check_project(who, body.project_id, Permission.APIKEY_WRITE)
    elif not sees_whole_tenant(who):
        raise Forbidden("A key for all projects is made by those who see all")
    if lacking := beyond(who.permissions_in(body.project_id or ""), body.scopes):
        raise insufficient(*lacking)
    check_environments(who, body.environments)
    wanted = NewApiKey(
        name=body.name,
        scopes=tuple(dict.fromkeys(body.scopes)),
        project_id=body.project_id,
        environments=tuple(dict.fromkeys(body.environments)),
        expires_at=future(body.expires_at, services.clock.now()),
    )
    return made_api_key(await services.desks.keys.make(who.tenant_id, wanted, asking))


@router.delete("/{key_id}", response_model=RevokedReply, dependencies=[WRITER])
async def revoke_api_key(key_id: QueryText, admitted: Admitted, asking: Asking, services: Serving) -> RevokedReply:
    """Revoke an API key: it opens nothing from now on."""
    key = await _visible(services, admitted.caller, key_id)
    await services.desks.keys.revoke(admitted.caller.tenant_id, key.id, asking)
    services.api_keys.forget(admitted.caller.tenant_id, key.id)
    return RevokedReply(id=key.id)


@router.post("/{key_id}/rotate", response_model=MadeApiKeyReply, dependencies=[MAKER])
async def rotate_api_key(
    key_id: QueryText, admitted: Admitted, asking: Asking, services: Serving, body: RotateBody | None = None
) -> MadeApiKeyReply:
    """Give an API key a new secret and show it, this once; the old one works for `graceSec` more."""
    who = admitted.caller
    key = await _visible(services, who, key_id)
    check_environments(who, key.environments)
    granted = who.permissions_in(key.project_id or "")
    grace_s = body.grace_sec if body is not None else 0
    made = await services.desks.keys.rotate(who.tenant_id, key.id, grace_s=grace_s, granted=granted, by=asking)
    services.api_keys.forget(who.tenant_id, key.id)
    return made_api_key(made)


async def _visible(services: Services, who: Caller, key_id: str) -> ApiKeyView:
    """Return a key that the caller may change. Raises NotFound."""
    key = await services.desks.keys.api_key(who.tenant_id, key_id)
    projects = visible_projects(who, Permission.APIKEY_WRITE)
    if projects is not None and key.project_id not in projects:
        raise NotFound(NO_KEY)
    return key


def check_environments(who: Caller, wanted: Iterable[str]) -> None:
    """Refuse a key for more environments than the caller's own; none is all of them. Raises Forbidden."""
    asked = frozenset(wanted)
    if who.environments and (not asked or not asked <= frozenset(who.environments)):
        beyond_own = sorted(asked - frozenset(who.environments))
        raise insufficient(f"an API key for {', '.join(beyond_own) or 'all environments'}")


def future(text: str | None, now: datetime) -> datetime | None:
    """Return the moment of a text. Raises InvalidInput when it has passed."""
    if text is None:
        return None
    moment = utc_moment(text)
    if moment <= now:
        fields = [{"path": "/expiresAt", "message": "must be in the future"}]
        raise InvalidInput("Invalid request", details={"fields": fields})
    return moment
