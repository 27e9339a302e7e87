"""The part of the API about versions. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.versions import DiffReply, NewVersionBody, VersionListReply, VersionReply


class VersionsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_versions(self, project_id: str, agent_name: str) -> VersionListReply:
        """Return the versions of an agent, the newest first."""
        return cast(
            "VersionListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/agents/{place(agent_name)}/versions",
                schemes=("apiKey", "bearer"),
            ),
        )

    def create_version(
        self, project_id: str, agent_name: str, body: NewVersionBody | None = None, *, idempotency_key: str = ""
    ) -> VersionReply:
        """Freeze the draft of an agent, which has to compile."""
        return cast(
            "VersionReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/agents/{place(agent_name)}/versions",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_version(self, project_id: str, agent_name: str, version: str) -> VersionReply:
        """Return a version with its text."""
        return cast(
            "VersionReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/agents/{place(agent_name)}/versions/{place(version)}",
                schemes=("apiKey", "bearer"),
            ),
        )

    def diff_versions(self, project_id: str, agent_name: str, version: str, other: str) -> DiffReply:
        """Return what is different in the other version, as a unified diff."""
        return cast(
            "DiffReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/agents/{place(agent_name)}/versions/{place(version)}/diff/{place(other)}",
                schemes=("apiKey", "bearer"),
            ),
        )
