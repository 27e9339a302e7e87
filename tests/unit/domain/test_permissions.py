from __future__ import annotations

from itertools import pairwise

import pytest

from domain.permissions import (
    ACTS_EVERYWHERE,
    DEFAULT_KEY_SCOPES,
    EVERYTHING,
    GRANTABLE,
    OWNER_ONLY,
    PROJECT_LEVEL,
    PROJECT_ROLES,
    SDK_TOKEN,
    TENANT_LEVEL,
    WORKSPACE_ROLES,
    Permission,
    ProjectRole,
    WorkspaceRole,
    beyond,
    effective,
    may,
)
from tests.support.cells import over

WORKSPACE_TABLE = {
    "viewer": "project:read agent:read session:read contact:read eval:read usage:read",
    "member": "project:create contact:write human_task:read human_task:write",
    "operator": "deployment:create variable:read variable:write credential:read project:export audit:read "
    "webhook:read webhook:write session:write",
}
"""Role -> what its row adds, as platform-api 2.3 says it."""
PROJECT_TABLE = {
    "developer": "agent: session: eval: deployment:create credential: project:export project:import model: channel: "
    "webhook: variable: human_task: usage:read",
    "tester": "agent:read session:read session:execute session:write eval:read eval:execute human_task: usage:read",
    "viewer": "agent:read session:read eval:read human_task:read usage:read",
}
"""Role -> its row; `area:` stands for the whole area."""


def spelled_out(row: str) -> set[str]:
    return {
        one for word in row.split() for one in GRANTABLE if one == word or (word[-1] == ":" and one.startswith(word))
    }


@over("permission", Permission, ids=str)
def test_every_name_says_what_may_be_done_to_what(permission: Permission) -> None:
    area, _, act = permission.partition(":")
    assert area.replace("_", "").isalpha()
    assert act.replace("_", "").isalpha()


@pytest.mark.parametrize("role", WORKSPACE_TABLE)
def test_a_workspace_role_grants_its_row_and_all_below_it(role: str) -> None:
    rows = list(WORKSPACE_TABLE)
    expected = set[str]().union(*(spelled_out(WORKSPACE_TABLE[one]) for one in rows[: rows.index(role) + 1]))
    assert WORKSPACE_ROLES[WorkspaceRole(role)] == expected


def test_each_workspace_role_contains_the_one_below_it() -> None:
    for lower, higher in pairwise(WorkspaceRole):
        assert WORKSPACE_ROLES[lower] < WORKSPACE_ROLES[higher]


def test_an_admin_may_all_but_what_only_the_owner_may() -> None:
    assert WORKSPACE_ROLES[WorkspaceRole.OWNER] == GRANTABLE
    assert WORKSPACE_ROLES[WorkspaceRole.OWNER] - WORKSPACE_ROLES[WorkspaceRole.ADMIN] == OWNER_ONLY
    assert {"owner", "admin"} == ACTS_EVERYWHERE


@pytest.mark.parametrize("role", PROJECT_TABLE)
def test_a_project_role_grants_its_row(role: str) -> None:
    assert PROJECT_ROLES[ProjectRole(role)] == spelled_out(PROJECT_TABLE[role])


def test_a_project_admin_may_everything_within_the_project() -> None:
    granted = PROJECT_ROLES[ProjectRole.ADMIN]
    assert granted == PROJECT_LEVEL
    assert {"project:write", "project:delete", "member:write", "apikey:read", "apikey:write"} <= granted
    assert not granted & TENANT_LEVEL
    assert {"project:create", "contact:write", "audit:read", "tenant:delete"} <= TENANT_LEVEL


@pytest.mark.parametrize("workspace", WorkspaceRole, ids=str)
@pytest.mark.parametrize("project", [None, *ProjectRole], ids=str)
def test_what_somebody_may_is_what_both_roles_grant(workspace: WorkspaceRole, project: ProjectRole | None) -> None:
    of_project = PROJECT_ROLES[project] if project is not None else frozenset()
    assert effective(workspace, project) == WORKSPACE_ROLES[workspace] | of_project


def test_no_role_grants_what_only_sdk_tokens_carry() -> None:
    granted = set().union(*WORKSPACE_ROLES.values(), *PROJECT_ROLES.values())
    assert not granted & SDK_TOKEN
    assert not may(frozenset({EVERYTHING}), Permission.SESSION_SEND_MESSAGE)
    assert may(frozenset({"session:send_message"}), Permission.SESSION_SEND_MESSAGE)


@over("permission", sorted(GRANTABLE), ids=str)
def test_a_permission_is_granted_by_its_name_or_by_everything(permission: Permission) -> None:
    assert may(frozenset({str(permission)}), permission)
    assert may(frozenset({EVERYTHING}), permission)
    assert not may(GRANTABLE - {permission}, permission)


def test_a_new_key_may_read_and_run() -> None:
    assert [str(one) for one in DEFAULT_KEY_SCOPES] == [
        "project:read",
        "agent:read",
        "session:read",
        "session:execute",
        "usage:read",
    ]


@pytest.mark.parametrize(
    ("granted", "wanted", "too_much"),
    [
        ({"session:read"}, ["session:read"], []),
        ({"session:read"}, ["session:read", "agent:write"], ["agent:write"]),
        ({"session:read"}, [EVERYTHING], [EVERYTHING]),
        ({EVERYTHING}, [EVERYTHING, *GRANTABLE], []),
        (set(GRANTABLE), [EVERYTHING], []),
        ({EVERYTHING}, ["session:send_message"], ["session:send_message"]),
    ],
)
def test_nobody_hands_on_more_than_they_have(granted: set[str], wanted: list[str], too_much: list[str]) -> None:
    assert beyond(granted, wanted) == too_much
