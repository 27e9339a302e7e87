"""People who log in, where they are members, and their refresh tokens. Spec: platform-api 2.3, 14.2."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from domain.json_values import JsonObject
from storage.database import Connection, Database, Row
from storage.statements import Statement

COLUMNS = "u.tenant_id, u.user_id, u.email, u.display_name, u.role, u.teams, u.password_hash"
MEMBERSHIPS = """
    coalesce((
        SELECT jsonb_object_agg(m.project_id, m.role) FROM project_members m
        WHERE m.tenant_id = u.tenant_id AND m.user_id = u.user_id
    ), '{}'::jsonb) AS projects
"""
CREATE = Statement("""
    INSERT INTO users (tenant_id, user_id, email, display_name, role, password_hash)
    VALUES (:tenant_id, :user_id, :email, :display_name, :role, :password_hash)
""")
HAS_OWNER = Statement("SELECT EXISTS (SELECT FROM users WHERE tenant_id = :tenant_id AND role = 'owner')")
JOIN = Statement("""
    INSERT INTO project_members AS m (tenant_id, project_id, user_id, role)
    VALUES (:tenant_id, :project_id, :user_id, :role)
    ON CONFLICT (tenant_id, project_id, user_id) DO UPDATE SET role = excluded.role
""")
BY_EMAIL = Statement(f"""
    SELECT {COLUMNS}, {MEMBERSHIPS} FROM users u WHERE lower(u.email) = lower(:email) AND u.disabled_at IS NULL
""")
FIND = Statement(f"""
    SELECT {COLUMNS}, {MEMBERSHIPS} FROM users u
    WHERE u.tenant_id = :tenant_id AND u.user_id = :user_id AND u.disabled_at IS NULL
""")
NAMED = Statement(f"""
    SELECT {COLUMNS}, {MEMBERSHIPS} FROM users u
    WHERE u.tenant_id = :tenant_id AND (u.user_id = :name OR lower(u.email) = lower(:name)) AND u.disabled_at IS NULL
""")
SET_PASSWORD = Statement("""
    UPDATE users SET password_hash = :password_hash
    WHERE tenant_id = :tenant_id AND user_id = :user_id AND disabled_at IS NULL
""")
OPEN_FAMILY = Statement("""
    INSERT INTO refresh_families (tenant_id, family_id, user_id, token_id, expires_at)
    VALUES (:tenant_id, :family_id, :user_id, :token_id, :expires_at)
""")
ROTATE = Statement("""
    UPDATE refresh_families SET token_id = :next_id, expires_at = :expires_at
    WHERE tenant_id = :tenant_id AND family_id = :family_id AND token_id = :token_id
      AND expires_at > clock_timestamp()
""")
CLOSE_FAMILY = Statement("DELETE FROM refresh_families WHERE tenant_id = :tenant_id AND family_id = :family_id")
CLOSE_FAMILIES = Statement("""
    DELETE FROM refresh_families
    WHERE tenant_id = :tenant_id AND user_id = :user_id AND family_id <> :but
""")
HAS_FAMILY = Statement("""
    SELECT EXISTS (
        SELECT FROM refresh_families
        WHERE tenant_id = :tenant_id AND family_id = :family_id AND expires_at > clock_timestamp()
    )
""")
FORGET_FAMILIES = Statement("""
    DELETE FROM refresh_families WHERE ctid IN (
        SELECT ctid FROM refresh_families WHERE expires_at <= clock_timestamp() LIMIT :limit
    )
