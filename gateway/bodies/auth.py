"""Bodies of the log-in routes. Spec: platform-api 14.2."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from domain import limits
from domain.users import UserView
from gateway.bodies.texts import RequestBody, TolerantBody
from gateway.envelope import Success, Wire

EMAIL_MAX_CHARS = 320
PASSWORD_MAX_CHARS = 1_024
TOKEN_MAX_CHARS = 4_096
Password = Annotated[str, StringConstraints(min_length=1, max_length=PASSWORD_MAX_CHARS)]


class LoginBody(TolerantBody):
    """Who somebody says to be."""

    email: Annotated[str, StringConstraints(min_length=1, max_length=EMAIL_MAX_CHARS)]
    password: Password


class RefreshBody(TolerantBody):
    """The last refresh token of a log-in."""

    refresh_token: Annotated[str, StringConstraints(min_length=1, max_length=TOKEN_MAX_CHARS)]


class PasswordBody(RequestBody):
    """The password that is, and the one that shall be."""

    current_password: Password
    new_password: Annotated[str, StringConstraints(min_length=limits.PASSWORD_MIN_CHARS, max_length=PASSWORD_MAX_CHARS)]


class ProjectMembership(Wire):
    """A project that somebody is a member of."""

    id: str
    role: str


class UserItem(Wire):
    """Somebody who may log in."""

    id: str
    email: str
    display_name: str
    tenant_id: str
    role: str
    teams: list[str]
    projects: list[ProjectMembership]


class UserReply(Success):
    """Who is logged in."""

    user: UserItem


class TokenReply(Success):
    """Tokens in place of the last ones."""

    access_token: str
    refresh_token: str
    expires_in: int


class LoginReply(TokenReply):
    """The first tokens of a log-in, and whose it is."""

    user: UserItem


class DoneReply(Success):
    """It is done."""


def user_item(user: UserView) -> UserItem:
    """Return a user as the user sees it."""
    return UserItem(
        id=user.id,
        email=user.email,
        display_name=user.display_name,
        tenant_id=user.tenant_id,
        role=user.role,
        teams=list(user.teams),
        projects=[ProjectMembership(id=one, role=role) for one, role in sorted(user.projects.items())],
    )
