"""Users of a tenant and members of its projects. Spec: platform-api 2.3, 14.3."""

from __future__ import annotations

from msgspec.structs import replace

from actors.runtime import Caller
from domain import limits
from domain.errors import InvalidInput
from domain.permissions import Permission, ProjectRole
from domain.users import Membership, UserView
from gateway.access import Admitted, caller
from gateway.audited import Asking
from gateway.bodies.auth import UserItem, user_item
from gateway.bodies.texts import QueryText
from gateway.bodies.users import (
    ManagedUserReply,
    MemberBody,
    MemberListReply,
    MemberPatch,
    MemberReply,
    UserBody,
    UserListReply,
    UserPatch,
    member_item,
    new_user,
    user_changes,
)
from gateway.envelope import DeletedReply, Offset, PageLimit, Totals
from gateway.guarded import guarded_router
from gateway.services import Serving
from gateway.visible import of_whole_tenant, visible_projects

CREATED = 201
READER = caller("api_key", "user", permission=Permission.MEMBER_READ)
WRITER = caller("api_key", "user", permission=Permission.MEMBER_WRITE)
MAKER = caller("api_key", "user", permission=Permission.MEMBER_WRITE, replay="reply")

of_tenant = guarded_router("/api/users", "users")
of_project = guarded_router("/api/projects/{project_id}/members", "users")


@of_tenant.get("", response_model=UserListReply, dependencies=[READER])
async def list_users(
    admitted: Admitted, services: Serving, limit: PageLimit = limits.PAGE_LIMIT_DEFAULT, offset: Offset = 0
) -> UserListReply:
    """Return the users of the tenant, with their roles in the projects that the caller sees."""
    users, total = await services.desks.people.users(admitted.caller.tenant_id, limit=limit, offset=offset)
    return UserListReply(
        users=[_shown(one, admitted.caller) for one in users],
        pagination=Totals(total=total, limit=limit, offset=offset),
    )


@of_tenant.post("", status_code=CREATED, response_model=ManagedUserReply, dependencies=[MAKER])
async def add_user(body: UserBody, admitted: Admitted, asking: Asking, services: Serving) -> ManagedUserReply:
    """Add a user; nobody gives a role that may more than they may themselves."""
    who = of_whole_tenant(admitted.caller)
    user = await services.desks.people.add(who.tenant_id, new_user(body), who.permissions, asking)
    return ManagedUserReply(user=_shown(user, who))


@of_tenant.patch("/{user_id}", response_model=ManagedUserReply, dependencies=[WRITER])
async def change_user(
    user_id: QueryText, body: UserPatch, admitted: Admitted, asking: Asking, services: Serving
) -> ManagedUserReply:
    """Change a user; another password ends all log-ins, and a new owner takes the place of the last one."""
    who = of_whole_tenant(admitted.caller)
    if body.password is not None and who.kind == "user" and who.subject == user_id:
        raise InvalidInput("Change your own password at /api/auth/password")
    user = await services.desks.people.change(who.tenant_id, user_id, user_changes(body), who.permissions, asking)
    services.user_tokens.forget(who.tenant_id)
    return ManagedUserReply(user=_shown(user, who))


@of_tenant.delete("/{user_id}", response_model=DeletedReply, dependencies=[WRITER])
async def remove_user(user_id: QueryText, admitted: Admitted, asking: Asking, services: Serving) -> DeletedReply:
    """Remove a user; what the user is logged in with opens nothing from now on."""
    who = of_whole_tenant(admitted.caller)
    await services.desks.people.remove(who.tenant_id, user_id, who.permissions, asking)
    services.user_tokens.forget(who.tenant_id)
    return DeletedReply()


@of_project.get("", response_model=MemberListReply, dependencies=[READER])
async def list_members(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    limit: PageLimit = limits.PAGE_LIMIT_DEFAULT,
    offset: Offset = 0,
) -> MemberListReply:
    """Return the members of a project."""
    tenant_id = admitted.caller.tenant_id
    members, total = await services.desks.people.members(tenant_id, project_id, limit=limit, offset=offset)
    return MemberListReply(
        members=[member_item(one) for one in members], pagination=Totals(total=total, limit=limit, offset=offset)
    )


@of_project.post("", status_code=CREATED, response_model=MemberReply, dependencies=[MAKER])
async def add_member(
    project_id: str, body: MemberBody, admitted: Admitted, asking: Asking, services: Serving
) -> MemberReply:
    """Make a user of the tenant a member of a project."""
    who = admitted.caller
    wanted = Membership(project_id, body.user_id, ProjectRole(body.role))
    member = await services.desks.people.join(who.tenant_id, wanted, who.permissions_in(project_id), asking)
    services.user_tokens.forget(who.tenant_id)
    return MemberReply(member=member_item(member))


@of_project.patch("/{user_id}", response_model=MemberReply, dependencies=[WRITER])
async def change_member(
    project_id: str, user_id: QueryText, body: MemberPatch, admitted: Admitted, asking: Asking, services: Serving
) -> MemberReply:
    """Give a member another role in a project."""
    who = admitted.caller
    wanted = Membership(project_id, user_id, ProjectRole(body.role))
    member = await services.desks.people.give_role(who.tenant_id, wanted, who.permissions_in(project_id), asking)
    services.user_tokens.forget(who.tenant_id)
    return MemberReply(member=member_item(member))


@of_project.delete("/{user_id}", response_model=DeletedReply, dependencies=[WRITER])
async def remove_member(
    project_id: str, user_id: QueryText, admitted: Admitted, asking: Asking, services: Serving
) -> DeletedReply:
    """Make somebody no member of a project any more."""
    who = admitted.caller
    granted = who.permissions_in(project_id)
    await services.desks.people.leave(who.tenant_id, project_id, user_id, granted, asking)
    services.user_tokens.forget(who.tenant_id)
    return DeletedReply()


def _shown(user: UserView, who: Caller) -> UserItem:
    """Return a user with the roles in those projects that the caller sees."""
    seen = visible_projects(who, Permission.MEMBER_READ)
    projects = {one: role for one, role in user.projects.items() if seen is None or one in seen}
    return user_item(replace(user, projects=projects))
