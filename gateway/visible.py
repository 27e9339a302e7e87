"""Which projects a caller of a route of the whole tenant sees. Spec: platform-api 2.1, 2.3."""

from __future__ import annotations

from actors.runtime import Caller
from domain.permissions import WHOLE_TENANT, Permission, insufficient, may


def visible_projects(caller: Caller, permission: Permission) -> tuple[str, ...] | None:
    """Return the projects in which a caller has a permission; None is all of the tenant, and the tenant itself."""
    if caller.project_id:
        return (caller.project_id,)
    if caller.projects is None:
        return None
    return tuple(one for one in caller.projects if may(caller.permissions_in(one), permission))


def sees_whole_tenant(caller: Caller) -> bool:
    """Return whether a caller is bound to no project, so that what it may holds for the tenant itself."""
    return not caller.project_id and caller.projects is None


def of_whole_tenant(caller: Caller) -> Caller:
    """Return a caller who sees the whole tenant. Raises Forbidden for any other."""
    if not sees_whole_tenant(caller):
        raise insufficient(WHOLE_TENANT)
    return caller
