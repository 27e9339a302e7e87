"""The part of the API about users. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.users import (
        DeletedReply,
        ManagedUserReply,
        MemberBody,
        MemberListReply,
        MemberPatch,
        MemberReply,
        UserBody,
        UserListReply,
        UserPatch,
    )


class UsersApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_users(self, *, limit: int | None = None, offset: int | None = None) -> UserListReply:
        """Return the users of the tenant, with their roles in the projects that the caller sees."""
        return cast(
            "UserListReply",
            self._transport.json(
                "GET", "/api/users", query={"limit": limit, "offset": offset}, schemes=("apiKey", "bearer")
            ),
        )

    def add_user(self, body: UserBody, *, idempotency_key: str = "") -> ManagedUserReply:
        """Add a user; nobody gives a role that may more than they may themselves."""
        return cast(
            "ManagedUserReply",
            self._transport.json(
                "POST", "/api/users", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def change_user(self, user_id: str, body: UserPatch) -> ManagedUserReply:
        """Change a user; another password ends all log-ins, and a new owner takes the place of the last one."""
        return cast(
            "ManagedUserReply",
            self._transport.json("PATCH", f"/api/users/{place(user_id)}", body=body, schemes=("apiKey", "bearer")),
        )

    def remove_user(self, user_id: str) -> DeletedReply:
        """Remove a user; what the user is logged in with opens nothing from now on."""
        return cast(
            "DeletedReply", self._transport.json("DELETE", f"/api/users/{place(user_id)}", schemes=("apiKey", "bearer"))
        )

    def list_members(self, project_id: str, *, limit: int | None = None, offset: int | None = None) -> MemberListReply:
        """Return the members of a project."""
        return cast(
            "MemberListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/members",
                query={"limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )

    def add_member(self, project_id: str, body: MemberBody, *, idempotency_key: str = "") -> MemberReply:
        """Make a user of the tenant a member of a project."""
        return cast(
            "MemberReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/members",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def change_member(self, project_id: str, user_id: str, body: MemberPatch) -> MemberReply:
        """Give a member another role in a project."""
        return cast(
            "MemberReply",
            self._transport.json(
                "PATCH",
                f"/api/projects/{place(project_id)}/members/{place(user_id)}",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def remove_member(self, project_id: str, user_id: str) -> DeletedReply:
        """Make somebody no member of a project any more."""
        return cast(
            "DeletedReply",
            self._transport.json(
                "DELETE", f"/api/projects/{place(project_id)}/members/{place(user_id)}", schemes=("apiKey", "bearer")
            ),
        )
