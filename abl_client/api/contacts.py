"""The part of the API about contacts. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.contacts import (
        ContactBody,
        ContactListReply,
        ContactReply,
        DeletedContactReply,
        LinkSessionBody,
        NewContactBody,
    )
    from abl_client.forms.tool_secrets import Success


class ContactsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_contact(self, body: NewContactBody, *, idempotency_key: str = "") -> ContactReply:
        """Keep a new contact; an identity stands for one contact at a time."""
        return cast(
            "ContactReply",
            self._transport.json(
                "POST", "/api/contacts", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def list_contacts(
        self,
        *,
        type_: Literal["employee", "customer", "anonymous"] | None = None,
        channel: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> ContactListReply:
        """Return contacts, the newest first; those that were deleted are left out."""
        return cast(
            "ContactListReply",
            self._transport.json(
                "GET",
                "/api/contacts",
                query={"type": type_, "channel": channel, "limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )

    def look_contact_up(
        self, *, identity: str, identity_type: Literal["email", "phone", "external"] | None = None
    ) -> ContactReply:
        """Return who has an identity; emails are compared whatever the case of their letters."""
        return cast(
            "ContactReply",
            self._transport.json(
                "GET",
                "/api/contacts/lookup",
                query={"identity": identity, "identityType": identity_type},
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_contact(self, contact_id: str) -> ContactReply:
        """Return a contact."""
        return cast(
            "ContactReply",
            self._transport.json("GET", f"/api/contacts/{place(contact_id)}", schemes=("apiKey", "bearer")),
        )

    def change_contact(self, contact_id: str, body: ContactBody) -> ContactReply:
        """Change what the body names; `null` clears it."""
        return cast(
            "ContactReply",
            self._transport.json("PUT", f"/api/contacts/{place(contact_id)}", body=body, schemes=("apiKey", "bearer")),
        )

    def delete_contact(self, contact_id: str) -> DeletedContactReply:
        """Have a contact found no more; the row stays, and its identity is free for another one."""
        return cast(
            "DeletedContactReply",
            self._transport.json("DELETE", f"/api/contacts/{place(contact_id)}", schemes=("apiKey", "bearer")),
        )

    def link_session(self, contact_id: str, body: LinkSessionBody, *, idempotency_key: str = "") -> Success:
        """Say that a session is with this contact: its agent knows from the next turn on."""
        return cast(
            "Success",
            self._transport.json(
                "POST",
                f"/api/contacts/{place(contact_id)}/link-session",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )
