"""People who log in, and members of projects, as they are shown. Spec: platform-api 2.3, 14.2, 14.3."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, field

from domain.permissions import ProjectRole, WorkspaceRole


class UserView(Struct, frozen=True, kw_only=True):
    """Somebody who may log in; `projects` is project id -> role."""

    id: str
    tenant_id: str
    email: str
    display_name: str
    role: str
    teams: tuple[str, ...] = ()
    projects: dict[str, str] = field(default_factory=dict)


class NewUser(Struct, frozen=True, kw_only=True):
    """Somebody who shall be able to log in; without a password only once there is one."""

    email: str
    role: WorkspaceRole
    display_name: str = ""
    password: str = ""
    teams: tuple[str, ...] = ()


class UserChanges(Struct, frozen=True, kw_only=True):
    """What shall change of a user; None leaves it."""

    email: str | None = None
    role: WorkspaceRole | None = None
    display_name: str | None = None
    password: str | None = None
    teams: tuple[str, ...] | None = None


class MemberView(Struct, frozen=True, kw_only=True):
    """A member of a project."""

    user_id: str
    email: str
    display_name: str
    role: str


class Membership(NamedTuple):
    """What somebody shall be in a project."""

    project_id: str
    user_id: str
    role: ProjectRole
