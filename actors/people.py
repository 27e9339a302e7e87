"""Who may log in to a tenant, and who is what in a project: seen, added, changed, removed. Spec: 2.3, 14.3, 14.7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from actors.passwords import Passwords
from domain.audit import AuditCategory, AuditEntry, Initiator, Resource
from domain.clock import IdSource
from domain.errors import Conflict, NotFound
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.permissions import PROJECT_ROLES, WORKSPACE_ROLES, ProjectRole, WorkspaceRole, beyond, insufficient
from domain.users import Membership, MemberView, NewUser, UserChanges, UserView
from storage.database import Connection, Database
from storage.errors import Duplicate
from storage.repositories.audit import AuditLog
from storage.repositories.members import MemberRecord, Members
from storage.repositories.users import UserRecord

NO_USER: Final = "User not found"
NO_MEMBER: Final = "Member not found"
EMAIL_INDEX: Final = "user_email"


class PeopleDesk(Protocol):
    """The users of tenants and the members of projects.

    `granted` is what whoever asks may: nobody gives, changes or takes away a role that grants more.
    """

    async def users(self, tenant_id: str, *, limit: int, offset: int) -> tuple[Sequence[UserView], int]:
        """Return users of a tenant, the oldest first, and how many there are."""
        ...

    async def add(self, tenant_id: str, wanted: NewUser, granted: frozenset[str], by: Initiator) -> UserView:
        """Keep a new user.

        Raises:
            Forbidden: The role grants more than `granted`.
            Conflict: The email is somebody's (DUPLICATE_EMAIL), or the tenant has its owner (LAST_OWNER).
        """
        ...

    async def change(
        self, tenant_id: str, user_id: str, changes: UserChanges, granted: frozenset[str], by: Initiator
    ) -> UserView:
        """Change a user; another password ends all log-ins; a new owner makes the last one an administrator.

        Raises:
            NotFound: There is no such user.
            Forbidden: The role that is, or the one that shall be, grants more than `granted`.
            Conflict: The owner would be none any more (LAST_OWNER), or the email is somebody's (DUPLICATE_EMAIL).
        """
        ...

    async def remove(self, tenant_id: str, user_id: str, granted: frozenset[str], by: Initiator) -> None:
        """Remove a user, the log-ins and memberships. Raises NotFound, Forbidden, Conflict (LAST_OWNER)."""
        ...

    async def members(
        self, tenant_id: str, project_id: str, *, limit: int, offset: int
    ) -> tuple[Sequence[MemberView], int]:
        """Return members of a project, and how many there are."""
        ...

    async def join(self, tenant_id: str, wanted: Membership, granted: frozenset[str], by: Initiator) -> MemberView:
        """Make a user of the tenant a member. Raises NotFound, Forbidden, Conflict (ALREADY_MEMBER)."""
        ...

    async def give_role(self, tenant_id: str, wanted: Membership, granted: frozenset[str], by: Initiator) -> MemberView:
        """Give a member another role. Raises NotFound, Forbidden."""
        ...

    async def leave(
        self, tenant_id: str, project_id: str, user_id: str, granted: frozenset[str], by: Initiator
    ) -> None:
        """Make somebody no member any more. Raises NotFound, Forbidden."""
        ...


class StoredPeople:
    """Satisfies `PeopleDesk`."""

    def __init__(self, database: Database, passwords: Passwords, audit: AuditLog, ids: IdSource) -> None:
        self._database = database
        self._members = Members(database)
        self._passwords = passwords
        self._audit = audit
        self._ids = ids

    async def users(self, tenant_id: str, *, limit: int, offset: int) -> tuple[Sequence[UserView], int]:
        """Return users of a tenant, the oldest first, and how many there are."""
        rows, total = await self._members.users(tenant_id, limit=limit, offset=offset)
        return [user_view(row) for row in rows], total

    async def add(self, tenant_id: str, wanted: NewUser, granted: frozenset[str], by: Initiator) -> UserView:
        """Keep a new user."""
        _check_role(granted, wanted.role)
        if wanted.role is WorkspaceRole.OWNER:
            raise _last_owner("A tenant has one owner; give the role to a user who is there to pass it on")
        user = UserRecord(
            tenant_id=tenant_id,
            user_id=self._ids.new(PREFIXES["user"]),
            email=wanted.email,
            display_name=wanted.display_name,
            role=wanted.role,
            teams=wanted.teams,
            password_hash=await self._passwords.hashed(wanted.password) if wanted.password else "",
            projects={},
        )
        try:
            async with self._database.transaction() as connection:
                await self._members.create(connection, user)
                await self._note(connection, user, "create", by, {"role": user.role, "teams": list(user.teams)})
        except Duplicate as error:
            raise _taken(error) from error
        return user_view(user)

    async def change(
        self, tenant_id: str, user_id: str, changes: UserChanges, granted: frozenset[str], by: Initiator
    ) -> UserView:
        """Change a user."""
        password_hash = await self._passwords.hashed(changes.password) if changes.password else None
        given = {name: getattr(changes, name) for name in ("email", "role", "display_name", "teams")}
        wanted = {name: value for name, value in given.items() if value is not None}
        try:
            async with self._database.transaction() as connection:
                held = await self._held(connection, tenant_id, user_id, granted)
                user = msgspec.structs.replace(held, **wanted, password_hash=password_hash or held.password_hash)
                if user.role != held.role:
                    await self._check_change(connection, held, WorkspaceRole(user.role), granted)
                await self._members.update(connection, user)
                if password_hash is not None:
                    await self._members.close_families(connection, tenant_id, user_id)
                await self._note(connection, user, "update", by, _changed(held, user, password_hash is not None))
        except Duplicate as error:
            raise _taken(error) from error
        return user_view(user)

    async def remove(self, tenant_id: str, user_id: str, granted: frozenset[str], by: Initiator) -> None:
        """Remove a user."""
        async with self._database.transaction() as connection:
            held = await self._held(connection, tenant_id, user_id, granted)
            if held.role == WorkspaceRole.OWNER:
                raise _last_owner("The owner cannot be removed; pass the role on first")
            await self._members.delete(connection, tenant_id, user_id)
            await self._note(connection, held, "delete", by, {"role": held.role})

    async def members(
        self, tenant_id: str, project_id: str, *, limit: int, offset: int
    ) -> tuple[Sequence[MemberView], int]:
        """Return members of a project, and how many there are."""
        rows, total = await self._members.members(tenant_id, project_id, limit=limit, offset=offset)
        return [MemberView(**row._asdict()) for row in rows], total

    async def join(self, tenant_id: str, wanted: Membership, granted: frozenset[str], by: Initiator) -> MemberView:
        """Make a user of the tenant a member."""
        _check_project_role(granted, wanted.role)
        async with self._database.transaction() as connection:
            user = await self._members.hold(connection, tenant_id, wanted.user_id)
            if user is None:
                raise NotFound(NO_USER)
            if not await self._members.join(connection, tenant_id, *wanted):
                raise Conflict("The user is a member already", details={"reason": "ALREADY_MEMBER"})
            member = MemberRecord(user.user_id, user.email, user.display_name, wanted.role)
            await self._note_member(connection, tenant_id, wanted.project_id, member, "add", by, {"role": wanted.role})
        return MemberView(**member._asdict())

    async def give_role(self, tenant_id: str, wanted: Membership, granted: frozenset[str], by: Initiator) -> MemberView:
        """Give a member another role."""
        project_id, user_id, role = wanted
        _check_project_role(granted, role)
        async with self._database.transaction() as connection:
            held = await self._held_member(connection, tenant_id, project_id, user_id, granted)
            await self._members.change(connection, tenant_id, *wanted)
            details = {"from": held.role, "to": role}
            await self._note_member(connection, tenant_id, project_id, held, "update", by, details)
        return MemberView(**held._replace(role=role)._asdict())

    async def leave(
        self, tenant_id: str, project_id: str, user_id: str, granted: frozenset[str], by: Initiator
    ) -> None:
        """Make somebody no member any more."""
        async with self._database.transaction() as connection:
            held = await self._held_member(connection, tenant_id, project_id, user_id, granted)
            await self._members.leave(connection, tenant_id, project_id, user_id)
            await self._note_member(connection, tenant_id, project_id, held, "remove", by, {"role": held.role})

    async def _held(self, connection: Connection, tenant_id: str, user_id: str, granted: frozenset[str]) -> UserRecord:
        held = await self._members.hold(connection, tenant_id, user_id)
        if held is None:
            raise NotFound(NO_USER)
        _check_role(granted, WorkspaceRole(held.role))
        return held

    async def _held_member(
        self, connection: Connection, tenant_id: str, project_id: str, user_id: str, granted: frozenset[str]
    ) -> MemberRecord:
        held = await self._members.member(connection, tenant_id, project_id, user_id)
        if held is None:
            raise NotFound(NO_MEMBER)
        _check_project_role(granted, ProjectRole(held.role))
        return held

    async def _check_change(
        self, connection: Connection, held: UserRecord, role: WorkspaceRole, granted: frozenset[str]
    ) -> None:
        """Refuse a role that may not be given, and make room for a new owner."""
        _check_role(granted, role)
        if held.role == WorkspaceRole.OWNER:
            raise _last_owner("The owner cannot step down; pass the role on to another user")
        if role is WorkspaceRole.OWNER:
            await self._members.step_down(connection, held.tenant_id)

    async def _note(
        self, connection: Connection, user: UserRecord, verb: str, by: Initiator, details: JsonObject
    ) -> None:
        entry = AuditEntry(
            by=by,
            action=f"user.{verb}",
            category=AuditCategory.WORKSPACE,
            resource=Resource("user", user.user_id, user.email),
            details=details,
        )
        await self._audit.append(connection, user.tenant_id, entry)

    async def _note_member(
        self,
        connection: Connection,
        tenant_id: str,
        project_id: str,
        member: MemberRecord,
        verb: str,
        by: Initiator,
        details: JsonObject,
    ) -> None:
        entry = AuditEntry(
            by=by,
            action=f"member.{verb}",
            category=AuditCategory.WORKSPACE,
            resource=Resource("member", member.user_id, member.email),
            project_id=project_id,
            details=details,
        )
        await self._audit.append(connection, tenant_id, entry)


def user_view(record: UserRecord) -> UserView:
    """Return a user as it is shown: without the password's hash."""
    return UserView(
        id=record.user_id,
        tenant_id=record.tenant_id,
        email=record.email,
        display_name=record.display_name,
        role=record.role,
        teams=record.teams,
        projects=msgspec.convert(record.projects, dict[str, str]),
    )


def _check_role(granted: frozenset[str], role: WorkspaceRole) -> None:
    if lacking := beyond(granted, WORKSPACE_ROLES[role]):
        raise insufficient(*lacking)


def _check_project_role(granted: frozenset[str], role: ProjectRole) -> None:
    if lacking := beyond(granted, PROJECT_ROLES[role]):
        raise insufficient(*lacking)


def _changed(before: UserRecord, after: UserRecord, has_new_password: bool) -> JsonObject:
    names = [name for name in ("email", "display_name", "teams") if getattr(before, name) != getattr(after, name)]
    details: JsonObject = {"fields": [*names, *(["password"] if has_new_password else [])]}
    if before.role != after.role:
        details |= {"fromRole": before.role, "toRole": after.role}
    return details


def _last_owner(sentence: str) -> Conflict:
    return Conflict(sentence, details={"reason": "LAST_OWNER"})


def _taken(error: Duplicate) -> Conflict:
    if error.constraint != EMAIL_INDEX:
        return _last_owner("The tenant has another owner by now; try again")
    return Conflict("This email is somebody's already", details={"reason": "DUPLICATE_EMAIL"})
