"""The part of the API about projects. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.projects import NewProjectBody, ProjectChangeBody, ProjectListReply, ProjectReply
    from abl_client.forms.users import DeletedReply


class ProjectsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_projects(self, *, limit: int | None = None, offset: int | None = None) -> ProjectListReply:
        """Return the projects that the caller sees, the oldest first."""
        return cast(
            "ProjectListReply",
            self._transport.json(
                "GET", "/api/projects", query={"limit": limit, "offset": offset}, schemes=("apiKey", "bearer")
            ),
        )

    def create_project(self, body: NewProjectBody, *, idempotency_key: str = "") -> ProjectReply:
        """Make a project; a person who makes it is its admin. A key of one project makes none: it would ..."""
        return cast(
            "ProjectReply",
            self._transport.json(
                "POST", "/api/projects", body=body, idempotency_key=idempotency_key, schemes=("apiKey", "bearer")
            ),
        )

    def get_project(self, project_id: str) -> ProjectReply:
        """Return a project."""
        return cast(
            "ProjectReply",
            self._transport.json("GET", f"/api/projects/{place(project_id)}", schemes=("apiKey", "bearer")),
        )

    def change_project(self, project_id: str, body: ProjectChangeBody) -> ProjectReply:
        """Change a project; what is not given stays."""
        return cast(
            "ProjectReply",
            self._transport.json(
                "PATCH", f"/api/projects/{place(project_id)}", body=body, schemes=("apiKey", "bearer")
            ),
        )

    def delete_project(self, project_id: str) -> DeletedReply:
        """End all sessions of a project and remove everything of it; it is there for nobody at once."""
        return cast(
            "DeletedReply",
            self._transport.json("DELETE", f"/api/projects/{place(project_id)}", schemes=("apiKey", "bearer")),
        )
