"""Permission names, the roles, and which role grants what. Spec: platform-api 2.2, 2.3, 2.4.

A role's row says what it adds; `WORKSPACE_ROLES` and `PROJECT_ROLES` hold the whole sets. What a caller may is a set of
names; `EVERYTHING` in it grants all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from domain.errors import Forbidden

EVERYTHING: Final = "*"
INSUFFICIENT: Final = "Insufficient permissions"
WHOLE_TENANT: Final = "a credential of the whole tenant"
"""What is lacking where a key of one project, or a member of some, asks for what is everybody's."""


class Permission(StrEnum):
    """What somebody may be allowed."""

    PROJECT_READ = "project:read"
    PROJECT_WRITE = "project:write"
    PROJECT_CREATE = "project:create"
    PROJECT_DELETE = "project:delete"
    PROJECT_EXPORT = "project:export"
    PROJECT_IMPORT = "project:import"
    SESSION_READ = "session:read"
    SESSION_EXECUTE = "session:execute"
    SESSION_WRITE = "session:write"
    SESSION_SEND_MESSAGE = "session:send_message"
    AGENT_READ = "agent:read"
    AGENT_WRITE = "agent:write"
    DEPLOYMENT_CREATE = "deployment:create"
    CREDENTIAL_READ = "credential:read"
    CREDENTIAL_WRITE = "credential:write"
    CONTACT_READ = "contact:read"
    CONTACT_WRITE = "contact:write"
    HUMAN_TASK_READ = "human_task:read"
    HUMAN_TASK_WRITE = "human_task:write"
    EVAL_READ = "eval:read"
    EVAL_WRITE = "eval:write"
    EVAL_EXECUTE = "eval:execute"
    MODEL_READ = "model:read"
    MODEL_WRITE = "model:write"
    APIKEY_READ = "apikey:read"
    APIKEY_WRITE = "apikey:write"
    CHANNEL_READ = "channel:read"
    CHANNEL_CREATE = "channel:create"
    CHANNEL_UPDATE = "channel:update"
    CHANNEL_DELETE = "channel:delete"
    WEBHOOK_READ = "webhook:read"
    WEBHOOK_WRITE = "webhook:write"
    VARIABLE_READ = "variable:read"
    VARIABLE_WRITE = "variable:write"
    MEMBER_READ = "member:read"
    MEMBER_WRITE = "member:write"
    AUDIT_READ = "audit:read"
    USAGE_READ = "usage:read"
    TENANT_TRANSFER = "tenant:transfer"
    TENANT_DELETE = "tenant:delete"


class WorkspaceRole(StrEnum):
    """What somebody is in a tenant, the least first."""

    VIEWER = "viewer"
    MEMBER = "member"
    OPERATOR = "operator"
    ADMIN = "admin"
    OWNER = "owner"


class ProjectRole(StrEnum):
    """What somebody is in a project, the least first."""

    VIEWER = "viewer"
    TESTER = "tester"
    DEVELOPER = "developer"
    ADMIN = "admin"


def _every(*areas: str) -> frozenset[Permission]:
    """Return all permissions of these areas, SDK tokens' own one excepted."""
    return frozenset(one for one in Permission if one.partition(":")[0] in areas) - SDK_TOKEN


SDK_TOKEN: Final = frozenset({Permission.SESSION_SEND_MESSAGE})
"""What an SDK session token carries, and nothing else ever does."""
OWNER_ONLY: Final = frozenset({Permission.TENANT_TRANSFER, Permission.TENANT_DELETE})
GRANTABLE: Final = frozenset(Permission) - SDK_TOKEN
TENANT_LEVEL: Final = frozenset({Permission.PROJECT_CREATE, Permission.AUDIT_READ}) | _every(
    "contact", "tenant"
)  # what has no meaning within one project
PROJECT_LEVEL: Final = GRANTABLE - TENANT_LEVEL

