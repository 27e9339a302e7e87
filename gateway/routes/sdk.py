"""The bootstrap of web and mobile clients: a public key becomes a token. Spec: platform-api 12.1, 12.2."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlsplit

from fastapi import Response
from starlette.requests import Request

from actors.runtime import SessionRef
from domain import limits
from domain.errors import NotFound, Unauthenticated
from domain.permissions import insufficient
from gateway.access import Admission, Admitted, bootstrap, caller
from gateway.addresses import address_of
from gateway.asking import counted
from gateway.auth.public_keys import MAY_NAME_AGENTS, PublicKey
from gateway.auth.sdk_tokens import SdkClaims
from gateway.bodies.sdk import SdkInitBody, SdkInitReply, SdkTokenReply, SdkUser, TicketReply
from gateway.bodies.widget import WidgetReply, widget_reply
from gateway.errors import missing
from gateway.guarded import guarded_router
from gateway.services import Services, Serving

SOCKET_PATH = "/ws/sdk"
SOCKET_SCHEMES = {"http": "ws", "https": "wss"}
NOBODY = "anonymous"
WIDGET_CACHED = "private, max-age=60"

router = guarded_router("/api/v1/sdk", "sdk")


@router.post("/init", response_model=SdkInitReply, dependencies=[bootstrap()])
async def init(body: SdkInitBody, request: Request, admitted: Admitted, services: Serving) -> SdkInitReply:
    """Exchange a public key for a short-lived token; a resume token leads back to the session it came from.

    A session that begins under the token begins with the agent of `agentId`, where the key may name agents.
    """
    key = _key(admitted)
    project_id = await _project(body, key, admitted, services)
    if body.channel_id not in (None, key.channel_id) or body.channel_name not in (None, key.channel_name):
        raise NotFound("Channel not found")
    if body.agent_id is not None and not key.allow_agent_override:
        raise insufficient(MAY_NAME_AGENTS)
    claims = await _claims(body, key, project_id, services)
    return SdkInitReply(
        token=services.sdk_tokens.make(claims),
        expires_in=limits.SDK_TOKEN_S,
        tenant_id=key.tenant_id,
        project_id=project_id,
        channel_id=key.channel_id or None,
        permissions=list(claims.permissions),
        show_activity_updates=key.show_activity_updates,
        session_id=claims.session_id or None,
        ws_url=_socket_url(request, services),
    )


@router.get("/config/{project_id}", response_model=WidgetReply, dependencies=[caller("public_key")])
async def widget_config(project_id: str, admitted: Admitted, services: Serving, response: Response) -> WidgetReply:
    """Return how the widget of a page looks, and what its key allows."""
    key = _key(admitted)
    kept = await services.desks.channels.widget(key.tenant_id, key.id)
    response.headers["Cache-Control"] = WIDGET_CACHED
    return widget_reply(key, project_id, kept)


async def _project(body: SdkInitBody, key: PublicKey, admitted: Admission, services: Services) -> str:
    """Return the project that the page speaks to; a key of the whole tenant has to be told which."""
    if not key.project_id and body.project_id is None:
        raise missing("Invalid request", "projectId")
    if key.project_id and body.project_id not in (None, key.project_id):
        raise NotFound("Project not found")
    project_id = body.project_id or key.project_id
    await services.gate.check_project(admitted.caller, project_id)
    return project_id


async def _claims(body: SdkInitBody, key: PublicKey, project_id: str, services: Services) -> SdkClaims:
    if body.resume_token is not None:
        claims = services.sdk_tokens.read_resume(body.resume_token, key, project_id)
        session = SessionRef(claims.tenant_id, claims.project_id, claims.session_id)
        with suppress(NotFound):  # nothing was said in it, or it was deleted: a page begins anew, as after an end
            if (await services.runtime.session(session, at_once=True)).status == "active":
                return claims
    user = body.user or SdkUser()
    return SdkClaims(
        tenant_id=key.tenant_id,
        project_id=project_id,
        key_id=key.id,
        family=services.ids.new("fam"),
        subject=user.id or NOBODY,
        agent=body.agent_id or "",
        user=user.as_caller(),
    )


def _key(admitted: Admission) -> PublicKey:
    if admitted.key is None:
        raise Unauthenticated("Invalid public key")
    return admitted.key


def _socket_url(request: Request, services: Services) -> str:
    """Return where a page opens its socket."""
    base = urlsplit(address_of(request, services))
    path = base.path.rstrip("/") + SOCKET_PATH
    return f"{SOCKET_SCHEMES.get(base.scheme, 'ws')}://{base.netloc}{path}"


@router.post(
    "/refresh",
    response_model=SdkTokenReply,
    dependencies=[caller("sdk", token_grace_s=limits.SDK_TOKEN_REFRESH_GRACE_S, replay="reply", repeatable=True)],
)
async def refresh(admitted: Admitted, services: Serving) -> SdkTokenReply:
    """Return a new token of the same family, also for one that expired within the last hour."""
    return SdkTokenReply(token=services.sdk_tokens.make(_sdk_claims(admitted)), expires_in=limits.SDK_TOKEN_S)


@router.post("/ws-ticket", response_model=TicketReply, dependencies=[caller("sdk", replay="reply", repeatable=True)])
async def make_ticket(request: Request, admitted: Admitted, services: Serving) -> TicketReply:
    """Return a ticket that opens one WebSocket within a minute."""
    claims = _sdk_claims(admitted)
    await services.throttle.check_tickets()
    await counted(request, services.throttle.socket_ticket(claims.tenant_id, claims.family, claims.project_id))
    return TicketReply(ticket=services.sdk_tokens.make_ticket(claims), expires_in=limits.TICKET_S)


def _sdk_claims(admitted: Admission) -> SdkClaims:
    if admitted.claims is None:
        raise Unauthenticated("Invalid token")
    return admitted.claims
