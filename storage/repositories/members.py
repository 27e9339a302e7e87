"""The users of a tenant as their administrators see them, and who is what in which project. Spec: 2.3, 14.3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from storage.database import Connection, Database
from storage.repositories.users import COLUMNS, MEMBERSHIPS, UserRecord, user_record
from storage.statements import Statement

PAGE = Statement(f"""
    SELECT {COLUMNS}, {MEMBERSHIPS} FROM users u WHERE u.tenant_id = :tenant_id
    ORDER BY u.created_at, u.user_id LIMIT :limit OFFSET :offset
""")
COUNT = Statement("SELECT count(*) FROM users WHERE tenant_id = :tenant_id")
HOLD = Statement(f"""
    SELECT {COLUMNS}, {MEMBERSHIPS} FROM users u
    WHERE u.tenant_id = :tenant_id AND u.user_id = :user_id FOR UPDATE OF u
""")
CREATE = Statement("""
    INSERT INTO users (tenant_id, user_id, email, display_name, role, teams, password_hash)
    VALUES (:tenant_id, :user_id, :email, :display_name, :role, :teams, :password_hash)
""")
UPDATE = Statement("""
    UPDATE users SET email = :email, display_name = :display_name, role = :role, teams = :teams,
        password_hash = :password_hash
    WHERE tenant_id = :tenant_id AND user_id = :user_id
""")
STEP_DOWN = Statement("UPDATE users SET role = 'admin' WHERE tenant_id = :tenant_id AND role = 'owner'")
DELETE = Statement("DELETE FROM users WHERE tenant_id = :tenant_id AND user_id = :user_id")
FORGET = Statement("""
    DELETE FROM memory WHERE tenant_id = :tenant_id AND scope = 'user' AND subject = 'user:' || :user_id::text
""")
CLOSE_FAMILIES = Statement("DELETE FROM refresh_families WHERE tenant_id = :tenant_id AND user_id = :user_id")
_MEMBER = """
    SELECT m.user_id, u.email, u.display_name, m.role FROM project_members m
    JOIN users u ON u.tenant_id = m.tenant_id AND u.user_id = m.user_id
    WHERE m.tenant_id = :tenant_id AND m.project_id = :project_id
"""
MEMBERS = Statement(f"{_MEMBER} ORDER BY u.created_at, m.user_id LIMIT :limit OFFSET :offset")
COUNT_MEMBERS = Statement("""
    SELECT count(*) FROM project_members WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
MEMBER = Statement(f"{_MEMBER} AND m.user_id = :user_id FOR UPDATE OF m")
JOIN = Statement("""
    INSERT INTO project_members (tenant_id, project_id, user_id, role)
    VALUES (:tenant_id, :project_id, :user_id, :role)
    ON CONFLICT (tenant_id, project_id, user_id) DO NOTHING
""")
CHANGE = Statement("""
    UPDATE project_members SET role = :role
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND user_id = :user_id
""")
LEAVE = Statement("""
    DELETE FROM project_members
    WHERE tenant_id = :tenant_id AND project_id = :project_id AND user_id = :user_id
""")


class MemberRecord(NamedTuple):
    """A member of a project."""

    user_id: str
    email: str
    display_name: str
    role: str


class Members:
    """The users of all tenants, and the members of all projects; what changes them is within a transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def users(self, tenant_id: str, *, limit: int, offset: int) -> tuple[Sequence[UserRecord], int]:
        """Return users of a tenant, the oldest first, and how many there are."""
        rows = await self._database.rows(PAGE, tenant_id=tenant_id, limit=limit, offset=offset)
        return [user_record(row) for row in rows], int(await self._database.value(COUNT, tenant_id=tenant_id))

    async def hold(self, connection: Connection, tenant_id: str, user_id: str) -> UserRecord | None:
        """Return a user, whom nobody else changes until the transaction ends."""
        row = await connection.row(HOLD, tenant_id=tenant_id, user_id=user_id)
        return user_record(row) if row is not None else None

    async def create(self, connection: Connection, user: UserRecord) -> None:
        """Keep a new user. Raises Duplicate: the email is somebody's."""
        await connection.execute(CREATE, tenant_id=user.tenant_id, user_id=user.user_id, **_values(user))

    async def update(self, connection: Connection, user: UserRecord) -> None:
        """Write everything of a user but the projects. Raises Duplicate: the email is somebody's."""
        await connection.execute(UPDATE, tenant_id=user.tenant_id, user_id=user.user_id, **_values(user))

    async def step_down(self, connection: Connection, tenant_id: str) -> None:
        """Make the owner of a tenant an administrator: somebody else is to be its owner."""
        await connection.execute(STEP_DOWN, tenant_id=tenant_id)

    async def delete(self, connection: Connection, tenant_id: str, user_id: str) -> None:
        """Remove a user with the log-ins, the memberships and what agents remember of the user."""
        await connection.execute(FORGET, tenant_id=tenant_id, user_id=user_id)
        await connection.execute(DELETE, tenant_id=tenant_id, user_id=user_id)

    async def close_families(self, connection: Connection, tenant_id: str, user_id: str) -> None:
        """End all log-ins of a user."""
        await connection.execute(CLOSE_FAMILIES, tenant_id=tenant_id, user_id=user_id)

    async def members(
        self, tenant_id: str, project_id: str, *, limit: int, offset: int
    ) -> tuple[Sequence[MemberRecord], int]:
        """Return members of a project, and how many there are."""
        given = {"tenant_id": tenant_id, "project_id": project_id}
        rows = await self._database.rows(MEMBERS, limit=limit, offset=offset, **given)
        total = await self._database.value(COUNT_MEMBERS, **given)
        return [MemberRecord(**dict(row)) for row in rows], int(total)

    async def member(
        self, connection: Connection, tenant_id: str, project_id: str, user_id: str
    ) -> MemberRecord | None:
        """Return a member of a project, whom nobody else changes until the transaction ends."""
        row = await connection.row(MEMBER, tenant_id=tenant_id, project_id=project_id, user_id=user_id)
        return MemberRecord(**dict(row)) if row is not None else None

    async def join(self, connection: Connection, tenant_id: str, project_id: str, user_id: str, role: str) -> bool:
        """Make a user a member of a project; False when it is one already."""
        given = {"tenant_id": tenant_id, "project_id": project_id, "user_id": user_id}
        return bool(await connection.execute(JOIN, role=role, **given))

    async def change(self, connection: Connection, tenant_id: str, project_id: str, user_id: str, role: str) -> None:
        """Give a member another role."""
        await connection.execute(CHANGE, tenant_id=tenant_id, project_id=project_id, user_id=user_id, role=role)

    async def leave(self, connection: Connection, tenant_id: str, project_id: str, user_id: str) -> None:
        """Make somebody no member any more."""
        await connection.execute(LEAVE, tenant_id=tenant_id, project_id=project_id, user_id=user_id)


def _values(user: UserRecord) -> dict[str, object]:
    return {
        "email": user.email,
        "display_name": user.display_name,
        "role": user.role,
        "teams": user.teams,
        "password_hash": user.password_hash,
    }
