"""The forms of the API about users. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from abl_client.forms.attachments import Totals
    from abl_client.forms.auth import UserItem


class DeletedReply(TypedDict):
    """It is gone."""

    success: NotRequired[Literal[True]]
    deleted: NotRequired[Literal[True]]


class ManagedUserReply(TypedDict):
    """One user."""

    success: NotRequired[Literal[True]]
    user: UserItem


class MemberBody(TypedDict):
    """Who shall be what in a project."""

    userId: str
    role: Literal["admin", "developer", "tester", "viewer"]


class MemberItem(TypedDict):
    """A member of a project."""

    userId: str
    email: str
    displayName: str
    role: str


class MemberListReply(TypedDict):
    """The members of a project, the oldest user first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    members: list[MemberItem]


class MemberPatch(TypedDict):
    """What a member shall be."""

    role: Literal["admin", "developer", "tester", "viewer"]


class MemberReply(TypedDict):
    """One member."""

    success: NotRequired[Literal[True]]
    member: MemberItem


class UserBody(TypedDict):
    """Somebody who shall be able to log in; without a password only once there is one."""

    email: str
    role: Literal["owner", "admin", "operator", "member", "viewer"]
    displayName: NotRequired[str]
    password: NotRequired[str | None]
    teams: NotRequired[list[str]]


class UserListReply(TypedDict):
    """The users of a tenant, the oldest first."""

    success: NotRequired[Literal[True]]
    pagination: Totals
    users: list[UserItem]


class UserPatch(TypedDict):
    """What shall change of a user."""

    email: NotRequired[str | None]
    role: NotRequired[Literal["owner", "admin", "operator", "member", "viewer"] | None]
    displayName: NotRequired[str | None]
    password: NotRequired[str | None]
    teams: NotRequired[list[str] | None]
