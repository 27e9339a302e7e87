"""People who log in: their passwords, their log-ins, and the owner that the first start makes. Spec: 14.1, 14.2."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

from actors.passwords import Passwords
from actors.people import user_view
from domain.audit import Actor, AuditCategory, AuditEntry, Initiator, Outcome, Resource
from domain.clock import IdSource
from domain.ids import PREFIXES
from domain.permissions import WorkspaceRole
from domain.users import UserView
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.audit import AuditLog
from storage.repositories.users import Users

OWNER_EMAIL: Final = "owner@localhost"
PASSWORD_BYTES: Final = 18
NOBODY: Final = Actor("user", "")
"""Who logs in under an email that is nobody's."""


class StoredUsers:
    """Satisfies `actors.desks.Users`."""

    def __init__(self, database: Database, passwords: Passwords, audit: AuditLog) -> None:
        self._database = database
        self._users = Users(database)
        self._passwords = passwords
        self._audit = audit

    async def with_password(self, email: str, password: str, *, ip: str, request_id: str) -> UserView | None:
        """Return who has this email and password; it takes the same time when nobody has."""
        found = await self._users.find_by_email(email)
        if await self._passwords.matches(password, found.password_hash if found is not None else ""):
            return user_view(found) if found is not None else None
        actor = Actor("user", found.user_id, found.email) if found is not None else NOBODY
        entry = _entry("login", Initiator(actor, ip, request_id), "failure")
        await self._audit.note_refusal(found.tenant_id if found is not None else None, entry)
        return None

    async def find(self, tenant_id: str, user_id: str) -> UserView | None:
        """Return a user who may still log in."""
        found = await self._users.find(tenant_id, user_id)
        return user_view(found) if found is not None else None

    async def change_password(self, user: UserView, current: str, new: str, *, family_id: str, by: Initiator) -> bool:
        """Change a password, and end all other log-ins of the user; False when `current` is not it."""
        found = await self._users.find(user.tenant_id, user.id)
        if found is None or not await self._passwords.matches(current, found.password_hash):
            await self._audit.note(user.tenant_id, _entry("password_change", by, "failure"))
            return False
        password_hash = await self._passwords.hashed(new)
        async with self._database.transaction() as connection:
            await self._users.set_password(connection, user.tenant_id, user.id, password_hash)
            await self._users.close_families(connection, user.tenant_id, user.id, but=family_id)
            await self._audit.append(connection, user.tenant_id, _entry("password_change", by))
        return True

    async def open_family(
        self, user: UserView, family_id: str, token_id: str, *, expires_at: datetime, by: Initiator
    ) -> None:
        """Note a log-in with its first refresh token."""
        async with self._database.transaction() as connection:
            await self._users.open_family(
                connection,
                user.tenant_id,
                family_id=family_id,
                user_id=user.id,
                token_id=token_id,
                expires_at=expires_at,
            )
            await self._audit.append(connection, user.tenant_id, _entry("login", by))

    async def rotate(
        self, user: UserView, family_id: str, token_id: str, next_id: str, *, expires_at: datetime, by: Initiator
    ) -> bool:
        """Put the next refresh token in the place of the last one; when `token_id` is an older one, end the log-in."""
        if await self._users.rotate(user.tenant_id, family_id, token_id, next_id, expires_at):
            return True
        async with self._database.transaction() as connection:
            await self._users.close_family(user.tenant_id, family_id, connection)
            await self._audit.append(connection, user.tenant_id, _entry("refresh_reuse", by, "failure"))
        return False

    async def has_family(self, tenant_id: str, family_id: str) -> bool:
        """Return whether a log-in is open."""
        return await self._users.has_family(tenant_id, family_id)

    async def close_family(self, user: UserView, family_id: str, by: Initiator) -> None:
        """End a log-in."""
        async with self._database.transaction() as connection:
            await self._users.close_family(user.tenant_id, family_id, connection)
            await self._audit.append(connection, user.tenant_id, _entry("logout", by))


async def make_owner(database: Database, ids: IdSource, tenant_id: str, email: str = OWNER_EMAIL) -> str:
    """Make the owner of a tenant and return the password; empty when the tenant has one."""
    users = Users(database)
    if await users.has_owner(tenant_id):
        return ""
    password, password_hash = await new_password()
    try:
        await users.create(
            tenant_id,
            ids.new(PREFIXES["user"]),
            email=email,
            role=WorkspaceRole.OWNER,
            password_hash=password_hash,
        )
    except Duplicate:  # another gateway was faster
        return ""
    return password


async def new_password() -> tuple[str, str]:
    """Return a password that nobody could guess, and what is kept of it."""
    password, passwords = secrets.token_urlsafe(PASSWORD_BYTES), Passwords()
    try:
        return password, await passwords.hashed(password)
    finally:
        passwords.close()


def _entry(verb: str, by: Initiator, outcome: Outcome = "success") -> AuditEntry:
    return AuditEntry(
        by=by,
        action=f"user.{verb}",
        category=AuditCategory.ACCESS,
        resource=Resource("user", by.actor.id, by.actor.label),
        outcome=outcome,
    )
