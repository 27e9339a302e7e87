"""The part of the API about tool secrets. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.tool_secrets import (
        CreatedSecretReply,
        NewSecretBody,
        RotatedSecretBody,
        RotatedSecretReply,
        SecretListReply,
        Success,
    )


class ToolSecretsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_tool_secret(self, body: NewSecretBody, *, idempotency_key: str = "") -> CreatedSecretReply:
        """Keep a secret of a tool; from the next call on, the tool can use it."""
        return cast(
            "CreatedSecretReply",
            self._transport.json(
                "POST", "/api/tool-secrets", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def list_tool_secrets(
        self,
        *,
        project_id: str,
        tool_name: str | None = None,
        environment: str | None = None,
        page: int | None = None,
        limit: int | None = None,
    ) -> SecretListReply:
        """Return the secrets of a project without their values, the oldest first."""
        return cast(
            "SecretListReply",
            self._transport.json(
                "GET",
                "/api/tool-secrets",
                query={
                    "projectId": project_id,
                    "toolName": tool_name,
                    "environment": environment,
                    "page": page,
                    "limit": limit,
                },
                schemes=("apiKey", "bearer"),
            ),
        )

    def rotate_tool_secret(self, secret_id: str, body: RotatedSecretBody) -> RotatedSecretReply:
        """Put another value in the place of the last one, under the next version."""
        return cast(
            "RotatedSecretReply",
            self._transport.json(
                "PUT", f"/api/tool-secrets/{place(secret_id)}", body=body, schemes=("apiKey", "bearer")
            ),
        )

    def delete_tool_secret(self, secret_id: str) -> Success:
        """Delete a secret for good; the next call of its tool does without."""
        return cast(
            "Success",
            self._transport.json("DELETE", f"/api/tool-secrets/{place(secret_id)}", schemes=("apiKey", "bearer")),
        )
