"""The part of the API about keys. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.keys import (
        ApiKeyBody,
        ApiKeyListReply,
        MadeApiKeyReply,
        MadePublicKeyReply,
        PublicKeyBody,
        PublicKeyListReply,
        PublicKeyPatch,
        PublicKeyReply,
        RevokedReply,
        RotateBody,
    )


class KeysApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_api_keys(
        self, *, project_id: str | None = None, limit: int | None = None, offset: int | None = None
    ) -> ApiKeyListReply:
        """Return the API keys that the caller may see, revoked ones too, the newest first."""
        return cast(
            "ApiKeyListReply",
            self._transport.json(
                "GET",
                "/api/api-keys",
                query={"projectId": project_id, "limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )

    def make_api_key(self, body: ApiKeyBody, *, idempotency_key: str = "") -> MadeApiKeyReply:
        """Make an API key and show its secret, this once; nobody gives a key more than they may themselves."""
        return cast(
            "MadeApiKeyReply",
            self._transport.json(
                "POST", "/api/api-keys", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def revoke_api_key(self, key_id: str) -> RevokedReply:
        """Revoke an API key: it opens nothing from now on."""
        return cast(
            "RevokedReply",
            self._transport.json("DELETE", f"/api/api-keys/{place(key_id)}", schemes=("apiKey", "bearer")),
        )

    def rotate_api_key(
        self, key_id: str, body: RotateBody | None = None, *, idempotency_key: str = ""
    ) -> MadeApiKeyReply:
        """Give an API key a new secret and show it, this once; the old one works for `graceSec` more."""
        return cast(
            "MadeApiKeyReply",
            self._transport.json(
                "POST",
                f"/api/api-keys/{place(key_id)}/rotate",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def list_public_keys(
        self, project_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> PublicKeyListReply:
        """Return the public keys of a project, revoked ones too, the newest first."""
        return cast(
            "PublicKeyListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/public-keys",
                query={"limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )

    def make_public_key(self, project_id: str, body: PublicKeyBody, *, idempotency_key: str = "") -> MadePublicKeyReply:
        """Make a public key and show it, this once."""
        return cast(
            "MadePublicKeyReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/public-keys",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def change_public_key(self, project_id: str, key_id: str, body: PublicKeyPatch) -> PublicKeyReply:
        """Change a public key; its open sockets are checked again."""
        return cast(
            "PublicKeyReply",
            self._transport.json(
                "PATCH",
                f"/api/projects/{place(project_id)}/public-keys/{place(key_id)}",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def revoke_public_key(self, project_id: str, key_id: str) -> RevokedReply:
        """Revoke a public key: it opens nothing from now on, and its sockets close."""
        return cast(
            "RevokedReply",
            self._transport.json(
                "DELETE", f"/api/projects/{place(project_id)}/public-keys/{place(key_id)}", schemes=("apiKey", "bearer")
            ),
        )
