"""The part of the API about project-io. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.project_io import ExportPreviewReply, ExportReply, ImportBody, ImportPreviewReply, ImportReply


class ProjectIoApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def preview_export(self, project_id: str) -> ExportPreviewReply:
        """Return what an export would hold, with the ways of the agents to each other and to tools."""
        return cast(
            "ExportPreviewReply",
            self._transport.json(
                "GET", f"/api/projects/{place(project_id)}/project-io/export/preview", schemes=("apiKey", "bearer")
            ),
        )

    def export_project(
        self,
        project_id: str,
        *,
        format_: Literal["folder", "zip"] | None = None,
        include_deployments: Literal["true", "false"] | None = None,
    ) -> ExportReply:
        """Return the drafts of a project as path -> text, or as a zip file."""
        return cast(
            "ExportReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/project-io/export",
                query={"format": format_, "include_deployments": include_deployments},
                schemes=("apiKey", "bearer"),
            ),
        )

    def preview_import(self, project_id: str, body: ImportBody, *, idempotency_key: str = "") -> ImportPreviewReply:
        """Return what an import would do; nothing is written."""
        return cast(
            "ImportPreviewReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/project-io/import/preview",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def import_project(self, project_id: str, body: ImportBody, *, idempotency_key: str = "") -> ImportReply:
        """Write texts as drafts, all of them or none; what is compiled and deployed stays as it is."""
        return cast(
            "ImportReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/project-io/import",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )
