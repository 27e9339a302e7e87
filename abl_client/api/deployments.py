"""The part of the API about deployments. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from abl_client.transport import Transport, place

if TYPE_CHECKING:
    from abl_client.forms.deployments import (
        DeploymentListReply,
        DeploymentReply,
        NewDeploymentBody,
        PreflightReply,
        PromoteBody,
        PromotedReply,
        RetireBody,
        RetiredReply,
        RollbackBody,
        RollbackReply,
        SeenDeploymentReply,
    )


class DeploymentsApi:
    """The operations of this part."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_deployments(
        self,
        project_id: str,
        *,
        environment: Literal["dev", "staging", "production"] | None = None,
        status: Literal["active", "retired"] | None = None,
    ) -> DeploymentListReply:
        """Return the deployments of a project, the newest first."""
        return cast(
            "DeploymentListReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/deployments",
                query={"environment": environment, "status": status},
                schemes=("apiKey", "bearer"),
            ),
        )

    def create_deployment(
        self, project_id: str, body: NewDeploymentBody, *, idempotency_key: str = ""
    ) -> DeploymentReply:
        """Make a deployment the active one of its environment; the one before drains."""
        return cast(
            "DeploymentReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/deployments",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def get_deployment(self, project_id: str, deployment_id: str) -> SeenDeploymentReply:
        """Return a deployment by its id or its endpoint slug."""
        return cast(
            "SeenDeploymentReply",
            self._transport.json(
                "GET",
                f"/api/projects/{place(project_id)}/deployments/{place(deployment_id)}",
                schemes=("apiKey", "bearer"),
            ),
        )

    def retire_deployment(
        self, project_id: str, deployment_id: str, body: RetireBody | None = None, *, idempotency_key: str = ""
    ) -> RetiredReply:
        """Take no new sessions on a deployment; its sessions go on, or with `force` are ended."""
        return cast(
            "RetiredReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/deployments/{place(deployment_id)}/retire",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def roll_back_deployment(
        self, project_id: str, deployment_id: str, body: RollbackBody | None = None, *, idempotency_key: str = ""
    ) -> RollbackReply:
        """Make a retired deployment active again, or in the place of an active one its predecessor."""
        return cast(
            "RollbackReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/deployments/{place(deployment_id)}/rollback",
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )

    def promote_deployment(
        self,
        project_id: str,
        deployment_id: str,
        body: PromoteBody,
        *,
        dry_run: bool | None = None,
        idempotency_key: str = "",
    ) -> PromotedReply | PreflightReply:
        """Make the same program active in another environment, or say which live sessions it would lead ..."""
        return cast(
            "PromotedReply | PreflightReply",
            self._transport.json(
                "POST",
                f"/api/projects/{place(project_id)}/deployments/{place(deployment_id)}/promote",
                query={"dryRun": dry_run},
                body=body,
                idempotency_key=idempotency_key,
                schemes=("apiKey", "bearer"),
            ),
        )