_WORKSPACE_ADDS: Final[Mapping[WorkspaceRole, frozenset[Permission]]] = {
    WorkspaceRole.VIEWER: frozenset(
        {
            Permission.PROJECT_READ,
            Permission.AGENT_READ,
            Permission.SESSION_READ,
            Permission.CONTACT_READ,
            Permission.EVAL_READ,
            Permission.USAGE_READ,
        }
    ),
    WorkspaceRole.MEMBER: frozenset({Permission.PROJECT_CREATE, Permission.CONTACT_WRITE}) | _every("human_task"),
    WorkspaceRole.OPERATOR: frozenset(
        {
            Permission.DEPLOYMENT_CREATE,
            Permission.CREDENTIAL_READ,
            Permission.PROJECT_EXPORT,
            Permission.AUDIT_READ,
            Permission.SESSION_WRITE,
        }
    )
    | _every("variable", "webhook"),
    WorkspaceRole.ADMIN: GRANTABLE - OWNER_ONLY,
    WorkspaceRole.OWNER: OWNER_ONLY,
}


def _workspace_roles() -> Mapping[WorkspaceRole, frozenset[Permission]]:
    held: frozenset[Permission] = frozenset()
    roles = {}
    for role in WorkspaceRole:
        held |= _WORKSPACE_ADDS[role]
        roles[role] = held
    return MappingProxyType(roles)


WORKSPACE_ROLES: Final = _workspace_roles()
"""Role -> all it grants; each contains the one before it."""
PROJECT_ROLES: Final[Mapping[ProjectRole, frozenset[Permission]]] = MappingProxyType(
    {
        ProjectRole.VIEWER: frozenset(
            {
                Permission.AGENT_READ,
                Permission.SESSION_READ,
                Permission.EVAL_READ,
                Permission.HUMAN_TASK_READ,
                Permission.USAGE_READ,
            }
        ),
        ProjectRole.TESTER: frozenset(
            {
                Permission.AGENT_READ,
                Permission.SESSION_READ,
                Permission.SESSION_EXECUTE,
                Permission.SESSION_WRITE,
                Permission.EVAL_READ,
                Permission.EVAL_EXECUTE,
                Permission.USAGE_READ,
            }
        )
        | _every("human_task"),
        ProjectRole.DEVELOPER: frozenset(
            {
                Permission.DEPLOYMENT_CREATE,
                Permission.PROJECT_EXPORT,
                Permission.PROJECT_IMPORT,
                Permission.USAGE_READ,
            }
        )
        | _every("agent", "session", "eval", "credential", "model", "channel", "webhook", "variable", "human_task"),
        ProjectRole.ADMIN: PROJECT_LEVEL,
    }
)
"""Role -> all it grants in its project."""
ACTS_EVERYWHERE: Final = frozenset({WorkspaceRole.ADMIN, WorkspaceRole.OWNER})
"""Workspace roles that need no membership to act in a project."""
DEFAULT_KEY_SCOPES: Final = (
    Permission.PROJECT_READ,
    Permission.AGENT_READ,
    Permission.SESSION_READ,
    Permission.SESSION_EXECUTE,
    Permission.USAGE_READ,
)
"""What a new API key may when nothing else is said."""


def effective(workspace: WorkspaceRole, project: ProjectRole | None = None) -> frozenset[Permission]:
    """Return what somebody may in a project: what both roles grant together."""
    return WORKSPACE_ROLES[workspace] | (PROJECT_ROLES[project] if project is not None else frozenset())


def may(granted: Set[str], wanted: Permission) -> bool:
    """Return whether a set of names grants a permission. `EVERYTHING` leaves out what only SDK tokens carry."""
    return wanted in granted or (EVERYTHING in granted and wanted not in SDK_TOKEN)


def insufficient(*lacking: str) -> Forbidden:
    """Return the error of somebody who has not what is asked for; it names that, for programs and for people."""
    named = " and ".join(lacking)
    return Forbidden(INSUFFICIENT, details={"permissions": list(lacking), "hint": f"Needs {named}"})


def beyond(granted: Set[str], wanted: Iterable[str]) -> list[str]:
    """Return which of the wanted permissions somebody may not hand on: nobody gives more than they have.

    >>> beyond({"session:read"}, ["session:read", "agent:write"])
    ['agent:write']
    """
    held = GRANTABLE if EVERYTHING in granted else granted
    return sorted(one for one in wanted if not (held >= GRANTABLE if one == EVERYTHING else one in held))
