"""People who log in: their passwords, their log-ins, and the owner that the first start makes. Spec: 14.1, 14.2."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

import msgspec

from actors.desks import UserView
from actors.passwords import Passwords
from domain.clock import IdSource
from domain.ids import PREFIXES
from domain.permissions import WorkspaceRole
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.users import UserRecord, Users

OWNER_EMAIL: Final = "owner@localhost"
PASSWORD_BYTES: Final = 18


class StoredUsers:
    """Satisfies `actors.desks.Users`."""

    def __init__(self, database: Database, passwords: Passwords) -> None:
        self._users = Users(database)
        self._passwords = passwords

    async def with_password(self, email: str, password: str) -> UserView | None:
        """Return who has this email and password; it takes the same time when nobody has."""
        found = await self._users.find_by_email(email)
        matches = await self._passwords.matches(password, found.password_hash if found is not None else "")
        return _view(found) if found is not None and matches else None

    async def find(self, tenant_id: str, user_id: str) -> UserView | None:
        """Return a user who may still log in."""
        found = await self._users.find(tenant_id, user_id)
        return _view(found) if found is not None else None

    async def change_password(self, user: UserView, current: str, new: str, family_id: str) -> bool:
        """Change a password, and end all other log-ins of the user; False when `current` is not it."""
        found = await self._users.find(user.tenant_id, user.id)
        if found is None or not await self._passwords.matches(current, found.password_hash):
            return False
        await self._users.set_password(user.tenant_id, user.id, await self._passwords.hashed(new))
        await self._users.close_families(user.tenant_id, user.id, but=family_id)
        return True

    async def open_family(self, user: UserView, family_id: str, token_id: str, expires_at: datetime) -> None:
        """Note a log-in with its first refresh token."""
        await self._users.open_family(user.tenant_id, family_id, user.id, token_id, expires_at)

    async def rotate(self, user: UserView, family_id: str, token_id: str, next_id: str, expires_at: datetime) -> bool:
        """Put the next refresh token in the place of the last one; when `token_id` is an older one, end the log-in."""
        if await self._users.rotate(user.tenant_id, family_id, token_id, next_id, expires_at):
            return True
        await self._users.close_family(user.tenant_id, family_id)
        return False

    async def has_family(self, tenant_id: str, family_id: str) -> bool:
        """Return whether a log-in is open."""
        return await self._users.has_family(tenant_id, family_id)

    async def close_family(self, tenant_id: str, family_id: str) -> None:
        """End a log-in."""
        await self._users.close_family(tenant_id, family_id)


async def make_owner(database: Database, ids: IdSource, tenant_id: str, email: str = OWNER_EMAIL) -> str:
    """Make the owner of a tenant and return the password; empty when the tenant has one."""
    users = Users(database)
    if await users.has_owner(tenant_id):
        return ""
    password, passwords = secrets.token_urlsafe(PASSWORD_BYTES), Passwords()
    try:
        await users.create(
            tenant_id,
            ids.new(PREFIXES["user"]),
            email=email,
            role=WorkspaceRole.OWNER,
            password_hash=await passwords.hashed(password),
        )
    except Duplicate:  # another gateway was faster
        return ""
    finally:
        passwords.close()
    return password


def _view(record: UserRecord) -> UserView:
    return UserView(
        id=record.user_id,
        tenant_id=record.tenant_id,
        email=record.email,
        display_name=record.display_name,
        role=record.role,
        teams=record.teams,
        projects=msgspec.convert(record.projects, dict[str, str]),
    )