""")


class UserRecord(Struct, frozen=True, kw_only=True):
    """Somebody who may log in; `projects` is project id -> role there."""

    tenant_id: str
    user_id: str
    email: str
    display_name: str
    role: str
    teams: tuple[str, ...]
    password_hash: str
    projects: JsonObject

    def known_as(self, name: str) -> str:
        """Return the id or the email, as it is written here, whichever of them `name` is."""
        return self.user_id if name == self.user_id else self.email


class Users:
    """The people of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        tenant_id: str,
        user_id: str,
        *,
        email: str,
        role: str,
        password_hash: str,
        display_name: str = "",
        connection: Connection | None = None,
    ) -> None:
        """Keep a new user. Raises Duplicate: the email is somebody's, or the tenant has its owner."""
        await (connection or self._database).execute(
            CREATE,
            tenant_id=tenant_id,
            user_id=user_id,
            email=email,
            display_name=display_name,
            role=role,
            password_hash=password_hash,
        )

    async def has_owner(self, tenant_id: str) -> bool:
        """Return whether the tenant has its owner."""
        return bool(await self._database.value(HAS_OWNER, tenant_id=tenant_id))

    async def join(self, tenant_id: str, project_id: str, user_id: str, role: str) -> None:
        """Make somebody a member of a project, or give a member another role."""
        await self._database.execute(JOIN, tenant_id=tenant_id, project_id=project_id, user_id=user_id, role=role)

    async def join_within(
        self, connection: Connection, tenant_id: str, project_id: str, user_id: str, role: str
    ) -> None:
        """Do the same within a transaction."""
        await connection.execute(JOIN, tenant_id=tenant_id, project_id=project_id, user_id=user_id, role=role)

    async def find_by_email(self, email: str) -> UserRecord | None:
        """Return who logs in under this email, of whichever tenant."""
        return _record(await self._database.row(BY_EMAIL, email=email))

    async def find(self, tenant_id: str, user_id: str) -> UserRecord | None:
        """Return a user who may still log in."""
        return _record(await self._database.row(FIND, tenant_id=tenant_id, user_id=user_id))

    async def named(self, connection: Connection, tenant_id: str, name: str) -> UserRecord | None:
        """Return the user who has this id or email and may still log in."""
        return _record(await connection.row(NAMED, tenant_id=tenant_id, name=name))

    async def set_password(self, connection: Connection, tenant_id: str, user_id: str, password_hash: str) -> None:
        """Put another password in the place of the last one, within a transaction."""
        await connection.execute(SET_PASSWORD, tenant_id=tenant_id, user_id=user_id, password_hash=password_hash)

    async def open_family(
        self,
        connection: Connection,
        tenant_id: str,
        *,
        family_id: str,
        user_id: str,
        token_id: str,
        expires_at: datetime,
    ) -> None:
        """Note the first refresh token of a log-in, within a transaction."""
        await connection.execute(
            OPEN_FAMILY,
            tenant_id=tenant_id,
            family_id=family_id,
            user_id=user_id,
            token_id=token_id,
            expires_at=expires_at,
        )

    async def rotate(self, tenant_id: str, family_id: str, token_id: str, next_id: str, expires_at: datetime) -> bool:
        """Put the next token in the place of the last one; False, and no change, when `token_id` is not the last."""
        touched = await self._database.execute(
            ROTATE,
            tenant_id=tenant_id,
            family_id=family_id,
            token_id=token_id,
            next_id=next_id,
            expires_at=expires_at,
        )
        return bool(touched)

    async def has_family(self, tenant_id: str, family_id: str) -> bool:
        """Return whether a log-in is still open."""
        return bool(await self._database.value(HAS_FAMILY, tenant_id=tenant_id, family_id=family_id))

    async def close_family(self, tenant_id: str, family_id: str, connection: Connection | None = None) -> None:
        """Let none of the tokens of a log-in open anything again."""
        await (connection or self._database).execute(CLOSE_FAMILY, tenant_id=tenant_id, family_id=family_id)

    async def close_families(self, connection: Connection, tenant_id: str, user_id: str, *, but: str = "") -> None:
        """End all log-ins of a user, save one, within a transaction."""
        await connection.execute(CLOSE_FAMILIES, tenant_id=tenant_id, user_id=user_id, but=but)

    async def forget_families(self, limit: int) -> int:
        """Remove log-ins that have run out, at most `limit`; return how many."""
        return await self._database.execute(FORGET_FAMILIES, limit=limit)


def user_record(row: Row) -> UserRecord:
    """Return a row of the users with their memberships."""
    return UserRecord(**{**dict(row), "teams": tuple(row["teams"])})


def _record(row: Row | None) -> UserRecord | None:
    return user_record(row) if row is not None else None
