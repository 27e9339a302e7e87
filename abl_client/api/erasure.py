"""The part of the API about erasure. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.erasure import EraseBody, ErasedReply


class ErasureApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def erase_contact(self, contact_id: str) -> ErasedReply:
        """Delete a contact, all sessions with them and all that agents remember of them."""
        return cast(
            "ErasedReply",
            self._transport.json("POST", f"/api/contacts/{place(contact_id)}/erase", schemes=("apiKey", "bearer")),
        )

    def erase_tenant(self, body: EraseBody) -> ErasedReply:
        """End all sessions of the caller's tenant and delete everything that is kept of it."""
        return cast("ErasedReply", self._transport.json("POST", "/api/tenant/erase", body=body, schemes=("bearer",)))
