"""The part of the API about variables. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.users import DeletedReply
    from abl_client.forms.variables import VariableBody, VariableListReply, VariableReply


class VariablesApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_variables(
        self,
        project_id: str,
        *,
        kind: Literal["env", "config"] | None = None,
        environment: Literal["base", "dev", "staging", "production"] | None = None,
    ) -> VariableListReply:
        """Return the variables of a project; of secret ones no value."""
        return cast(
            "VariableListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/variables",
                query={"kind": kind, "environment": environment},
                schemes=("apiKey", "bearer"),
            ),
        )

    def put_variable(self, project_id: str, body: VariableBody) -> VariableReply:
        """Write a variable; one that has this kind, key and environment gets the new value."""
        return cast(
            "VariableReply",
            self._transport.json(
                "PUT", f"/api/projects/{place(project_id)}/variables", body=body, schemes=("apiKey", "bearer")
            ),
        )

    def delete_variable(self, project_id: str, variable_id: str) -> DeletedReply:
        """Delete a variable."""
        return cast(
            "DeletedReply",
            self._transport.json(
                "DELETE",
                f"/api/projects/{place(project_id)}/variables/{place(variable_id)}",
                schemes=("apiKey", "bearer"),
            ),
        )
