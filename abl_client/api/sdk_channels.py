"""The part of the API about sdk-channels. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.sdk_channels import ChannelChangeBody, ChannelListReply, ChannelReply, NewChannelBody
    from abl_client.forms.users import DeletedReply


class SdkChannelsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_channels(
        self, project_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> ChannelListReply:
        """Return the channels of a project, the oldest first."""
        return cast(
            "ChannelListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sdk-channels",
                query={"limit": limit, "offset": offset},
                schemes=("apiKey", "bearer"),
            ),
        )

    def create_channel(self, project_id: str, body: NewChannelBody, *, idempotency_key: str = "") -> ChannelReply:
        """Make a channel for a public key of the project."""
        return cast(
            "ChannelReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/sdk-channels",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_channel(self, project_id: str, channel_id: str) -> ChannelReply:
        """Return a channel."""
        return cast(
            "ChannelReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/sdk-channels/{place(channel_id)}",
                schemes=("apiKey", "bearer"),
            ),
        )

    def change_channel(self, project_id: str, channel_id: str, body: ChannelChangeBody) -> ChannelReply:
        """Change a channel; what is not given stays."""
        return cast(
            "ChannelReply",
            self._transport.json(
                "PATCH",
                f"/api/projects/{place(project_id)}/sdk-channels/{place(channel_id)}",
                body=body,
                schemes=("apiKey", "bearer"),
            ),
        )

    def delete_channel(self, project_id: str, channel_id: str) -> DeletedReply:
        """Delete a channel."""
        return cast(
            "DeletedReply",
            self._transport.json(
                "DELETE",
                f"/api/projects/{place(project_id)}/sdk-channels/{place(channel_id)}",
                schemes=("apiKey", "bearer"),
            ),
        )
