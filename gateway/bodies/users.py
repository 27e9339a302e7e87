"""Bodies of users and members. Spec: platform-api 2.3, 14.3."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from domain import limits
from domain.permissions import ProjectRole, WorkspaceRole
from domain.users import MemberView, NewUser, UserChanges
from gateway.bodies.auth import EMAIL_MAX_CHARS, PASSWORD_MAX_CHARS, UserItem
from gateway.bodies.texts import Id, RequestBody, without_nul
from gateway.envelope import PaginatedPage, Success, Wire

EMAIL: Final = re.compile(r"[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+")
Role = Literal["owner", "admin", "operator", "member", "viewer"]
RoleInProject = Literal["admin", "developer", "tester", "viewer"]


def _readable_email(email: str) -> str:
    if not EMAIL.fullmatch(email):
        raise ValueError("must be an email address")
    return email


Email = Annotated[str, StringConstraints(max_length=EMAIL_MAX_CHARS), AfterValidator(_readable_email)]
DisplayName = Annotated[str, StringConstraints(max_length=limits.USER_NAME_MAX_CHARS), AfterValidator(without_nul)]
NewPassword = Annotated[str, StringConstraints(min_length=limits.PASSWORD_MIN_CHARS, max_length=PASSWORD_MAX_CHARS)]
Team = Annotated[
    str, StringConstraints(min_length=1, max_length=limits.TEAM_NAME_MAX_CHARS), AfterValidator(without_nul)
]
Teams = Annotated[list[Team], Field(max_length=limits.USER_TEAMS_MAX)]


class UserBody(RequestBody):
    """Somebody who shall be able to log in; without a password only once there is one."""

    email: Email
    role: Role
    display_name: DisplayName = ""
    password: NewPassword | None = None
    teams: Teams = Field(default_factory=list)


class UserPatch(RequestBody):
    """What shall change of a user."""

    email: Email | None = None
    role: Role | None = None
    display_name: DisplayName | None = None
    password: NewPassword | None = None
    teams: Teams | None = None


class MemberBody(RequestBody):
    """Who shall be what in a project."""

    user_id: Id
    role: RoleInProject


class MemberPatch(RequestBody):
    """What a member shall be."""

    role: RoleInProject


class UserListReply(PaginatedPage):
    """The users of a tenant, the oldest first."""

    users: list[UserItem]


class ManagedUserReply(Success):
    """One user."""

    user: UserItem


class MemberItem(Wire):
    """A member of a project."""

    user_id: str
    email: str
    display_name: str
    role: str


class MemberListReply(PaginatedPage):
    """The members of a project, the oldest user first."""

    members: list[MemberItem]


class MemberReply(Success):
    """One member."""

    member: MemberItem


def new_user(body: UserBody) -> NewUser:
    """Return the user that a body wants."""
    return NewUser(
        email=body.email,
        role=WorkspaceRole(body.role),
        display_name=body.display_name,
        password=body.password or "",
        teams=tuple(dict.fromkeys(body.teams)),
    )


def user_changes(body: UserPatch) -> UserChanges:
    """Return what a body changes."""
    return UserChanges(
        email=body.email,
        role=WorkspaceRole(body.role) if body.role is not None else None,
        display_name=body.display_name,
        password=body.password,
        teams=tuple(dict.fromkeys(body.teams)) if body.teams is not None else None,
    )


def member_item(member: MemberView) -> MemberItem:
    """Return a member as it is shown."""
    return MemberItem(
        user_id=member.user_id,
        email=member.email,
        display_name=member.display_name,
        role=ProjectRole(member.role),
    )
