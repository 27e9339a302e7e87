"""The forms of the API about auth. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class DoneReply(TypedDict):
    """It is done."""

    success: NotRequired[Literal[True]]


class LoginBody(TypedDict):
    """Who somebody says to be."""

    email: str
    password: str


class LoginReply(TypedDict):
    """The first tokens of a log-in, and whose it is."""

    success: NotRequired[Literal[True]]
    accessToken: str
    refreshToken: str
    expiresIn: int
    user: UserItem


class PasswordBody(TypedDict):
    """The password that is, and the one that shall be."""

    currentPassword: str
    newPassword: str


class ProjectMembership(TypedDict):
    """A project that somebody is a member of."""

    id: str
    role: str


class RefreshBody(TypedDict):
    """The last refresh token of a log-in."""

    refreshToken: str


class TokenReply(TypedDict):
    """Tokens in place of the last ones."""

    success: NotRequired[Literal[True]]
    accessToken: str
    refreshToken: str
    expiresIn: int


class UserItem(TypedDict):
    """Somebody who may log in."""

    id: str
    email: str
    displayName: str
    tenantId: str
    role: str
    teams: list[str]
    projects: list[ProjectMembership]


class UserReply(TypedDict):
    """Who is logged in."""

    success: NotRequired[Literal[True]]
    user: UserItem
