"""Logging in and out, and the tokens in between. Spec: platform-api 2.1, 14.2."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi import Request

from domain.errors import InvalidInput, Unauthenticated
from gateway.access import REQUEST_ID, Admission, Admitted, anyone, caller
from gateway.audited import Asking
from gateway.auth.user_tokens import LoggedIn
from gateway.bodies.auth import (
    DoneReply,
    LoginBody,
    LoginReply,
    PasswordBody,
    RefreshBody,
    TokenReply,
    UserReply,
    user_item,
)
from gateway.envelope import ErrorBody, OverloadedBody
from gateway.gate import UNKNOWN_ADDRESS
from gateway.guarded import guarded_router
from gateway.services import Serving

REFUSED: dict[int | str, dict[str, Any]] = {
    401: {"model": ErrorBody, "description": "Invalid credentials, or a token that opens nothing more"},
    429: {"model": OverloadedBody, "description": "Too many attempts"},
}

router = guarded_router("/api/auth", "auth")


class Origin(NamedTuple):
    """Where a request comes from, as the audit log names it."""

    ip: str
    request_id: str


@router.post("/login", response_model=LoginReply, responses=REFUSED, dependencies=[anyone()])
async def log_in(body: LoginBody, request: Request, services: Serving) -> LoginReply:
    """Return tokens for an email and its password; each failure has the same answer and takes the same time."""
    origin = _origin(request)
    await services.throttle.login(body.email, origin.ip)
    pair = await services.user_tokens.log_in(body.email, body.password, **origin._asdict())
    return LoginReply(
        access_token=pair.access_token,
        refresh_token=pair.refresh_token,
        expires_in=pair.expires_in,
        user=user_item(pair.user),
    )


@router.post("/refresh", response_model=TokenReply, responses=REFUSED, dependencies=[anyone()])
async def refresh(body: RefreshBody, request: Request, services: Serving) -> TokenReply:
    """Return new tokens for the last refresh token of a log-in; one that is used again ends the log-in."""
    pair = await services.user_tokens.refresh(body.refresh_token, **_origin(request)._asdict())
    return TokenReply(access_token=pair.access_token, refresh_token=pair.refresh_token, expires_in=pair.expires_in)


@router.post("/logout", response_model=DoneReply, dependencies=[caller("user")])
async def log_out(admitted: Admitted, asking: Asking, services: Serving) -> DoneReply:
    """End the log-in of the caller: none of its tokens opens anything again."""
    await services.user_tokens.log_out(_logged_in(admitted), asking)
    return DoneReply()


@router.get("/me", response_model=UserReply, dependencies=[caller("user")])
async def get_me(admitted: Admitted) -> UserReply:
    """Return who is calling."""
    return UserReply(user=user_item(_logged_in(admitted).user))


@router.post("/password", response_model=DoneReply, dependencies=[caller("user")])
async def change_password(body: PasswordBody, admitted: Admitted, asking: Asking, services: Serving) -> DoneReply:
    """Change the password of the caller; all other log-ins of the caller end."""
    logged_in = _logged_in(admitted)
    await services.throttle.login(logged_in.user.email, logged_in.user.id)
    if not await services.desks.users.change_password(
        logged_in.user, body.current_password, body.new_password, family_id=logged_in.family_id, by=asking
    ):
        raise InvalidInput("The current password is wrong")
    return DoneReply()


def _origin(request: Request) -> Origin:
    address = request.client.host if request.client else UNKNOWN_ADDRESS
    return Origin(address, str(request.scope.get(REQUEST_ID, "")))


def _logged_in(admitted: Admission) -> LoggedIn:
    if admitted.logged_in is None:
        raise Unauthenticated("Invalid token")
    return admitted.logged_in
