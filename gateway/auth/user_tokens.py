"""Access and refresh tokens of people, and who brings one. Spec: platform-api 2.1, 14.2; RFC 8725.

Each kind is signed with a key of its own and says in `typ` what it is, so neither can stand for the other. An access
token ends with its log-in: at a log-out, a change of the password, or when an old refresh token turns up.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from actors.desks import Users
from actors.runtime import Caller
from domain import limits
from domain.audit import Actor, Initiator
from domain.clock import Clock, IdSource
from domain.errors import Unauthenticated
from domain.json_values import JsonObject
from domain.permissions import ACTS_EVERYWHERE, ProjectRole, WorkspaceRole, effective
from domain.users import UserView
from gateway import bounds
from gateway.auth.remembered import Remembered
from gateway.auth.tokens import Tokens

BETWEEN: Final = "\0"


class LoggedIn(Struct, frozen=True):
    """Somebody with an open log-in, which `family_id` names."""

    user: UserView
    family_id: str


class TokenPair(Struct, frozen=True):
    """What a log-in or a refresh gives."""

    access_token: str
    refresh_token: str
    expires_in: int
    user: UserView


class UserTokens:
    """Makes, rotates and reads the tokens of people."""

    def __init__(
        self, users: Users, secret: bytes, issuer: str, clock: Clock, ids: IdSource, *, older: Sequence[bytes] = ()
    ) -> None:
        self._users = users
        self._clock = clock
        self._ids = ids
        self._access = Tokens("access", secret, issuer, clock, ids, older=older)
        self._refresh = Tokens("refresh", secret, issuer, clock, ids, older=older)
        self._open = Remembered(
            self._logged_in, clock, believed_s=bounds.CREDENTIAL_RECHECK_S, held=bounds.CREDENTIALS_HELD
        )

    async def log_in(self, email: str, password: str, *, ip: str, request_id: str) -> TokenPair:
        """Return the first tokens of a log-in. Raises Unauthenticated, with one sentence for every failure."""
        user = await self._users.with_password(email, password, ip=ip, request_id=request_id)
        if user is None:
            raise Unauthenticated("Invalid credentials")
        family_id, token_id = self._ids.new(""), self._ids.new("")
        by = Initiator(Actor("user", user.id, user.email), ip, request_id)
        await self._users.open_family(user, family_id, token_id, expires_at=self._refresh_end(), by=by)
        return self._pair(user, family_id, token_id)

    async def refresh(self, token: str, *, ip: str, request_id: str) -> TokenPair:
        """Return new tokens for a refresh token, which opens nothing more; one that is used again ends the log-in.

        Raises:
            Unauthenticated: It is not the last one of an open log-in.
        """
        claims = self._refresh.read(token)
        logged_in = await self._logged_in(_name(claims))
        if logged_in is None:
            raise Unauthenticated("Invalid token")
        user, next_id, token_id = logged_in.user, self._ids.new(""), _text(claims, "rid")
        by = Initiator(Actor("user", user.id, user.email), ip, request_id)
        if not await self._users.rotate(
            user, logged_in.family_id, token_id, next_id, expires_at=self._refresh_end(), by=by
        ):
            raise Unauthenticated("Invalid token")
        return self._pair(logged_in.user, logged_in.family_id, next_id)

    async def logged_in(self, token: str) -> LoggedIn:
        """Return who brings an access token. Raises Unauthenticated."""
        found = await self._open.find(_name(self._access.read(token)))
        if found is None:
            raise Unauthenticated("Invalid token")
        return found

    async def log_out(self, logged_in: LoggedIn, by: Initiator) -> None:
        """End a log-in."""
        await self._users.close_family(logged_in.user, logged_in.family_id, by)
        self._open.forget(_named(logged_in.user.tenant_id, logged_in.user.id, logged_in.family_id))

    def forget(self, tenant_id: str) -> None:
        """Ask for the users of a tenant again: what some of them may has changed, or one is gone."""
        self._open.forget_all(lambda _, found: found.user.tenant_id == tenant_id)

    async def _logged_in(self, name: str) -> LoggedIn | None:
        tenant_id, user_id, family_id = name.split(BETWEEN)
        if not await self._users.has_family(tenant_id, family_id):
            return None
        user = await self._users.find(tenant_id, user_id)
        return LoggedIn(user, family_id) if user is not None else None

    def _pair(self, user: UserView, family_id: str, token_id: str) -> TokenPair:
        claims: JsonObject = {"sub": user.id, "tid": user.tenant_id, "fam": family_id}
        return TokenPair(
            self._access.make({**claims, "email": user.email, "role": user.role}, limits.USER_TOKEN_S),
            self._refresh.make({**claims, "rid": token_id}, limits.REFRESH_TOKEN_S),
            limits.USER_TOKEN_S,
            user,
        )

    def _refresh_end(self) -> datetime:
        return self._clock.now() + timedelta(seconds=limits.REFRESH_TOKEN_S)


def caller_of(user: UserView) -> Caller:
    """Return what a user may: the roles are the store's, not the token's, so that a change holds at once."""
    workspace = WorkspaceRole(user.role)
    projects: dict[str, frozenset[str]] = {
        project_id: frozenset(effective(workspace, ProjectRole(role))) for project_id, role in user.projects.items()
    }
    return Caller(
        tenant_id=user.tenant_id,
        subject=user.id,
        permissions=frozenset(effective(workspace)),
        kind="user",
        projects=None if workspace in ACTS_EVERYWHERE else projects,
    )


def _name(claims: JsonObject) -> str:
    return _named(_text(claims, "tid"), _text(claims, "sub"), _text(claims, "fam"))


def _named(*parts: str) -> str:
    return BETWEEN.join(parts)


def _text(claims: JsonObject, name: str) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or not value or BETWEEN in value:
        raise Unauthenticated("Invalid token")
    return value
