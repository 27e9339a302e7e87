"""Deployments: made, listed, retired, rolled back, promoted. Spec: platform-api 3.2, 6.4."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Response

from domain.permissions import Permission
from gateway.access import Admission, Admitted, caller
from gateway.audited import Asking
from gateway.bodies.deployments import (
    DeploymentListReply,
    DeploymentReply,
    Environment,
    NewDeploymentBody,
    PreflightReply,
    PromoteBody,
    PromotedReply,
    RetireBody,
    RetiredReply,
    RollbackBody,
    RollbackReply,
    SeenDeploymentReply,
    deployment_detail,
    deployment_item,
    preflight_reply,
    previous_item,
    retired_item,
    seen_deployment,
)
from gateway.bodies.texts import QueryText
from gateway.envelope import json_response
from gateway.guarded import guarded_router
from gateway.routes.api_keys import check_environments
from gateway.services import Services, Serving

CREATED, LOOKED = 201, 200
READER = caller("api_key", "user", permission=Permission.PROJECT_READ)
MAKER = caller("api_key", "user", permission=Permission.DEPLOYMENT_CREATE, replay="reply", repeatable=True)

router = guarded_router("/api/projects/{project_id}/deployments", "deployments")


@router.get("", response_model=DeploymentListReply, dependencies=[READER])
async def list_deployments(
    project_id: str,
    admitted: Admitted,
    services: Serving,
    environment: Environment | None = None,
    status: Literal["active", "retired"] | None = None,
) -> DeploymentListReply:
    """Return the deployments of a project, the newest first."""
    found = await services.desks.deployments.list(
        admitted.caller.tenant_id, project_id, environment=environment, status=status
    )
    return DeploymentListReply(deployments=[deployment_item(one) for one in found])


@router.post("", status_code=CREATED, response_model=DeploymentReply, dependencies=[MAKER])
async def create_deployment(
    project_id: str, body: NewDeploymentBody, admitted: Admitted, asking: Asking, services: Serving
) -> DeploymentReply:
    """Make a deployment the active one of its environment; the one before drains."""
    check_environments(admitted.caller, (body.environment,))
    made = await services.desks.deployments.create(admitted.caller.tenant_id, project_id, body.wanted(), asking)
    return DeploymentReply(deployment=deployment_detail(made))


@router.get("/{deployment_id}", response_model=SeenDeploymentReply, dependencies=[READER])
async def get_deployment(
    project_id: str, deployment_id: QueryText, admitted: Admitted, services: Serving
) -> SeenDeploymentReply:
    """Return a deployment by its id or its endpoint slug."""
    found = await services.desks.deployments.get(admitted.caller.tenant_id, project_id, deployment_id)
    return SeenDeploymentReply(deployment=seen_deployment(found))


@router.post("/{deployment_id}/retire", response_model=RetiredReply, dependencies=[MAKER])
async def retire_deployment(
    project_id: str,
    deployment_id: QueryText,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
    body: RetireBody | None = None,
) -> RetiredReply:
    """Take no new sessions on a deployment; its sessions go on, or with `force` are ended."""
    force = body is not None and body.force
    await _check_environment(services, admitted, project_id, deployment_id)
    view = await services.desks.deployments.retire(
        admitted.caller.tenant_id, project_id, deployment_id, force=force, by=asking
    )
    return RetiredReply(deployment=retired_item(view))


@router.post("/{deployment_id}/rollback", response_model=RollbackReply, dependencies=[MAKER])
async def roll_back_deployment(
    project_id: str,
    deployment_id: QueryText,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
    body: RollbackBody | None = None,
) -> RollbackReply:
    """Make a retired deployment active again, or in the place of an active one its predecessor."""
    await _check_environment(services, admitted, project_id, deployment_id)
    done = await services.desks.deployments.roll_back(admitted.caller.tenant_id, project_id, deployment_id, asking)
    return RollbackReply(deployment=deployment_detail(done.active), previous_deployment=previous_item(done.previous))


@router.post(
    "/{deployment_id}/promote",
    status_code=CREATED,
    response_model=PromotedReply,
    responses={LOOKED: {"model": PreflightReply, "description": "With `dryRun=true`: what it would do"}},
    dependencies=[MAKER],
)
async def promote_deployment(
    project_id: str,
    deployment_id: QueryText,
    body: PromoteBody,
    admitted: Admitted,
    asking: Asking,
    services: Serving,
    dry_run: Annotated[bool, Query(alias="dryRun")] = False,
) -> Response:
    """Make the same program active in another environment, or say which live sessions it would lead elsewhere."""
    tenant_id, desk = admitted.caller.tenant_id, services.desks.deployments
    found = (await desk.get(tenant_id, project_id, deployment_id)).record
    check_environments(admitted.caller, (found.environment, body.target_environment))
    source = found.deployment_id
    if dry_run:
        report = await desk.preflight(tenant_id, project_id, source, body.wanted())
        told = preflight_reply(source, body.target_environment, report)
        return json_response(told.model_dump(by_alias=True), LOOKED)
    made = await desk.promote(tenant_id, project_id, source, body.wanted(), asking)
    reply = PromotedReply(deployment=deployment_detail(made), source_deployment_id=source)
    return json_response(reply.model_dump(by_alias=True), CREATED)


async def _check_environment(services: Services, admitted: Admission, project_id: str, deployment_id: str) -> None:
    """Refuse a deployment of an environment that the caller's key is not for. Raises NotFound, Forbidden."""
    who = admitted.caller
    if who.environments:
        found = await services.desks.deployments.get(who.tenant_id, project_id, deployment_id)
        check_environments(who, (found.record.environment,))
